package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// call makes a JSON-RPC request and returns its result.
func (c *Client) call(ctx context.Context, method string, p *Params, params []byte) (json.RawMessage, error) {
	req, err := c.request(ctx, http.MethodPost, "/", p, encodeCall(method, params))
	if err != nil {
		return nil, err
	}
	resp, body, err := c.do(req)
	if err != nil {
		return nil, err
	}
	return rpcAnswer(resp, body)
}

// encodeCall writes a request. One connection carries one at a time, so that
// the id need not be unique.
func encodeCall(method string, params []byte) []byte {
	o := openObject(make([]byte, 0, len(params)+96))
	o.str("jsonrpc", "2.0")
	o.integer("id", 1)
	o.str("method", method)
	o.key("params")
	o.b = append(o.b, params...)
	return o.close()
}

// rpcAnswer returns the result in a response, or the error that it is.
func rpcAnswer(resp *http.Response, body []byte) (json.RawMessage, error) {
	var answer struct {
		Result json.RawMessage
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Result == nil {
		return nil, httpError(resp, body)
	}
	return answer.Result, nil
}

// httpError returns the fault that an answer other than a result tells: in
// JSON-RPC's words, in REST's, or by its status alone.
func httpError(resp *http.Response, body []byte) error {
	var answer struct {
		Error json.RawMessage
	}
	if json.Unmarshal(body, &answer) == nil && len(answer.Error) > 0 {
		if e := decodeError(answer.Error); e != nil {
			e.RetryAfter, _ = strconv.Atoi(resp.Header.Get("Retry-After"))
			return e
		}
	}
	return &ForeignError{URL: resp.Request.URL.String(), Status: resp.Status, Type: mediaType(resp), Text: excerpt(body)}
}

// ForeignError is an answer that no A2A server gives: something else listens there.
type ForeignError struct {
	URL, Status string
	// Type is the media type of the answer, "" for none. Text is the beginning of
	// it, "" where it is a page for a browser.
	Type, Text string
}

func (e *ForeignError) Error() string { return "a2a: " + e.URL + " answered " + e.Answer() }

// Answer is what was answered, without where.
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

// excerpt is the beginning of a text, "" of a page.
func excerpt(body []byte) string {
	const most = 200
	said := strings.TrimSpace(string(body))
	if strings.HasPrefix(said, "<") {
		return ""
	}
	return text.Cut(said, most)
}

// decodeError reads an error object of JSON-RPC, or a status of REST; nil when
// it is neither.
func decodeError(raw json.RawMessage) *Error {
	var fault struct {
		Code    int
		Message string
		Details []struct{ Reason string }
	}
	if json.Unmarshal(raw, &fault) != nil || fault.Code == 0 {
		return nil
	}
	for _, known := range wireErrors() {
		named := len(fault.Details) > 0 && fault.Details[0].Reason == known.Reason
		if named || fault.Code == known.Code {
			e := *known
			e.Message, e.RetryAfter = fault.Message, 0
			return &e
		}
	}
	return &Error{Code: fault.Code, HTTP: http.StatusInternalServerError, Status: ErrInternal.Status, Reason: ErrInternal.Reason, Message: fault.Message}
}

// wireErrors lists the table of errors.go.
func wireErrors() []*Error {
	return []*Error{
		ErrTaskNotFound, ErrTaskNotCancelable, ErrPushNotSupported, ErrUnsupportedOperation, ErrContentType,
		ErrInvalidAgentResponse, ErrNoExtendedCard, ErrExtensionRequired, ErrVersionNotSupported, ErrBusy,
		ErrUnavailable, ErrUnauthenticated, ErrParse, ErrInvalidRequest, ErrMethodNotFound, ErrInvalidParams, ErrInternal,
	}
}

// stream makes a JSON-RPC request that is answered by a stream, which goes on
// after an event if it is not 0.
func (c *Client) stream(ctx context.Context, method string, p *Params, params []byte, after uint64) (Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	req, err := c.request(ctx, http.MethodPost, "/", p, encodeCall(method, params))
	if err != nil {
		cancel()
		return nil, err
	}
	req.Header.Set("Accept", typeSSE)
	if after != 0 {
		req.Header.Set(lastEventID, strconv.FormatUint(after, 10))
	}
	resp, err := c.hc.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && kind == typeSSE {
		st := &clientStream{resp: resp, cancel: cancel, sse: newSSEReader(resp.Body, c.maxFrame())}
		if resp.ContentLength >= 0 {
			return st.whole(ctx)
		}
		return st, nil
	}
	defer cancel()
	defer resp.Body.Close()
	body, err := c.read(resp)
	if err != nil {
		return nil, err
	}
	if _, err := rpcAnswer(resp, body); err != nil {
		return nil, err
	}
	return nil, ErrInvalidAgentResponse.With("the server answered %s with a result, not with a stream", method)
}

// encodeSendParams writes the params of a send in 1.0.
func encodeSendParams(r *SendRequest) []byte {
	o := openObject(nil)
	o.key("message")
	o.b = shape10.message(o.b, &r.Message)
	if r.HistoryLength != nil || r.ReturnImmediately || len(r.AcceptedModes) > 0 || r.Push != nil {
		o.key("configuration")
		conf := openObject(o.b)
		conf.optStrs("acceptedOutputModes", r.AcceptedModes)
		conf.optInteger("historyLength", r.HistoryLength)
		conf.optTrue("returnImmediately", r.ReturnImmediately)
		if r.Push != nil {
			conf.key("taskPushNotificationConfig")
			conf.b = appendPush10(conf.b, r.Push)
		}
		o.b = conf.close()
	}
	o.optMetadata(r.Metadata)
	return o.close()
}

// encodeListParams writes the params of a list in 1.0.
func encodeListParams(r *ListRequest) []byte {
	o := openObject(nil)
	o.optStr("contextId", r.ContextID)
	o.optStr("status", string(r.State))
	if r.PageSize != 0 {
		o.integer("pageSize", r.PageSize)
	}
	o.optStr("pageToken", r.PageToken)
	o.optInteger("historyLength", r.HistoryLength)
	o.optStr("statusTimestampAfter", r.StatusAfter)
	o.optTrue("includeArtifacts", r.IncludeArtifacts)
	return o.close()
}
