package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// echo sends a text and wants it back.
func (s *soaked) echo(ctx context.Context) error {
	begin := time.Now()
	text := a2a.NewID()
	result, err := s.client().Send(ctx, &a2a.SendRequest{Message: userMessage(text)})
	if err != nil {
		return fmt.Errorf("echo: %w", err)
	}
	if got := strings.TrimSpace(artifact(result.Task, "response")); got != text {
		return fmt.Errorf("echo: %q is answered by %q (%s)", text, got, result.Task.Status.State)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = append(s.took, time.Since(begin))
	return nil
}

// follow reads a slow answer to its end.
func (s *soaked) follow(ctx context.Context) error {
	st, err := s.client().Stream(ctx, &a2a.SendRequest{Message: userMessage("slow")})
	if err != nil {
		return fmt.Errorf("follow: %w", err)
	}
	defer st.Close()
	var text strings.Builder
	for {
		events, err := st.Next(ctx)
		for _, e := range events {
			if e.Artifact != nil {
				for _, p := range e.Artifact.Artifact.Parts {
					text.WriteString(p.Text)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("follow: %w", err)
		}
	}
	if n := strings.Count(text.String(), "line "); n != 20 {
		return fmt.Errorf("follow: %d of 20 lines came: %q", n, text.String())
	}
	return nil
}

// comeAndGo starts a slow answer, leaves in its middle, comes back twice and
// sees the end.
func (s *soaked) comeAndGo(ctx context.Context) error {
	st, err := s.client().Stream(ctx, &a2a.SendRequest{Message: userMessage("slow")})
	if err != nil {
		return fmt.Errorf("come and go: %w", err)
	}
	id, err := firstEvents(ctx, st, 3)
	if err != nil {
		return fmt.Errorf("come and go: %w", err)
	}
	for range 2 {
		st, err := s.client().Subscribe(ctx, &a2a.SubscribeRequest{ID: id})
		if errors.Is(err, a2a.ErrUnsupportedOperation) {
			break // it has ended
		}
		if err != nil {
			return fmt.Errorf("coming back: %w", err)
		}
		if _, err := firstEvents(ctx, st, 4); err != nil {
			return fmt.Errorf("coming back: %w", err)
		}
	}
	for {
		task, err := s.client().Get(ctx, &a2a.GetRequest{ID: id})
		if err != nil {
			return fmt.Errorf("come and go: %w", err)
		}
		if task.Status.State.Terminal() {
			if n := strings.Count(artifact(task, "response"), "line "); n != 20 {
				return fmt.Errorf("come and go: %d of 20 lines are kept", n)
			}
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond): // there is nothing else to wait for
		case <-ctx.Done():
			return nil
		}
	}
}

// firstEvents reads so many events of a stream and hangs up.
func firstEvents(ctx context.Context, st a2a.Stream, n int) (task string, err error) {
	defer st.Close()
	for seen := 0; seen < n; {
		events, err := st.Next(ctx)
		for _, e := range events {
			if e.Task != nil {
				task = e.Task.ID
			}
			seen++
		}
		if errors.Is(err, io.EOF) {
			return task, nil
		}
		if err != nil {
			return task, err
		}
	}
	return task, nil
}

// cancel starts what would take minutes and stops it.
func (s *soaked) cancel(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // what is started here nobody else would stop when the soak is over
	result, err := s.client().Send(ctx, &a2a.SendRequest{Message: userMessage("wait"), ReturnImmediately: true})
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	task, err := s.client().Cancel(ctx, &a2a.CancelRequest{ID: result.Task.ID})
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	if task.Status.State != a2a.StateCanceled {
		return fmt.Errorf("cancel: the task is %s", task.Status.State)
	}
	return nil
}

// call runs a tool.
func (s *soaked) call(ctx context.Context) error {
	name, want := "test.cat", http.StatusOK
	if s.calls.Add(1)%4 == 0 { // every fourth is one that fails
		name, want = "test.fail", http.StatusBadGateway
	}
	reply, err := s.client().CallTool(ctx, &a2a.ToolRequest{Name: name, Arguments: []byte(`{"a":1}`)})
	if err != nil {
		return fmt.Errorf("call: %w", err)
	}
	if reply.Status != want {
		return fmt.Errorf("call: %s is answered by %d %s", name, reply.Status, reply.Envelope)
	}
	return nil
}

// list reads a page of the finished tasks, and the first of them whole.
func (s *soaked) list(ctx context.Context) error {
	page, err := s.client().List(ctx, &a2a.ListRequest{State: a2a.StateCompleted, PageSize: 20})
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if len(page.Tasks) == 0 {
		return nil
	}
	if _, err := s.client().Get(ctx, &a2a.GetRequest{ID: page.Tasks[0].ID}); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	return nil
}

// long reads a megabyte.
func (s *soaked) long(ctx context.Context) error {
	result, err := s.client().Send(ctx, &a2a.SendRequest{Message: userMessage("long")})
	if err != nil {
		return fmt.Errorf("long: %w", err)
	}
	if n := len(artifact(result.Task, "response")); n != 1_000_000 {
		return fmt.Errorf("long: %d bytes came", n)
	}
	return nil
}

// stall asks for a megabyte, reads none of it, and goes.
func (s *soaked) stall(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/message:stream",
		strings.NewReader(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"long"}]}}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.http.Do(req)
	if err != nil {
		return fmt.Errorf("stall: %w", err)
	}
	defer res.Body.Close()
	select {
	case <-time.After(time.Second): // as long as it stalls
	case <-ctx.Done():
	}
	return nil
}
