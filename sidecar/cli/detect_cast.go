package cli

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// replay plays a recording through a screen and a detector, by the recording's own
// clock.
type replay struct {
	o        *detectOptions
	p        *profile.Profile
	screen   *term.Screen
	detector *state.Detector
	start    time.Time
	now      time.Time
	last     state.Verdict
}

// cast prints each change of state in a recording.
func (o *detectOptions) cast(p *profile.Profile, name string, data []byte) error {
	header, events, err := term.ReadCast(bytes.NewReader(data))
	if err != nil {
		return &exitError{code: exitFault, err: fmt.Errorf("%s: %w", name, err)}
	}
	if p == nil {
		p = agent.For(strings.Fields(header.Command))
	}
	r := &replay{o: o, p: p, start: time.Unix(0, 0)}
	r.now = r.start
	r.detector = state.NewDetector(p, r.now)
	r.screen = term.New(term.Options{
		Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone,
		Event: func(e term.Event) { r.detector.Event(e, r.now) }, Now: func() time.Time { return r.now },
	})
	for e, err := range events {
		if err != nil {
			return &exitError{code: exitFault, err: fmt.Errorf("%s: %w", name, err)}
		}
		if err := r.until(r.start.Add(e.At)); err != nil {
			return err
		}
		if err := r.play(e); err != nil {
			return err
		}
	}
	return r.until(r.now.Add(2 * time.Second)) // for changes that only time brings
}

// play takes one event. An Enter that was typed while the agent was ready counts as
// the sending of a message.
func (r *replay) play(e term.CastEvent) error {
	switch e.Kind {
	case term.CastOutput:
		if _, err := r.screen.Write([]byte(e.Data)); err != nil {
			return err
		}
	case term.CastResize:
		r.screen.Resize(e.Cols, e.Rows)
	case term.CastExit:
		r.detector.Exited(r.now)
	case term.CastInput:
		if strings.HasSuffix(e.Data, "\r") && r.last.State == profile.Ready {
			r.detector.Submitted(r.now)
		}
	}
	if e.Kind == term.CastOutput || e.Kind == term.CastResize {
		r.detector.Screen(r.screen.Snapshot(), state.TTY{}, r.now)
	}
	_, err := r.look()
	return err
}

// until lets time pass, and looks again when the detector asked for it.
func (r *replay) until(end time.Time) error {
	for {
		recheck, err := r.look()
		if err != nil {
			return err
		}
		if recheck <= 0 || r.now.Add(recheck).After(end) {
			r.now = end
			return nil
		}
		r.now = r.now.Add(recheck)
	}
}

// look prints the verdict if it differs from the last one.
func (r *replay) look() (recheck time.Duration, err error) {
	v, recheck := r.detector.Verdict(r.now)
	if v.State == r.last.State && v.Kind == r.last.Kind && v.Source == r.last.Source && v.Rule == r.last.Rule && v.Failed == r.last.Failed {
		return recheck, nil
	}
	r.last = v
	at := r.now.Sub(r.start).Seconds()
	seen := sighting{At: &at, State: v.State, Kind: v.Kind, Source: v.Source, Rule: v.Rule, Confidence: v.Confidence, Message: v.Message, Profile: r.p.Name}
	snap := r.screen.Snapshot()
	if m, ok := r.p.Match(snap); ok && m.Rule == v.Rule {
		seen.Generic, seen.Hint = m.Generic, m.Hint
	}
	seen.on(r.p, snap)
	if v.State != profile.Asking && v.State != profile.Dialogue {
		seen.Question = nil
	}
	return recheck, r.o.print(seen)
}
