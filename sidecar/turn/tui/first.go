package tui

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// first runs fn, which types an answer to a question, while nobody else types. Of
// two answers only one counts: the error is errVanished if somebody else's answer
// came first.
func (x *round) first(ctx context.Context, q *profile.Question, look tty.LineFunc, fn func() error) error {
	asked, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch, stop := context.WithCancel(asked)
	defer stop()
	watching := make(chan struct{})
	go func() { // waited for below
		defer close(watching)
		if x.gone(watch, q) {
			cancel(errVanished)
		}
	}()
	err := console.Alone(asked, x.d.people, x.t, look, func() error {
		stop()
		<-watching
		return fn()
	})
	stop()
	<-watching
	return err
}

// beaten tells a caller that its answer came too late.
func (x *round) beaten(err error) error {
	if !errors.Is(err, errVanished) {
		return err
	}
	if x.t.Task().Context().Err() == nil && !x.over() {
		x.t.Note("answeredAtTerminal", true)
		x.t.Say("the answer was not typed: the question was answered at the agent's terminal before")
	}
	return nil
}

// dropLate drops people's keys for a question that a caller has already answered.
func (x *round) dropLate() {
	if x.d.people != nil {
		x.d.people.DropStale(x.d.profile.Timing.ReactTime, x.d.console.Dropped)
	}
}

// unlined returns the line function for an answer by keys: no line can be in the
// way, but a person's key may be, which the question is about to take.
func (x *round) unlined(q *profile.Question) tty.LineFunc {
	return func() (tty.Line, time.Time, <-chan struct{}) {
		v := x.d.console.Look()
		if !x.same(v, q) {
			return tty.LineUnknown, v.Screen.Output, v.Changed // it is gone, or back in a moment
		}
		return tty.LineNone, v.Screen.Output, v.Changed
	}
}
