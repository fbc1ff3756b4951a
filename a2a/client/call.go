package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// call makes a JSON-RPC request and returns its result.
func (c *Client) call(ctx context.Context, method string, p *a2a.Params, params []byte) (json.RawMessage, error) {
	req, err := c.request(ctx, http.MethodPost, cmp.Or(c.Path, "/"), p, encodeCall(method, params))
	if err != nil {
		return nil, err
	}
	resp, body, err := c.do(req)
	if err != nil {
		return nil, err
	}
	return resultOf(resp, body)
}

// encodeCall returns a request. A connection carries one request at a time, so that the id
// need not be unique.
func encodeCall(method string, params []byte) []byte {
	b := make([]byte, 0, len(params)+96)
	b = append(b, `{"jsonrpc":"2.0","id":1,"method":"`...)
	b = append(b, method...)
	b = append(b, `","params":`...)
	b = append(b, params...)
	return append(b, '}')
}

// resultOf returns the result in a response, or the error that it is.
func resultOf(resp *http.Response, body []byte) (json.RawMessage, error) {
	var answer struct {
		Result json.RawMessage
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Result == nil {
		return nil, httpError(resp, body)
	}
	return answer.Result, nil
}

// httpError returns the error of an answer that is not a result. It reads the form of
// JSON-RPC or of REST, or else only the status.
func httpError(resp *http.Response, body []byte) error {
	var answer struct {
		Error json.RawMessage
	}
	if json.Unmarshal(body, &answer) == nil && len(answer.Error) > 0 {
		if e := codec.DecodeError(answer.Error); e != nil {
			e.RetryAfter, _ = strconv.Atoi(resp.Header.Get("Retry-After"))
			return e
		}
	}
	return &ForeignError{URL: resp.Request.URL.String(), Status: resp.Status, Type: mediaType(resp), Text: excerpt(body)}
}

// ForeignError is an answer that no A2A server gives: something else listens there.
type ForeignError struct {
	URL, Status string
	// Type is the media type of the answer, "" for none. Text is the beginning of the
	// answer, "" if it is a page for a browser.
	Type, Text string
}

func (e *ForeignError) Error() string { return "a2a: " + e.URL + " answered " + e.Answer() }

// Answer describes what was answered, without the address.
func (e *ForeignError) Answer() string {
	s := e.Status
	if e.Type != "" {
		s += ", " + e.Type
	}
	if e.Text != "" {
		s += fmt.Sprintf(": %q", e.Text)
	}
	return s
}

func mediaType(resp *http.Response) string {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind
}

// excerpt returns the beginning of a text, "" for a page.
func excerpt(body []byte) string {
	const most = 200
	said := strings.TrimSpace(string(body))
	if strings.HasPrefix(said, "<") {
		return ""
	}
	return text.Cut(said, most)
}

// stream makes a JSON-RPC request that is answered by a stream, which continues after the
// event with the ID after, unless that is 0.
func (c *Client) stream(ctx context.Context, method string, p *a2a.Params, params []byte, after uint64) (a2a.Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	req, err := c.request(ctx, http.MethodPost, cmp.Or(c.Path, "/"), p, encodeCall(method, params))
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Accept", a2a.TypeSSE)
	if after != 0 {
		req.Header.Set(a2a.HeaderLastEventID, strconv.FormatUint(after, 10))
	}
	resp, err := c.hc.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && kind == a2a.TypeSSE {
		st := &stream{resp: resp, cancel: cancel, sse: newSSEReader(resp.Body, c.maxFrame())}
		if resp.ContentLength >= 0 {
			return st.peek(ctx)
		}
		return st, nil
	}
	defer cancel()
	defer resp.Body.Close()
	body, err := c.read(resp)
	if err != nil {
		return nil, err
	}
	if _, err := resultOf(resp, body); err != nil {
		return nil, err
	}
	return nil, a2a.ErrInvalidAgentResponse.With("the server answered %s with a result, not with a stream", method)
}
