package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const (
	// patience is how long we try to reach a task again after its stream broke off.
	patience = 30 * time.Second
	// The wait between two tries doubles each time. The first try is made at once.
	firstRetry, lastRetry = 100 * time.Millisecond, 2 * time.Second
	// steady is how long a stream must last for its end to count as a new outage,
	// even if it brought no event.
	steady = 5 * time.Second
)

// outage is a time in which we hear nothing of a task.
type outage struct {
	began time.Time
	wait  time.Duration
}

// over ends the outage, because something was heard.
func (o *outage) over() { *o = outage{} }

// next waits until the next try is due. It reports false if patience has run out, or
// ctx has ended. A server that says when to come again is not asked earlier.
func (o *outage) next(ctx context.Context, why error) bool {
	if o.began.IsZero() {
		o.began, o.wait = time.Now(), firstRetry
		return true
	}
	wait := o.wait
	var e *a2a.Error
	if errors.As(why, &e) {
		wait = max(wait, time.Duration(e.RetryAfter)*time.Second)
	}
	o.wait = min(2*o.wait, lastRetry)
	if time.Since(o.began)+wait > patience {
		return false
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// follow reads a stream until there is nothing to wait for. If the stream breaks off,
// it resumes after the last event that came.
func (x *exchange) follow(ctx context.Context, stream a2a.Stream) error {
	var out outage
	a := x.watchAgent(ctx)
	defer a.close()
	for {
		since := time.Now()
		progress, err := x.drain(ctx, stream, a)
		stream.Close()
		var ours *exitError
		if errors.As(err, &ours) {
			return err
		}
		if x.answer.settled() || ctx.Err() != nil {
			return nil
		}
		if progress || time.Since(since) > steady {
			out.over()
		}
		if stream, err = x.resume(ctx, &out, err); err != nil || stream == nil {
			return err
		}
	}
}

// resume tries to subscribe to the task again until it succeeds or there is no more
// hope. A nil stream says that the task has ended and everything has been printed, or
// that ctx has ended.
func (x *exchange) resume(ctx context.Context, out *outage, why error) (a2a.Stream, error) {
	var refused *a2a.Error
	switch {
	case x.answer.task == "" && errors.As(why, &refused):
		return nil, why // a refusal may come as the first item
	case x.answer.task == "":
		return nil, fmt.Errorf("the stream broke off: %w", orUnexpectedEOF(why))
	case errors.Is(why, a2a.ErrUnsupportedOperation):
		return nil, x.rest(ctx)
	case errors.Is(why, a2a.ErrTaskNotFound):
		return nil, fmt.Errorf("the stream broke off, and cannot be taken up again: %w", why)
	}
	last := why
	for out.next(ctx, last) {
		stream, err := x.client.Subscribe(ctx, &a2a.SubscribeRequest{ID: x.answer.task, After: x.answer.last})
		switch {
		case err == nil:
			return stream, nil
		case errors.Is(err, a2a.ErrUnsupportedOperation):
			return nil, x.rest(ctx)
		case !passes(err):
			return nil, fmt.Errorf("the stream broke off, and cannot be taken up again: %w", err)
		}
		last = err
	}
	if ctx.Err() != nil {
		return nil, nil // deliver says why
	}
	return nil, fmt.Errorf("the stream broke off, and the task cannot be reached again: %w", orUnexpectedEOF(last))
}

// passes reports whether a refusal may be temporary: nobody answers, a proxy has no
// server, or the server is busy.
func passes(err error) bool {
	var e *a2a.Error
	return !errors.As(err, &e) || errors.Is(err, a2a.ErrBusy) || errors.Is(err, a2a.ErrUnavailable)
}

// rest prints the part of an ended task that was not printed yet.
func (x *exchange) rest(ctx context.Context) error {
	task, err := x.client.Get(ctx, &a2a.GetRequest{ID: x.answer.task})
	if err != nil {
		return fmt.Errorf("the stream broke off, and its task cannot be read: %w", err)
	}
	if !task.Status.State.Terminal() {
		return fmt.Errorf("the stream broke off, and the server does not let task %s be followed", task.ID)
	}
	if err := x.answer.add(&a2a.Event{Task: task}); err != nil {
		return &exitError{code: exitFault, err: err}
	}
	return nil
}

func orUnexpectedEOF(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// drain prints events until the stream ends or there is nothing to wait for. It does
// not print an event twice.
func (x *exchange) drain(ctx context.Context, stream a2a.Stream, a *activity) (progress bool, err error) {
	for !x.answer.settled() {
		events, err := stream.Next(ctx)
		for _, e := range events {
			progress = true
			if err := a.print(x, func() error { return x.answer.add(e) }); err != nil {
				return progress, &exitError{code: exitFault, err: err}
			}
		}
		if err != nil {
			return progress, err
		}
	}
	return progress, nil
}
