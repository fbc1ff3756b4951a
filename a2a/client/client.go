package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// DefaultMaxFrame is the default size limit of an answer, and of an item of a stream, that
// a Client reads: 64 MiB.
const DefaultMaxFrame = 64 << 20

// Client speaks 1.0 over JSON-RPC to a sidecar. It is safe for use by many
// goroutines once its fields are set.
//
// If the server refuses a request, the error is an *Error with the server's text. A call
// ends with its context; the task that it started does not.
type Client struct {
	// Header is sent with every request.
	Header http.Header
	// MaxFrame limits an answer and an item of a stream in bytes; 0 means DefaultMaxFrame.
	MaxFrame int
	// Path is where JSON-RPC is spoken below the base; "" means "/".
	Path string

	base string
	hc   *http.Client
}

// New returns a client of the server at base, such as http://localhost:8999. A nil hc means
// http.DefaultClient. An http.Client with a Timeout ends long calls and streams: give it
// none and use contexts.
func New(base string, hc *http.Client) *Client {
	if hc == nil {
		hc = http.DefaultClient
	}
	return &Client{base: strings.TrimRight(base, "/"), hc: hc}
}

// CardPath is the path of the agent card, below the agent's address.
const CardPath = "/.well-known/agent-card.json"

// Card returns the agent card.
func (c *Client) Card(ctx context.Context) (*a2a.Document, error) {
	return c.Document(ctx, CardPath)
}

// Tools returns the tool list.
func (c *Client) Tools(ctx context.Context) (*a2a.Document, error) {
	return c.Document(ctx, "/a2a/tools")
}

// SearchTools returns the tools that a query finds, best first; a limit of 0 leaves it to the
// server how many.
func (c *Client) SearchTools(ctx context.Context, query string, limit int) ([]a2a.FoundTool, error) {
	params := url.Values{"query": {query}}
	if limit > 0 {
		params.Set("limit", strconv.Itoa(limit))
	}
	doc, err := c.Document(ctx, "/a2a/tools?"+params.Encode())
	if err != nil {
		return nil, err
	}
	var found []a2a.FoundTool
	if err := json.Unmarshal(doc.Body, &found); err != nil {
		return nil, fmt.Errorf("a2a: what was found is not readable: %w", err)
	}
	return found, nil
}

// EffectiveTools returns the tools that this client's caller has, one row each, as JSON; absent: those
// that it cannot call, too, with the reasons.
func (c *Client) EffectiveTools(ctx context.Context, absent bool) (*a2a.Document, error) {
	path := "/a2a/tools/effective"
	if absent {
		path += "?absent=true"
	}
	return c.Document(ctx, path)
}

// Send delivers a message and waits as r says.
func (c *Client) Send(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error) {
	raw, err := c.call(ctx, "SendMessage", &r.Params, codec.SendParams(r))
	if err != nil {
		return nil, err
	}
	return codec.DecodeSendResult(raw)
}

// Stream delivers a message and returns the task's events as they come. The stream ends
// with ctx, with Close, or with io.EOF when the server ended it. If the context of Next
// ends, the stream is closed.
func (c *Client) Stream(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error) {
	return c.stream(ctx, "SendStreamingMessage", &r.Params, codec.SendParams(r), 0)
}

// Get returns a task.
func (c *Client) Get(ctx context.Context, r *a2a.GetRequest) (*a2a.Task, error) {
	return c.task(ctx, "GetTask", &r.Params, codec.GetParams(r))
}

// List returns one page of tasks. A PageSize of 0 means the server's default.
func (c *Client) List(ctx context.Context, r *a2a.ListRequest) (*a2a.TaskList, error) {
	raw, err := c.call(ctx, "ListTasks", &r.Params, codec.ListParams(r))
	if err != nil {
		return nil, err
	}
	return codec.DecodeTaskList(raw)
}

// Cancel stops a task and returns it as it ended.
func (c *Client) Cancel(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error) {
	return c.task(ctx, "CancelTask", &r.Params, codec.CancelParams(r))
}

// Subscribe follows a task that is not terminal, beginning with a snapshot; see Stream. If
// After is set, it continues with the event after that one, even if the task has ended in
// the meantime; ErrUnsupportedOperation says that there is no such event and never will be.
// A server that has not kept the later events begins with a snapshot even then: Task is set
// in the first event.
func (c *Client) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error) {
	return c.stream(ctx, "SubscribeToTask", &r.Params, codec.SubscribeParams(r), r.After)
}

// CallTool calls a tool directly. A call that the tool or the pipeline refused is a reply
// with its status and envelope; a call that did not get that far is an error.
func (c *Client) CallTool(ctx context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error) {
	args := r.Arguments
	if len(args) == 0 {
		args = []byte("{}")
	}
	req, err := c.request(ctx, http.MethodPost, "/a2a/tools/"+url.PathEscape(r.Name)+toolQuery(r), &r.Params, args)
	if err != nil {
		return nil, err
	}
	resp, body, err := c.do(req)
	if err != nil {
		return nil, err
	}
	var envelope struct{ Type string }
	if json.Unmarshal(body, &envelope) != nil || envelope.Type == "" {
		return nil, httpError(resp, body)
	}
	reply := &a2a.ToolReply{Status: resp.StatusCode, Envelope: body}
	if _, id, ok := strings.Cut(resp.Header.Get("Location"), "/tasks/"); ok {
		reply.TaskID = id
	}
	reply.RetryAfter, _ = strconv.Atoi(resp.Header.Get("Retry-After"))
	return reply, nil
}

// toolQuery returns the parameters of a call with their question mark, "" for none.
func toolQuery(r *a2a.ToolRequest) string {
	query := url.Values{}
	for name, value := range map[string]string{"timeout": r.Timeout, "batch": r.Batch, "onFailure": r.OnFailure} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func (c *Client) task(ctx context.Context, method string, p *a2a.Params, params []byte) (*a2a.Task, error) {
	raw, err := c.call(ctx, method, p, params)
	if err != nil {
		return nil, err
	}
	return codec.DecodeTask(raw)
}

// Document returns what the server has at a path, with its validator.
func (c *Client) Document(ctx context.Context, path string) (*a2a.Document, error) {
	req, err := c.request(ctx, http.MethodGet, path, &a2a.Params{}, nil)
	if err != nil {
		return nil, err
	}
	resp, body, err := c.do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, httpError(resp, body)
	}
	return &a2a.Document{Body: body, ETag: resp.Header.Get("ETag"), Modified: resp.Header.Get("Last-Modified")}, nil
}

// Post sends JSON to a path and returns the answer.
func (c *Client) Post(ctx context.Context, path string, body []byte) ([]byte, error) {
	req, err := c.request(ctx, http.MethodPost, path, &a2a.Params{}, body)
	if err != nil {
		return nil, err
	}
	resp, answer, err := c.do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = httpError(resp, answer)
	}
	return answer, err
}

// Open returns what the server has at a path as it arrives, for long-lived answers. It ends
// with ctx; the caller must close it.
func (c *Client) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := c.request(ctx, http.MethodGet, path, &a2a.Params{}, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.hc.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	body, err := c.read(resp)
	if err != nil {
		return nil, err
	}
	return nil, httpError(resp, body)
}

// Output returns all of a tool's output that was too long for its envelope, by the id of the
// call's task, as it arrives. byteRange asks for a part, in the form of the Range header
// without its unit: "0-99", "100-", "-100"; "" means all. It ends with ctx; the caller must
// close it.
func (c *Client) Output(ctx context.Context, task, byteRange string) (io.ReadCloser, error) {
	req, err := c.request(ctx, http.MethodGet, "/a2a/outputs/"+url.PathEscape(task), &a2a.Params{}, nil)
	if err != nil {
		return nil, err
	}
	want := http.StatusOK
	if byteRange != "" {
		req.Header.Set("Range", "bytes="+byteRange)
		want = http.StatusPartialContent
	}
	resp, err := c.hc.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == want {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		return nil, a2a.ErrInvalidParams.With("the output does not have the range %q: %s", byteRange, resp.Header.Get("Content-Range"))
	}
	body, err := c.read(resp)
	if err != nil {
		return nil, err
	}
	return nil, httpError(resp, body)
}

// request makes a request with the headers that every request has.
func (c *Client) request(ctx context.Context, method, path string, p *a2a.Params, body []byte) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, r)
	if err != nil {
		return nil, fmt.Errorf("a2a: %w", err)
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	req.Header.Set(a2a.HeaderVersion, string(a2a.V10))
	req.Header.Set("Accept", a2a.TypeJSON)
	if body != nil {
		req.Header.Set("Content-Type", a2a.TypeJSON)
	}
	if len(p.Extensions) > 0 {
		req.Header.Set(a2a.HeaderExtensions, strings.Join(p.Extensions, ", "))
	}
	if p.TraceParent != "" {
		req.Header.Set("Traceparent", p.TraceParent)
	}
	return req, nil
}

// do sends req and reads the answer, which may be at most MaxFrame long.
func (c *Client) do(req *http.Request) (*http.Response, []byte, error) {
	resp, err := c.hc.Do(req)
	if err != nil {
		return nil, nil, err // names method and address
	}
	defer resp.Body.Close()
	body, err := c.read(resp)
	return resp, body, err
}

func (c *Client) read(resp *http.Response) ([]byte, error) {
	limit := c.maxFrame()
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("a2a: read the answer: %w", err)
	case len(body) > limit:
		return nil, fmt.Errorf("a2a: the answer is longer than %d bytes", limit)
	}
	return body, nil
}

func (c *Client) maxFrame() int {
	if c.MaxFrame > 0 {
		return c.MaxFrame
	}
	return DefaultMaxFrame
}
