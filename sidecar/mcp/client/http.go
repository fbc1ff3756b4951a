package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errBody is in the error of an answer whose body, or one of whose events, is too long.
var errBody = errors.New("the answer is longer than the limit")

// The headers of streamable HTTP.
const (
	headerRevision = "Mcp-Protocol-Version"
	headerSession  = "Mcp-Session-Id"
	headerLast     = "Last-Event-ID"
	eventStream    = "text/event-stream"
)

// web is a connection by streamable HTTP: the SDK's, with limits, and with what the SDK does
// for its own sessions only.
type web struct {
	mcp.Connection
	client   *http.Client
	endpoint string
	bounds   *boundedHTTP
}

// connectHTTP connects to a server by streamable HTTP.
func connectHTTP(ctx context.Context, t *mcp.StreamableClientTransport, limit int64) (*web, error) {
	w := &web{client: &http.Client{}, endpoint: t.Endpoint, bounds: &boundedHTTP{next: http.DefaultTransport, limit: limit}}
	if t.HTTPClient != nil {
		*w.client = *t.HTTPClient
		if t.HTTPClient.Transport != nil {
			w.bounds.next = t.HTTPClient.Transport
		}
	}
	w.client.Transport = w.bounds
	bounded := *t
	bounded.HTTPClient, bounded.MaxEventSize = w.client, -1 // the limit is in bounds
	conn, err := bounded.Connect(ctx)
	w.Connection = conn
	return w, err
}

// boundedHTTP limits what is read of answers, and names the revision in requests.
type boundedHTTP struct {
	next     http.RoundTripper
	limit    int64
	revision atomic.Value // a string, once it is negotiated
}

// RoundTrip implements [http.RoundTripper]. An answer that is no stream is read as a whole: one
// that is too long is the error of its own request then, and not the connection's.
func (b *boundedHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	if revision, ok := b.revision.Load().(string); ok && r.Header.Get(headerRevision) == "" {
		r = r.Clone(r.Context())
		r.Header.Set(headerRevision, revision)
	}
	a, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if isEventStream(a) {
		a.Body = &boundedEvents{ReadCloser: a.Body, limit: b.limit, tell: tooLongIn(r.Context())}
		return a, nil
	}
	body, err := io.ReadAll(io.LimitReader(a.Body, b.limit+1))
	a.Body.Close()
	if err == nil && int64(len(body)) > b.limit {
		err = errBody
	}
	if err != nil {
		return nil, err
	}
	a.Body = io.NopCloser(bytes.NewReader(body))
	return a, nil
}

func isEventStream(a *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return kind == eventStream
}

// boundedEvents fails at an event that is too long.
type boundedEvents struct {
	io.ReadCloser
	limit, event, line int64
	tell               func()
}

func (b *boundedEvents) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for _, c := range p[:n] {
		b.event++
		switch {
		case c == '\n' && b.line == 0:
			b.event = 0 // an empty line ends an event
		case c == '\n':
			b.line = 0
		case c != '\r':
			b.line++
		}
		if b.event > b.limit {
			b.tell()
			return 0, errBody
		}
	}
	return n, err
}

type tooLongKey struct{}

// withTooLong returns a context for a request that wants to hear that its answer is too long:
// the SDK does not say it.
func withTooLong(ctx context.Context, tell func()) context.Context {
	return context.WithValue(ctx, tooLongKey{}, tell)
}

func tooLongIn(ctx context.Context) func() {
	if tell, ok := ctx.Value(tooLongKey{}).(func()); ok {
		return tell
	}
	return func() {}
}
