package face

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	itext "github.com/a2a-sidecar/sidecar/internal/text"
)

// progressText is the longest text of a progress notification, in bytes.
const progressText = 240

// running is a call that goes on or has ended. Requests attend it: one at a time, and from
// 2026-07-28 on, if it asks, several one after the other.
type running struct {
	name      string
	arguments json.RawMessage
	began     time.Time
	cancel    context.CancelCauseFunc
	changed   chan struct{} // gets a value after a new state
	done      chan struct{}

	mu    sync.Mutex
	state State

	// These are set before done is closed.
	res *Result
	err error
}

// dispatch carries out tools/call.
func (f *Face) dispatch(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, _ := ctx.Value(nameKey{}).(string)
	if req.Params.RequestState != "" {
		return f.resume(ctx, name, req)
	}
	switch own, err := f.searches(ctx, name); {
	case err != nil:
		return unavailable(err), nil
	case own:
		return f.search(ctx, req.Params.Arguments)
	}
	f.loaded.used(name)
	r, err := f.start(ctx, name, req)
	if err != nil {
		return unavailable(err), nil
	}
	return f.attend(ctx, req, r, "")
}

// start begins a call. It does not end with the request's context: attend sees to that.
func (f *Face) start(ctx context.Context, name string, req *mcp.CallToolRequest) (*running, error) {
	f.closing.Lock()
	defer f.closing.Unlock()
	if f.ctx.Err() != nil {
		return nil, context.Cause(f.ctx)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &running{
		name: name, arguments: req.Params.Arguments, began: time.Now(), cancel: cancel,
		changed: make(chan struct{}, 1), done: make(chan struct{}),
	}
	c := &Call{Name: name, Arguments: req.Params.Arguments, TraceParent: traceParent(req), Heed: r.heed}
	f.work.Go(func() {
		defer close(r.done)
		defer cancel(nil)
		defer context.AfterFunc(f.ctx, func() { cancel(context.Cause(f.ctx)) })()
		defer func() {
			if v := recover(); v != nil {
				f.o.Log.Error("panic in a tool call over MCP", "tool", name, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				r.err = errors.New("internal error")
			}
		}()
		r.res, r.err = f.b.Call(ctx, c)
	})
	return r, nil
}

// traceParent returns the W3C traceparent of a request, "" for none.
func traceParent(req *mcp.CallToolRequest) string {
	if s, ok := req.Params.Meta["traceparent"].(string); ok {
		return s
	}
	if req.Extra != nil {
		return req.Extra.Header.Get("Traceparent")
	}
	return ""
}

func (r *running) heed(s State) {
	r.mu.Lock()
	r.state = s
	r.mu.Unlock()
	select {
	case r.changed <- struct{}{}:
	default: // nobody has seen the last one yet
	}
}

func (r *running) now() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// attend waits until a call has ended, tells the client of it meanwhile, and asks the client what
// the call asks, except the question asked, which it has put already. When the request ends, the
// call is canceled.
func (f *Face) attend(ctx context.Context, req *mcp.CallToolRequest, r *running, asked string) (*mcp.CallToolResult, error) {
	a := &attendance{f: f, r: r, req: req, asked: asked, answers: make(chan struct{}, 1)}
	defer a.withdraw()
	tick := time.NewTicker(f.o.Progress)
	defer tick.Stop()
	for {
		if parked := a.look(ctx); parked != nil {
			return parked, nil
		}
		select {
		case <-r.done:
			f.keepFound(ctx, r)
			return f.finish(r)
		case <-ctx.Done():
			r.cancel(context.Cause(ctx))
			<-r.done
			return f.finish(r)
		case <-r.changed:
		case <-a.answers:
		case <-tick.C:
			a.tell(ctx)
		}
	}
}

// finish returns the result of a call that has ended.
func (f *Face) finish(r *running) (*mcp.CallToolResult, error) {
	if r.err != nil {
		return unavailable(r.err), nil
	}
	return f.render(r.name, r.res)
}

// attendance is one request that waits for a call. It belongs to the request's goroutine.
type attendance struct {
	f   *Face
	r   *running
	req *mcp.CallToolRequest

	told    int    // how often the client was told
	waiting string // what the call waited for when it last was
	asked   string // the question that was put
	answers chan struct{}
	asks    *asking // the elicitation that is under way, nil for none
}

// look acts on the call's state. A result means that the request ends with a question.
func (a *attendance) look(ctx context.Context) *mcp.CallToolResult {
	s := a.r.now()
	if a.asks != nil && (s.Question == nil || s.Question.ID != a.asked) {
		a.withdraw()
	}
	waits := s.Approval
	if s.Asks {
		waits = "?" + s.Text
	}
	if waits != a.waiting {
		if a.waiting = waits; waits != "" {
			a.tell(ctx)
		}
	}
	if q := s.Question; q != nil && q.ID != a.asked && elicits(a.req) {
		a.asked = q.ID
		if stateless(a.req) {
			return a.f.park(a.r, q)
		}
		a.elicit(ctx, q)
	}
	return nil
}

// tell tells the client that the call goes on, if it wants to know.
func (a *attendance) tell(ctx context.Context) {
	token := a.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	a.told++
	// An error is that of a client that has gone, or does not read.
	_ = a.req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: token, Progress: float64(a.told), Message: a.r.words(),
	})
}

// words says what the call does now.
func (r *running) words() string {
	s := r.now()
	said := itext.Line(s.Text, progressText)
	switch {
	case s.Approval != "":
		return "waiting for approval " + s.Approval
	case s.Asks && said != "":
		return "waiting for an answer: " + said
	case s.Asks:
		return "waiting for an answer"
	case said != "":
		return said
	}
	return fmt.Sprintf("running for %s", time.Since(r.began).Round(time.Second))
}
