package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/autodetect"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// draws reports whether a program without a profile draws its screen. A recording does not
// tell whether the terminal edits its lines.
func draws(s term.Snapshot, v state.Verdict) bool {
	return autodetect.Draws(console.Observation{Screen: s, Verdict: v}, tty.Mode{})
}

// answered is one turn of a recording in JSON.
type answered struct {
	At      float64       `json:"at"` // seconds from the start, as is Until
	Until   float64       `json:"until"`
	Message string        `json:"message"`
	Answer  string        `json:"answer"`
	State   profile.State `json:"state"` // ready, or the state in which the recording ended
	Failed  bool          `json:"failed,omitempty"`
	From    string        `json:"from,omitempty"` // for a program without a profile: lines, learnt or screen
	Profile string        `json:"profile"`
}

// answers prints each message of the recording with its answer.
func (v *castView) answers() error {
	turns, typed, err := replay.TurnsOf(v.profile, v.header, v.events, draws)
	switch {
	case err != nil:
		return v.fault(err)
	case !typed:
		return &exitError{code: exitFailed, err: fmt.Errorf("%s does not contain what was typed, so it has no messages", v.name),
			hint: "sidecar run --record keeps what is typed; asciinema keeps it with --stdin (version 2) or --capture-input"}
	case len(turns) == 0 && v.profile.Name == profile.GenericName:
		return &exitError{code: exitFailed, err: fmt.Errorf("%s has no message: no text was sent with Enter, except to questions", v.name),
			hint: "sidecar detect --screens " + v.name + " shows each Enter and the screen at that time"}
	case len(turns) == 0:
		return &exitError{code: exitFailed, err: fmt.Errorf("%s has no message: nothing was sent with Enter while the profile %s said that the agent was ready", v.name, v.profile.Name),
			hint: "sidecar detect " + v.name + " shows what the profile says at which time"}
	}
	for _, t := range turns {
		if err := v.o.printTurn(answered{
			At: t.At.Seconds(), Until: t.Until.Seconds(), Message: t.Message, Answer: t.Answer, State: t.State, Failed: t.Failed, From: t.From, Profile: v.profile.Name,
		}); err != nil {
			return err
		}
	}
	return nil
}

func (o *detectOptions) printTurn(t answered) error {
	if o.json {
		return json.NewEncoder(o.std.Out).Encode(t)
	}
	state := string(t.State)
	if t.Failed {
		state += ", failed"
	}
	switch t.From {
	case replay.FromLines:
		state += ", from the printed lines (no profile)"
	case replay.FromLearnt:
		state += ", as learnt from two turns (no profile)"
	case replay.FromScreen:
		state += ", from the screen, not certain (no profile)"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%9.3f to %.3f %s\n", t.At, t.Until, state)
	for i, line := range strings.Split(t.Message, "\n") {
		fmt.Fprintf(&b, "        %s %s\n", []string{">", " "}[min(i, 1)], line)
	}
	for line := range strings.SplitSeq(t.Answer, "\n") {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight("          "+line, " "))
	}
	_, err := io.WriteString(o.std.Out, printableLines(b.String()))
	return err
}
