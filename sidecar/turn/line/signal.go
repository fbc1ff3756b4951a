package line

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// signal is what a line program itself says of what it does, beside its text.
type signal int

const (
	signalNone    signal = iota // only the text and silence tell
	signalReady                 // it waits for a line
	signalWorking               // it is at it, whatever the text looks like
	signalAsking                // it asks something that can be put to somebody
	signalSecret                // it has switched the echo off for a line
	signalBusy                  // it is at it, or a program that it started asks: silence means nothing
)

// settlePrompt is how long the row must stand still after a program said that it
// is ready and has not drawn its prompt yet.
const settlePrompt = 30 * time.Millisecond

// signal is what the program says since the last line was typed.
func (d *Driver) signal() signal {
	now := d.console.Look()
	v := now.Verdict
	if v.State == profile.Asking {
		if _, ok := d.console.Profile.Question(now.Screen); ok {
			return signalAsking
		}
		switch {
		case v.Kind == profile.KindAuth:
			return signalSecret
		case v.Rule == state.RuleFullScreen:
			return signalAsking
		}
	}
	switch v.Source {
	case state.SourceChannel, state.SourceHook, state.SourceOSC7501, state.SourceOSC133:
		switch v.State {
		case profile.Ready:
			return signalReady
		case profile.Working:
			return signalWorking
		}
	case state.SourceReadline:
		switch v.State {
		case profile.Ready:
			return signalReady
		case profile.Working:
			return signalBusy
		}
	}
	return signalNone
}

// settleSignal is how long a program that said it is ready must stand still: not
// at all with its prompt there.
func settleSignal(prompt bool) time.Duration {
	if prompt {
		return 0
	}
	return settlePrompt
}
