package replay

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// Player plays the events of one recording, in their order. One goroutine uses it.
type Player struct {
	// Screen shows what the agent has drawn so far.
	Screen *term.Screen

	detector   *state.Detector
	saw        func(at time.Duration, v state.Verdict) error
	start, now time.Time
	last       state.Verdict
}

// New returns a player for a recording with that header. saw is called with each verdict
// of the detector, changed or not, and its time in the recording; its error ends the call
// that has led to it.
func New(with *profile.Profile, header term.CastHeader, saw func(at time.Duration, v state.Verdict) error) *Player {
	p := &Player{saw: saw, start: time.Unix(0, 0)}
	p.now = p.start
	p.detector = state.NewDetector(with, p.now)
	p.Screen = term.New(term.Options{
		Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone,
		Event: func(e term.Event) { p.detector.Event(e, p.now) }, Now: func() time.Time { return p.now },
	})
	return p
}

// Play lets time pass until the event, and takes it.
func (p *Player) Play(e term.CastEvent) error {
	if err := p.Until(e.At); err != nil {
		return err
	}
	switch e.Kind {
	case term.CastOutput:
		if _, err := p.Screen.Write([]byte(e.Data)); err != nil {
			return err
		}
		p.detector.Screen(p.Screen.Snapshot(), state.TTY{}, p.now)
	case term.CastResize:
		p.Screen.Resize(e.Cols, e.Rows)
		p.detector.Screen(p.Screen.Snapshot(), state.TTY{}, p.now)
	case term.CastExit:
		p.detector.Exited(p.now)
	case term.CastInput:
		if strings.HasSuffix(e.Data, "\r") && p.last.State == profile.Ready {
			p.detector.Submitted(p.now)
		}
	}
	_, err := p.look()
	return err
}

// Exit ends the agent's process, if the recording does not say so.
func (p *Player) Exit() error {
	p.detector.Exited(p.now)
	_, err := p.look()
	return err
}

// Until lets time pass, and looks again when the detector asked for it.
func (p *Player) Until(at time.Duration) error {
	for end := p.start.Add(at); ; {
		recheck, err := p.look()
		if err != nil {
			return err
		}
		if recheck <= 0 || p.now.Add(recheck).After(end) {
			p.now = end
			return nil
		}
		p.now = p.now.Add(recheck)
	}
}

func (p *Player) look() (recheck time.Duration, err error) {
	p.last, recheck = p.detector.Verdict(p.now)
	return recheck, p.saw(p.now.Sub(p.start), p.last)
}
