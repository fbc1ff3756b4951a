package server

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// gzipped reports whether the body is compressed with gzip (RFC 9110 §8.4). The error is for
// one that is compressed in another way.
func (x *exchange) gzipped() (bool, error) {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(x.r.Header["Content-Encoding"], ", ")))
	switch encoding {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		return true, nil
	}
	x.w.Header().Set("Accept-Encoding", "gzip") // RFC 9110 §15.5.16
	return false, errEncoding.With("Content-Encoding %.100q is not supported, only gzip", encoding)
}

// gzipBody decompresses as it is read. It reads nothing before the first Read.
type gzipBody struct {
	body io.Reader
	zip  *gzip.Reader
}

// Read implements io.Reader.
func (g *gzipBody) Read(p []byte) (n int, err error) {
	if g.zip == nil {
		if g.zip, err = gzip.NewReader(g.body); err != nil {
			return 0, gzipError(err)
		}
	}
	n, err = g.zip.Read(p)
	return n, gzipError(err)
}

// gzipError turns an error of a malformed body into ErrParse; an error of the
// connection stays as it is. An empty body is not malformed.
func gzipError(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt) {
		return a2a.ErrParse.With("the body is not gzip, as its Content-Encoding says: %v", err)
	}
	return err
}
