package face

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	itext "github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// MaxParked is how many calls of one caller may wait for the request that brings an answer.
	MaxParked = 32
	// ParkTime is how long such a call waits before it is canceled: its client has gone.
	ParkTime = 15 * time.Minute
	// questionText is the longest question, in bytes.
	questionText = 8 << 10
	// questionTitle is the longest title of one of several questions, in bytes.
	questionTitle = 120
	// answerKey is the one property of the form, and the one request for input.
	answerKey = "answer"
)

// revisionStateless is the revision from which on a server asks nothing by itself: a result says
// what input is required, and the client sends the request again.
const revisionStateless = "2026-07-28"

// stateless reports whether a request is of a revision without requests to the client.
func stateless(req *mcp.CallToolRequest) bool { return req.ProtocolVersion() >= revisionStateless }

// elicits reports whether the client can show its person a form.
func elicits(req *mcp.CallToolRequest) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// form returns a question as an elicitation.
func (q *Question) form() *mcp.ElicitParams {
	properties, required := map[string]any{}, []string{}
	for i := range q.Fields {
		key := fieldKey(i)
		properties[key] = q.Fields[i].property()
		if !q.Fields[i].Many {
			required = append(required, key)
		}
	}
	if len(q.Fields) == 0 {
		properties[answerKey], required = (&Field{Title: "Answer", Options: q.Options}).property(), []string{answerKey}
	}
	return &mcp.ElicitParams{
		Mode: "form", Message: itext.ShowLines(itext.Shorten(q.Text, questionText)),
		RequestedSchema: map[string]any{"type": "object", "properties": properties, "required": required},
	}
}

// fieldKey is the property of one of several questions. Clients show them in the order of names.
func fieldKey(i int) string { return fmt.Sprintf("%s_%02d", answerKey, i+1) }

// property returns a question as a property of a form.
func (f *Field) property() map[string]any {
	p := map[string]any{"type": "string", "title": itext.Line(f.Title, questionTitle)}
	description := f.Text
	ids, labels := make([]string, len(f.Options)), make([]string, len(f.Options))
	for i, o := range f.Options {
		ids[i], labels[i] = o.ID, o.Label
		if o.Label == "" {
			labels[i] = o.ID
		}
	}
	switch {
	case f.Many:
		description += " (any number of these, with commas: " + strings.Join(ids, ", ") + ")"
	case len(ids) > 0:
		p["enum"], p["enumNames"] = ids, labels
	}
	if description != "" {
		p["description"] = itext.ShowLines(itext.Shorten(description, questionText))
	}
	return p
}

// take gives the answer of a person: one who declines chooses the refusal, if there is one. A form
// that was dismissed answers nothing.
func (q *Question) take(ctx context.Context, res *mcp.ElicitResult) error {
	switch said, _ := res.Content[answerKey].(string); {
	case res.Action == "accept" && len(q.Fields) > 0:
		return q.Answer(ctx, q.answers(res.Content))
	case res.Action == "accept" && said != "":
		return q.Answer(ctx, said)
	case res.Action == "decline" && q.Refusal != "":
		return q.Answer(ctx, q.Refusal)
	}
	return nil
}

// answers returns the answers of a form with several questions.
func (q *Question) answers(content map[string]any) string {
	all := make([][]string, len(q.Fields))
	for i := range q.Fields {
		all[i] = []string{}
		if s, _ := content[fieldKey(i)].(string); s != "" {
			all[i] = append(all[i], s)
		}
	}
	b, err := itext.JSON(map[string]any{"answers": all})
	if err != nil { // strings have a JSON form
		panic(err)
	}
	return string(b)
}

// asking is an elicitation that is under way.
type asking struct {
	stop context.CancelFunc
	done chan struct{}
}

// elicit puts a question to the client of an older revision. The answer counts when it comes; an
// answer that somebody else gives withdraws the question.
func (a *attendance) elicit(ctx context.Context, q *Question) {
	ctx, stop := context.WithCancel(ctx)
	a.asks = &asking{stop: stop, done: make(chan struct{})}
	go func(done chan struct{}) { // withdraw waits for it
		defer close(done)
		res, err := a.req.Session.Elicit(ctx, q.form())
		if err == nil {
			err = q.take(ctx, res)
		}
		if err != nil && ctx.Err() == nil {
			a.f.o.Log.Warn("an answer to an elicitation does not count", "tool", a.r.name, "error", err)
		}
	}(a.asks.done)
}

// withdraw ends the elicitation that is under way and waits for it.
func (a *attendance) withdraw() {
	if a.asks != nil {
		a.asks.stop()
		<-a.asks.done
		a.asks = nil
	}
}

// parked are the calls whose clients have been told what they ask, by the states that clients give
// back.
type parked struct {
	mu    sync.Mutex
	calls map[string]*parkedCall
}

type parkedCall struct {
	r     *running
	q     *Question
	timer *time.Timer
}

// park ends a request with a question. nil means that too many calls wait already: the request then
// goes on waiting.
func (f *Face) park(r *running, q *Question) *mcp.CallToolResult {
	state := rand.Text()
	f.parked.mu.Lock()
	defer f.parked.mu.Unlock()
	if len(f.parked.calls) >= MaxParked {
		return nil
	}
	if f.parked.calls == nil {
		f.parked.calls = make(map[string]*parkedCall)
	}
	c := &parkedCall{r: r, q: q}
	c.timer = time.AfterFunc(ParkTime, func() {
		if f.parked.take(state) != nil {
			r.cancel(fmt.Errorf("its client has not come back within %s", ParkTime))
		}
	})
	f.parked.calls[state] = c
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{answerKey: q.form()}, RequestState: state}
}

// take removes and returns a call, nil for none.
func (p *parked) take(state string) *parkedCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[state]
	if c != nil {
		c.timer.Stop()
		delete(p.calls, state)
	}
	return c
}

func (p *parked) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) == 0
}

// dismiss stops the timers of all parked calls.
func (p *parked) dismiss() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		c.timer.Stop()
	}
	p.calls = nil
}

// resume goes on with a call whose client brings an answer.
func (f *Face) resume(ctx context.Context, name string, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := f.parked.take(req.Params.RequestState)
	if c == nil {
		return nil, invalid("requestState: no call of this caller waits under it")
	}
	if c.r.name != name || !sameJSON(c.r.arguments, req.Params.Arguments) {
		c.r.cancel(fmt.Errorf("it was resumed as another call"))
		<-c.r.done
		return nil, invalid("requestState: the call that waits under it has another name or other arguments; it is canceled")
	}
	if res, ok := req.Params.InputResponses[answerKey].(*mcp.ElicitResult); ok {
		if err := c.q.take(ctx, res); err != nil {
			f.o.Log.Warn("an answer to an elicitation does not count", "tool", name, "error", err)
		}
	}
	return f.attend(ctx, req, c.r, c.q.ID)
}

func invalid(words string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: words}
}

// sameJSON reports whether two values are the same, however they are written. No value is {}.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any = map[string]any{}, map[string]any{}
	if len(a) > 0 && json.Unmarshal(a, &x) != nil || len(b) > 0 && json.Unmarshal(b, &y) != nil {
		return string(a) == string(b)
	}
	return reflect.DeepEqual(x, y)
}
