package tui

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// reactTime is how long a person goes on pressing keys for a question that has
// just gone.
const reactTime = 300 * time.Millisecond

// first runs fn, which types an answer to a question, while nobody else types. Of
// two answers only one counts: the error is errVanished when somebody else's came
// before.
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

// beaten tells a caller whose answer came too late.
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

// dropLate drops the keys of people for a question that a caller has answered.
func (x *round) dropLate() {
	if x.d.people != nil {
		x.d.people.DropStale(reactTime, x.d.console.Dropped)
	}
}

// unlined is what stands in the way of an answer by keys: no line, but a key that
// the question may be about to take.
func (x *round) unlined(q *profile.Question) tty.LineFunc {
	return func() (tty.Line, time.Time, <-chan struct{}) {
		v := x.d.console.Look()
		if !x.same(v, q) {
			return tty.LineUnknown, v.Screen.Output, v.Changed // gone, or back in a moment
		}
		return tty.LineNone, v.Screen.Output, v.Changed
	}
}
