package opencode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Limits of requests to the agent's server.
const (
	// callTime is how long a request may take, but for those that make the server read its
	// configuration, and maxBody how long an answer may be, in bytes: messages hold what tools said.
	callTime = 30 * time.Second
	maxBody  = 32 << 20
	// maxReason is how much is shown of what the server says of a failure, in bytes.
	maxReason = 1 << 10
)

// api is the HTTP API of an opencode on this machine. Its methods may be called from many goroutines.
type api struct {
	url, user, password string // url has no slash at its end
	client              *http.Client
}

// newAPI returns the API at a URL. There is no proxy, since the server is on this machine, and no
// redirect, since a redirected request would take the password along.
func newAPI(url, user, password string) *api {
	return &api{
		url: url, user: user, password: password,
		client: &http.Client{
			Transport:     &http.Transport{DialContext: new(net.Dialer).DialContext, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// close closes the connections that nobody uses.
func (a *api) close() { a.client.CloseIdleConnections() }

// refusal is an answer of the server's that is no success. Its text is the server's.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the agent's server says %d %s%s", r.status, http.StatusText(r.status), after(": ", r.reason))
}

// after puts a text after a mark, unless it is empty.
func after(mark, s string) string {
	if s == "" {
		return ""
	}
	return mark + s
}

// errTooLong means that an answer is longer than maxBody.
var errTooLong = fmt.Errorf("the answer of the agent's server is longer than %s", text.FormatSize(maxBody))

// refused reports whether an error is an answer of one of these statuses.
func refused(err error, statuses ...int) bool {
	var r *refusal
	if !errors.As(err, &r) {
		return false
	}
	for _, s := range statuses {
		if r.status == s {
			return true
		}
	}
	return false
}

// errLate is the error of a request that took longer than callTime.
var errLate = fmt.Errorf("the agent's server has not answered within %v", callTime)

// call sends a request and reads the answer into out, unless that is nil. in is sent as JSON, unless it
// is nil. The error is a *refusal, errTooLong, the cause of ctx's end, or says what is wrong on the way.
func (a *api) call(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, callTime, errLate)
	defer cancel()
	return a.callSlow(ctx, method, path, in, out)
}

// callSlow is call without a limit of its own.
func (a *api) callSlow(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	resp, err := a.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case err != nil:
		return cause(ctx, err)
	case len(data) > maxBody:
		return errTooLong
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return &refusal{resp.StatusCode, reasonOf(data)}
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("the answer of the agent's server to %s cannot be read: %w", path, err)
	}
	return nil
}

// do sends a request.
func (a *api) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if a.password != "" {
		req.SetBasicAuth(a.user, a.password)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, cause(ctx, err)
	}
	return resp, nil
}

// cause returns why a context has ended or, if it has not, the error.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// reasonOf returns what the body of a refusal says, in one line.
func reasonOf(body []byte) string {
	var f failure
	if json.Unmarshal(body, &f) == nil && f.reason() != "" {
		return f.line()
	}
	return text.Line(string(body[:min(len(body), 4*maxReason)]), maxReason)
}

// line returns what went wrong in one line that can be shown, "" if that is not told. The lines after
// the first are the places in opencode's own code.
func (f *failure) line() string {
	first, _, _ := strings.Cut(f.reason(), "\n")
	return text.Line(first, maxReason)
}
