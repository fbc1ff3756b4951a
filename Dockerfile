# The image holds one static binary. Build it, and copy the binary into an agent image:
#
#   docker build -t localhost/sidecar .
#
#   COPY --from=localhost/sidecar /sidecar /sidecar
#   ENTRYPOINT ["/sidecar","run"]
#
# The build needs Go and a CA bundle; GO_IMAGE names any image that has both.
ARG GO_IMAGE=golang:1.26-bookworm
FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG TARGETOS=linux
ARG TARGETARCH
RUN GOOS=${TARGETOS} GOARCH=${TARGETARCH} .ci/binary /out/sidecar "${VERSION}" \
 && mkdir -p /out/etc/ssl/certs \
 && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/

FROM scratch
ARG VERSION=dev
LABEL org.opencontainers.image.title="sidecar" \
      org.opencontainers.image.description="Gives any command-line agent an A2A face" \
      org.opencontainers.image.source="https://github.com/a2a-sidecar/sidecar" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /out/etc/ssl/certs /etc/ssl/certs
COPY --from=build /out/sidecar /sidecar
EXPOSE 8999
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["/sidecar","healthcheck"]
ENTRYPOINT ["/sidecar","run"]
