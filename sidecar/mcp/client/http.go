package client

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// errBody is in the error of an answer whose body is too long.
var errBody = errors.New("the body is too long")

// connectHTTP connects to a server by streamable HTTP, with a limit for each answer that is no
// stream of events, and for each event.
func connectHTTP(ctx context.Context, t *mcp.StreamableClientTransport, limit int64) (mcp.Connection, error) {
	bounded := *t
	bounded.MaxEventSize = int(limit)
	client := http.Client{}
	if t.HTTPClient != nil {
		client = *t.HTTPClient
	}
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = &boundedHTTP{next: next, limit: limit}
	bounded.HTTPClient = &client
	return bounded.Connect(ctx)
}

// boundedHTTP limits the bodies of answers.
type boundedHTTP struct {
	next  http.RoundTripper
	limit int64
}

// RoundTrip implements [http.RoundTripper].
func (b *boundedHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	a, err := b.next.RoundTrip(r)
	if err == nil && mediaType(a) != "text/event-stream" {
		a.Body = &boundedBody{ReadCloser: a.Body, left: b.limit}
	}
	return a, err
}

// boundedBody fails after so many bytes.
type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errBody
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return n, errBody
	}
	return n, err
}

func mediaType(r *http.Response) string {
	return text.Line(r.Header.Get("Content-Type"), 0)
}
