package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

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

// forget closes what is kept for further requests. No request runs any more.
func (w *web) forget() { w.client.CloseIdleConnections() }

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
	if extra, ok := r.Context().Value(headersKey{}).(http.Header); ok && r.Method == http.MethodPost {
		r = r.Clone(r.Context())
		maps.Copy(r.Header, extra)
	}
	a, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if isEventStream(a) {
		a.Body = newBoundedEvents(a.Body, b.limit, tooLongIn(r.Context()))
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
	if isJSON(a) && len(body) > 0 && decode(body) == nil {
		return nil, errors.New("the answer is no message")
	}
	a.Body = io.NopCloser(bytes.NewReader(body))
	return a, nil
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (b *boundedHTTP) CloseIdleConnections() {
	(&http.Client{Transport: b.next}).CloseIdleConnections() // it finds out whether next has some
}

func isEventStream(a *http.Response) bool { return kind(a) == eventStream }

func isJSON(a *http.Response) bool { return a.StatusCode < 300 && kind(a) == "application/json" }

func kind(a *http.Response) string {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return kind
}

// boundedEvents is a stream of events without those that are no message, which would cost the
// SDK many times their size. It ends at an event that is too long, and when there are too many
// that are no message.
type boundedEvents struct {
	io.Closer
	noise noise
	in    *bufio.Scanner
	limit int64
	tell  func()
	out   bytes.Buffer // of the last event, what was not read
}

func newBoundedEvents(body io.ReadCloser, limit int64, tell func()) *boundedEvents {
	b := &boundedEvents{Closer: body, in: bufio.NewScanner(body), limit: limit, tell: tell}
	b.in.Buffer(nil, int(limit)+len("data: "))
	return b
}

func (b *boundedEvents) Read(p []byte) (int, error) {
	for b.out.Len() == 0 {
		if err := b.event(); err != nil {
			return 0, err
		}
	}
	return b.out.Read(p)
}

// event reads the next event.
func (b *boundedEvents) event() error {
	b.out.Reset()
	var data []byte
	for b.in.Scan() {
		line := b.in.Bytes()
		if len(line) == 0 {
			if decode(data) != nil {
				b.out.WriteByte('\n')
				return nil
			}
			err := b.noise.count(time.Now(), b.out.Len()+1)
			if len(data) > 0 {
				b.out.Reset()
			}
			b.out.WriteByte('\n')
			return err
		}
		if int64(b.out.Len()+len(line)) > b.limit {
			b.tell()
			return errBody
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
		}
		b.out.Write(line)
		b.out.WriteByte('\n')
	}
	if errors.Is(b.in.Err(), bufio.ErrTooLong) {
		b.tell()
		return errBody
	}
	b.out.Reset() // an event without its end is none
	return cmp.Or(b.in.Err(), io.EOF)
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
