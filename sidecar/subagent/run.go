package subagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

const (
	// takeLimit is how long an agent may take to take the work, and a process to begin it.
	takeLimit = time.Minute
	// lingerLimit is how long a child that is canceled before the agent has answered waits for that answer: without it the task's ID is not known.
	lingerLimit = 3 * time.Second
	// cancelLimit is how long the agent may take to cancel a task.
	cancelLimit = 8 * time.Second
	// askLimit is how long the agent may take to say how a task is.
	askLimit = 5 * time.Second
	// resumes is how often a stream that broke is opened again without an event in between, the first time after pause.
	resumes = 5
	pause   = 200 * time.Millisecond
	// maxWords bounds words of an agent in errors and states, in bytes.
	maxWords = 800
)

var (
	errCanceled = errors.New("it was canceled")
	errSlow     = fmt.Errorf("it did not answer within %s", takeLimit)
	errNoPlace  = fmt.Errorf("no process of the wrapped command was free for it within %s: --max-concurrency and --sessions say how many there are", takeLimit)
	errParent   = errors.New("the work that it was a part of was stopped")
)

// run is the life of a child.
func (c *Child) run() {
	defer c.desk.work.Done()
	limit, stop := context.WithTimeoutCause(c.ctx, c.desk.opts.Timeout, fmt.Errorf("it worked for longer than %s, which is the limit", c.desk.opts.Timeout))
	defer stop()
	root := c.start.Work.Task()
	forget := context.AfterFunc(root.Context(), func() { c.left(root) })
	defer forget()
	if c.agent.Process { // its place may be one that waits for this child to end
		c.waits = time.AfterFunc(takeLimit, func() { c.cancel(errNoPlace) })
		defer c.waits.Stop()
	}
	c.change(func(st *tool.SubStatus) { st.Agent, st.State = c.agent.Name, tool.SubWorking })
	err := c.work(limit)
	if limit.Err() != nil && c.outcome == "" {
		err = context.Cause(limit)
		if c.conn != nil {
			c.stopRemote()
		}
	} else if err != nil && c.outcome == "" && c.Status().ID != "" {
		c.stopRemote() // it lies, or cannot be heard
	}
	c.finish(err)
}

// left stops the child if the work that it is a part of has not completed. What has completed goes on in its conversation.
func (c *Child) left(root *task.Task) {
	if errors.Is(context.Cause(root.Context()), task.ErrFinished) && root.State() == a2a.StateCompleted {
		return
	}
	c.cancel(errParent)
}

// work gives the work to the agent, and returns when it has ended there, or when it cannot go on.
func (c *Child) work(ctx context.Context) error {
	conn, knows, err := c.desk.connect(ctx, c.agent)
	if err != nil {
		return err
	}
	if !knows {
		if c.desk.opts.Strict {
			return fmt.Errorf("the agent %s does not know the extension %s: the rules and the budget of this task would not hold there, and it is given nothing", c.agent.Name, delegation.URI)
		}
		c.desk.warn(c.agent, c.start.Work.Task())
	}
	c.conn = conn
	c.change(func(st *tool.SubStatus) { st.Unheld = !knows })
	open := c.opening()
	for lost := 0; ; {
		events := c.events
		err := c.listen(ctx, open)
		switch {
		case c.outcome != "":
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, new(*fault)):
			return err
		case c.asks != nil:
			if open, err = c.answered(ctx); err != nil {
				return err
			}
			lost = 0
			continue
		case c.Status().ID == "":
			return fmt.Errorf("the agent %s cannot be reached: %s", c.agent.Name, reason(err))
		case c.events > events:
			lost = 0
		}
		if lost++; lost > resumes {
			return fmt.Errorf("the agent %s is not heard any more: %s", c.agent.Name, reason(err))
		}
		if !wait(ctx, pause<<lost) {
			return context.Cause(ctx)
		}
		open = c.again
	}
}

// wait waits for a time, and reports whether ctx is still there.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reason returns an error in few words.
func reason(err error) string {
	if err == nil || errors.Is(err, io.EOF) {
		return "it ended its answer before the task had ended"
	}
	return text.Line(err.Error(), maxWords)
}

// listen takes what a stream says, until it ends or asks.
func (c *Child) listen(ctx context.Context, open func(context.Context) (a2a.Stream, error)) error {
	life, release := linger(ctx)
	defer release(nil)
	late := time.AfterFunc(takeLimit, func() {
		if c.Status().ID == "" {
			release(errSlow)
		}
	})
	defer late.Stop()
	s, err := open(life)
	if err != nil {
		if errors.Is(context.Cause(life), errSlow) {
			return errSlow
		}
		return err
	}
	defer s.Close()
	for {
		during := ctx
		if c.Status().ID == "" {
			during = life
		}
		events, err := s.Next(during)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := c.take(e); err != nil {
				return err
			}
		}
		if c.outcome != "" || c.asks != nil {
			return nil
		}
	}
}

// linger returns a context that ends soon after ctx: an answer that is on its way is still heard.
func linger(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		late := time.AfterFunc(lingerLimit, func() { cancel(context.Cause(ctx)) })
		context.AfterFunc(life, func() { late.Stop() })
	})
	return life, cancel
}

// finish tells how the child has ended.
func (c *Child) finish(err error) {
	used := c.used()
	c.change(func(st *tool.SubStatus) {
		st.Question, st.State = "", c.outcome
		switch {
		case errors.Is(err, errCanceled) || errors.Is(err, errParent) || errors.Is(err, task.ErrDraining):
			st.State, st.Fault = tool.SubCanceled, reason(err)
		case err != nil:
			st.State, st.Fault = tool.SubFailed, reason(err)
		case c.outcome != tool.SubCompleted:
			st.Fault = text.Line(c.words, maxWords)
		}
	})
	if len(c.said) == 0 && c.words != "" && err == nil && c.outcome == tool.SubCompleted {
		c.say(c.words)
	}
	st := c.Status()
	c.end(used)
	if st.ID != "" {
		c.start.Work.Tell(c.Noted())
	}
	c.change(func(st *tool.SubStatus) { st.Ended = true })
	c.desk.opts.Log.Info("sub-agent ended", "agent", c.agent.Name, "child", text.Line(st.ID, maxWords), "task", c.start.Work.Task().ID(), "state", st.State, "reason", st.Fault, "duration_ms", time.Since(c.began).Milliseconds())
	c.desk.over()
	c.cancel(nil)
	close(c.ended)
}
