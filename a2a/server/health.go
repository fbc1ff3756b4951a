package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// health is the body of the health paths.
type health struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// serveLive answers GET /livez. It shows that the process answers.
func (x *exchange) serveLive() {
	x.seen.name = "Health"
	x.health(http.StatusOK, health{Status: "ok"})
}

// serveReady answers GET /readyz. The server is ready if new work would be accepted, or
// queued, or told to retry soon. So a busy server is ready.
func (x *exchange) serveReady() {
	x.seen.name = "Health"
	err := x.s.handler.Ready()
	if err == nil || errors.Is(err, a2a.ErrBusy) {
		x.health(http.StatusOK, health{Status: "ready"})
		return
	}
	after := a2a.ErrUnavailable.RetryAfter
	var e *a2a.Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		after = e.RetryAfter
	}
	x.w.Header().Set("Retry-After", strconv.Itoa(after))
	x.health(http.StatusServiceUnavailable, health{Status: "unavailable", Reason: err.Error()})
}

// serveHealth answers GET /healthz, the platform's path.
func (x *exchange) serveHealth() {
	if x.s.opts.Health == nil {
		x.serveLive()
		return
	}
	x.seen.name = "Health"
	x.w.Header().Set("Cache-Control", "no-store")
	x.write(http.StatusOK, a2a.TypeJSON, x.s.opts.Health())
}

// typeMetrics is the text format of OpenMetrics, which every Prometheus scraper reads.
const typeMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8"

// serveMetrics answers GET /metrics.
func (x *exchange) serveMetrics() {
	x.seen.name = "Metrics"
	x.w.Header().Set("Cache-Control", "no-store")
	x.write(http.StatusOK, typeMetrics, x.s.opts.Metrics())
}

func (x *exchange) health(status int, h health) {
	body, err := json.Marshal(h)
	if err != nil {
		x.fail(err)
		return
	}
	x.w.Header().Set("Cache-Control", "no-store")
	x.write(status, a2a.TypeJSON, body)
}
