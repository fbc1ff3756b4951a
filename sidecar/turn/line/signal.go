package line

import (
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// signal is what a line program itself says about what it is doing, in addition to
// its text.
type signal int

const (
	signalNone    signal = iota // it says nothing: only the text and silence can be judged
	signalReady                 // it waits for a line
	signalWorking               // it is at work, whatever the text looks like
	signalAsking                // it asks something that somebody can answer
	signalSecret                // it has switched the echo off for a line
	signalBusy                  // it is at work, or its child asks: silence means nothing
	signalPending               // a look at what it waits for is due, and must come first
)

// settlePrompt is how long the row must stay unchanged if a program has said that
// it is ready and has not drawn its prompt yet.
const settlePrompt = 30 * time.Millisecond

// signal returns what the program has said since the last line was typed. If the text is newer than
// what was seen of the program, that is signalPending.
func (d *Driver) signal(text term.Text) signal {
	now := d.console.Look()
	v := now.Verdict
	if s := d.asked(text); s != signalNone {
		return s
	}
	if v.State == profile.Asking {
		if _, ok := d.console.Profile.Question(now.Screen); ok {
			return signalAsking
		}
		switch {
		case v.Kind == profile.KindAuth:
			return signalSecret
		case v.Source == state.SourceQuiet:
			return signalAsking
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

// asked returns what the kernel says of the program. If the text is newer than the last look at what
// the program waits for, that is signalPending.
func (d *Driver) asked(text term.Text) signal {
	now := d.console.Look()
	unseen := text.Output.After(d.buffer.began) && now.Screen.Output.Before(text.Output)
	if now.Unlooked || d.console.LooksAtKernel() && unseen {
		return signalPending
	}
	if now.Verdict.Source == state.SourceKernel {
		switch now.Verdict.State {
		case profile.Ready:
			return signalReady
		case profile.Asking:
			return signalAsking
		case profile.Working, profile.Starting:
			return signalWorking
		}
	}
	return signalNone
}

// settleSignal returns how long a program that has said that it is ready must be
// still: with its prompt shown, no time at all.
func settleSignal(prompt bool) time.Duration {
	if prompt {
		return 0
	}
	return settlePrompt
}
