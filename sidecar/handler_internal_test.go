package sidecar

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// lateStore is a task.Store that has nothing durable until somebody has waited
// for it, and then only what they waited for. meanwhile happens in the first wait.
type lateStore struct{ meanwhile func() }

type lateCommit struct {
	s    *lateStore
	done bool
}

func (s *lateStore) Append(context.Context, *task.Change) task.Commit { return &lateCommit{s: s} }
func (s *lateStore) Heads() ([]task.Head, error)                      { return nil, nil }
func (s *lateStore) Load(string, int64, func(*task.Stored) bool) (*task.Record, error) {
	return nil, a2a.ErrTaskNotFound
}
func (s *lateStore) Events(string, uint64, int) ([]*a2a.Event, error) { return nil, nil }
func (s *lateStore) Forget(...string)                                 {}
func (s *lateStore) Err() error                                       { return nil }

func (c *lateCommit) Done() bool { return c.done }

func (c *lateCommit) Wait(ctx context.Context) error {
	if f := c.s.meanwhile; f != nil {
		c.s.meanwhile = nil
		f()
		c.done = true
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// A refusal says no more of a task than an answer does: what is not durable yet,
// since it happened while the request waited for what came before, is not told.
func TestRefusalsAreDurable(t *testing.T) {
	for name, ask := range map[string]func(ctx context.Context, h *handler, id string) error{
		"cancel": func(ctx context.Context, h *handler, id string) error {
			_, err := h.CancelTask(ctx, &a2a.CancelRequest{ID: id})
			return err
		},
		"subscribe": func(ctx context.Context, h *handler, id string) error {
			s, err := h.SubscribeTask(ctx, &a2a.SubscribeRequest{ID: id})
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = s.Next(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &lateStore{}
			tasks, err := task.OpenRegistry(t.Context(), task.Options{Store: s})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(tasks.Close)
			k := tasks.Create("", "c", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("x")}}, nil)
			s.meanwhile = func() { k.Finish(a2a.StateCompleted, nil, nil) }
			h := &handler{tasks: tasks, cancelGrace: time.Minute}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := ask(ctx, h, k.ID()); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("told what is not durable: %v", err)
			}
		})
	}
}
