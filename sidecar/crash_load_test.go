package sidecar_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
)

// load runs clients until the sidecar is gone. The function it returns waits for
// them.
func (w *witness) load(r *running) func() {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	c := r.client()
	var wg sync.WaitGroup
	forever := func(what string, f func(n int) error) {
		wg.Go(func() {
			for n := 0; ; n++ {
				if err := f(n); err != nil {
					w.mu.Lock()
					w.ended = append(w.ended, fmt.Errorf("%s: %w", what, err))
					w.mu.Unlock()
					return
				}
			}
		})
	}
	for range 2 {
		forever("echo", func(n int) error { return w.send(ctx, c, fmt.Sprint("echo ", n), false) })
		forever("stream", func(n int) error { return w.follow(ctx, c, fmt.Sprint("stream ", n)) })
		forever("ask", func(n int) error { return w.follow(ctx, c, fmt.Sprint("ask ", n)) })
	}
	forever("begin", func(n int) error { return w.send(ctx, c, fmt.Sprint("echo ", n), true) })
	forever("cancel", func(n int) error { return w.cancel(ctx, c) })
	forever("call", func(n int) error { return w.call(ctx, c, n) })
	return func() {
		wg.Wait()
		cancel()
	}
}

func (w *witness) send(ctx context.Context, c *client.Client, text string, atOnce bool) error {
	result, err := c.Send(ctx, &a2a.SendRequest{Message: userMessage(text), ReturnImmediately: atOnce})
	if err != nil {
		return err
	}
	w.snapshot(result.Task)
	if !atOnce {
		return nil
	}
	task, err := c.Get(ctx, &a2a.GetRequest{ID: result.Task.ID})
	if err == nil {
		w.snapshot(task)
	}
	return err
}

// follow streams a turn to its end. It answers what it asks, where the stream ends,
// and comes back for what follows.
func (w *witness) follow(ctx context.Context, c *client.Client, text string) error {
	stream, err := c.Stream(ctx, &a2a.SendRequest{Message: userMessage(text)})
	for err == nil {
		var id string
		var asked uint64
		id, asked, err = w.read(ctx, stream)
		stream.Close()
		if err != nil || asked == 0 {
			return err
		}
		if err = w.answer(ctx, c, id); err == nil {
			stream, err = c.Subscribe(ctx, &a2a.SubscribeRequest{ID: id, After: asked})
		}
	}
	return err
}

// read reads a stream up to the task's end, or to a question: it returns that
// event.
func (w *witness) read(ctx context.Context, stream a2a.Stream) (id string, asked uint64, err error) {
	for err == nil {
		var events []*a2a.Event
		events, err = stream.Next(ctx)
		for _, e := range events {
			id, state := w.event(e)
			switch {
			case state.Terminal():
				return id, 0, nil
			case state == a2a.StateInputRequired:
				return id, e.ID, nil
			}
		}
	}
	return "", 0, err
}

// answer answers a task's question.
func (w *witness) answer(ctx context.Context, c *client.Client, id string) error {
	m := userMessage("this one")
	m.TaskID = id
	result, err := c.Send(ctx, &a2a.SendRequest{Message: m, ReturnImmediately: true})
	if err != nil {
		return err
	}
	w.note(id, func(t *account) { t.messages = append(t.messages, m.ID) })
	w.snapshot(result.Task)
	return nil
}

func (w *witness) cancel(ctx context.Context, c *client.Client) error {
	result, err := c.Send(ctx, &a2a.SendRequest{Message: userMessage("hold"), ReturnImmediately: true})
	if err != nil {
		return err
	}
	w.snapshot(result.Task)
	task, err := c.Cancel(ctx, &a2a.CancelRequest{ID: result.Task.ID})
	if err != nil {
		return err
	}
	w.snapshot(task)
	return nil
}

func (w *witness) call(ctx context.Context, c *client.Client, n int) error {
	reply, err := c.CallTool(ctx, &a2a.ToolRequest{Name: "test.cat", Arguments: fmt.Appendf(nil, `{"n":%d}`, n)})
	if err != nil {
		return err
	}
	if reply.Status == 200 {
		w.note(reply.TaskID, func(t *account) { t.state, t.envelope = a2a.StateCompleted, string(reply.Envelope) })
	}
	return nil
}
