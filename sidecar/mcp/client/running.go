package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The bounds of one call.
const (
	maxRounds    = 16 // answers that want more input (2026-07-28)
	maxQuestions = 32 // questions altogether
)

// progress is one report.
type progress struct {
	done, total float64
	message     string
}

// running is a call that runs.
type running struct {
	listener Listener // nil: nobody listens
	trace    string
	progress chan progress
	reports  int             // of progress that the listener has heard
	ctx      context.Context // ends with the call

	mu        sync.Mutex
	over      bool
	questions int
	asking    sync.WaitGroup
}

// enter reports whether a question may be asked: the call has not ended, and has not asked too
// often. Each enter needs a leave.
func (c *running) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.listener == nil || c.questions >= maxQuestions {
		return false
	}
	c.questions++
	c.asking.Add(1)
	return true
}

func (c *running) leave() { c.asking.Done() }

// end waits until nobody uses the listener any more.
func (c *running) end() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.asking.Wait()
}

// report tells the listener how far the call is.
func (c *running) report(p progress) {
	c.reports++
	c.listener.Progress(p.done, p.total, p.message)
}

// drain reports what came before the answer. A nil call has nothing to report.
func (c *running) drain() {
	for c != nil {
		select {
		case p := <-c.progress:
			c.report(p)
		default:
			return
		}
	}
}

// call calls a tool, in as many rounds as the server needs.
func (s *session) call(ctx context.Context, call Call) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &running{listener: call.Listener, trace: call.TraceParent, progress: make(chan progress, maxProgress), ctx: ctx}
	defer c.end() // after the context has ended
	defer cancel()
	arguments := call.Arguments
	if len(bytes.TrimSpace(arguments)) == 0 {
		arguments = json.RawMessage("{}")
	}
	params := map[string]any{"name": call.Tool, "arguments": arguments}
	for round := range maxRounds {
		raw, err := s.request(ctx, &outgoing{method: "tools/call", params: params, call: c})
		if err != nil {
			return nil, err
		}
		r, more, err := readResult(raw)
		if more == nil {
			return r, err
		}
		if err := c.pause(ctx, round, more); err != nil {
			return nil, err
		}
		if params["inputResponses"], err = c.answers(ctx, more.Requests); err != nil {
			return nil, err
		}
		delete(params, "requestState")
		if more.State != nil {
			params["requestState"] = more.State
		}
	}
	return nil, fmt.Errorf("%w: the server wants input for the %dth time", ErrProtocol, maxRounds+1)
}

// pause waits before a round in which the server wants nothing but to be asked later.
func (c *running) pause(ctx context.Context, round int, more *inputRequired) error {
	if len(more.Requests) > 0 {
		return nil
	}
	t := time.NewTimer(backoff(round))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answers asks what the server needs to know before it goes on.
func (c *running) answers(ctx context.Context, questions map[string]question) (map[string]any, error) {
	answers := make(map[string]any, len(questions))
	for _, id := range slices.Sorted(maps.Keys(questions)) {
		q := questions[id]
		if !c.enter() {
			if c.listener != nil {
				return nil, fmt.Errorf("%w: the server asks more than %d questions", ErrProtocol, maxQuestions)
			}
			if q.Method != "elicitation/create" {
				return nil, fmt.Errorf("%w: the server asks for what nobody here answers: %s", ErrProtocol, text.Quote(q.Method, maxVersion))
			}
			answers[id] = map[string]any{"action": "decline"}
			continue
		}
		answer, err := c.ask(ctx, q.Method, q.Params)
		c.leave()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: the server asked, and got no answer: %s", ErrProtocol, words(err))
		}
		answers[id] = answer
	}
	return answers, nil
}

// ask asks the listener. The error is a *jsonrpc.Error if the question was wrong.
func (c *running) ask(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if len(params) > maxQuestion {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the question is longer than " + text.FormatSize(maxQuestion)}
	}
	switch method {
	case "elicitation/create":
		return c.elicit(ctx, params)
	case "sampling/createMessage":
		return c.sample(ctx, params)
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client has no such method"}
}

func (c *running) elicit(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		URL     string          `json:"url"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid("the question is no object")
	}
	e := Elicitation{Message: text.Strip(p.Message), Schema: p.Schema, URL: p.URL}
	switch {
	case p.Mode == "url" || p.Mode == "" && p.URL != "":
		if e.Schema = nil; !forPeople(p.URL) {
			return nil, invalid("the URL is not one of http or https with a host, or has characters that cannot be seen")
		}
	case p.Mode != "" && p.Mode != "form":
		return nil, invalid("this mode is not known")
	case p.URL != "":
		return nil, invalid("a form has no URL")
	case len(p.Schema) == 0 || p.Schema[0] != '{':
		return nil, invalid("a form needs a requestedSchema")
	}
	answer, err := c.listener.Elicit(ctx, e)
	if err != nil {
		return nil, err
	}
	reply := map[string]any{"action": answer.Action}
	if answer.Action == "accept" && e.URL == "" {
		if reply["content"] = answer.Content; len(answer.Content) == 0 {
			reply["content"] = struct{}{}
		}
	}
	return reply, nil
}

// forPeople reports whether a person can be sent to a URL.
func forPeople(s string) bool {
	u, err := url.Parse(s)
	return err == nil && text.Visible(s) && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

func (c *running) sample(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		System    string `json:"systemPrompt"`
		MaxTokens int64  `json:"maxTokens"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid("the request is none")
	}
	s := Sampling{System: text.Strip(p.System), MaxTokens: p.MaxTokens}
	for _, m := range p.Messages {
		blocks, err := readBlocks(m.Content)
		if err != nil || m.Role != "user" && m.Role != "assistant" {
			return nil, invalid("a message has no role or no content")
		}
		s.Messages = append(s.Messages, SamplingMessage{Role: m.Role, Content: blocks})
	}
	answer, err := c.listener.Sample(ctx, s)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"role": "assistant", "model": answer.Model, "stopReason": "endTurn",
		"content": map[string]any{"type": "text", "text": answer.Text},
	}, nil
}

func invalid(why string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: why}
}

// called makes the errors of a call from those of its request.
func (i *instance) called(ctx context.Context, err error) error {
	var e *jsonrpc.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrTooLarge):
		return fmt.Errorf("%w: MCP server %s sent more than %s", ErrTooLarge, i.cfg.Slug, text.FormatSize(i.cfg.MaxMessage))
	case errors.Is(err, errNotSent):
		return fmt.Errorf("%w: MCP server %s: %w", ErrUnavailable, i.cfg.Slug, err)
	case errors.As(err, &e):
		return protocolError(e)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}
