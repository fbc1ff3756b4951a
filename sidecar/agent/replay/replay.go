package replay

import (
	"iter"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// Player plays the events of one recording, in their order. One goroutine uses it.
type Player struct {
	// Screen shows what the agent has drawn so far.
	Screen *term.Screen

	keyboard   *Keyboard
	detector   *state.Detector
	onVerdict  func(at time.Duration, v state.Verdict) error
	start, now time.Time
	last       state.Verdict
}

// New returns a player for a recording with that header. It calls onVerdict with each
// verdict of the detector, changed or not, and its time in the recording. An error of
// onVerdict ends the call that has led to it.
func New(with *profile.Profile, header term.CastHeader, onVerdict func(at time.Duration, v state.Verdict) error) *Player {
	p := &Player{keyboard: NewKeyboard(with), onVerdict: onVerdict, start: time.Unix(0, 0)}
	p.now = p.start
	p.detector = state.NewDetector(with, p.now)
	p.Screen = term.New(term.Options{
		Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone,
		Event: func(e term.Event) { p.detector.Event(e, p.now) }, Now: func() time.Time { return p.now },
	})
	return p
}

// Play lets time pass until the event, and plays it. An Enter that sends counts as a
// message if the agent is ready.
func (p *Player) Play(e term.CastEvent) error {
	if err := p.Until(e.At); err != nil {
		return err
	}
	return p.play(e, sends(p.keyboard.read(e)) && p.last.State == profile.Ready)
}

// play plays an event whose time has come; submitted says that it sends a message.
func (p *Player) play(e term.CastEvent, submitted bool) error {
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
	}
	if submitted {
		p.detector.Submitted(p.now)
	}
	_, err := p.look()
	return err
}

// relearn gives the detector another profile of the same agent.
func (p *Player) relearn(with *profile.Profile) error {
	p.detector.Relearn(with, p.now)
	_, err := p.look()
	return err
}

// moved returns when the screen last changed, apart from rows that change all the time.
func (p *Player) moved() time.Duration { return p.detector.Moved().Sub(p.start) }

// elapsed returns the time in the recording.
func (p *Player) elapsed() time.Duration { return p.now.Sub(p.start) }

// Until lets time pass, and asks the detector again whenever it wants to be asked. A time
// that has passed already changes nothing.
func (p *Player) Until(at time.Duration) error {
	end := p.start.Add(at)
	for !end.Before(p.now) {
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
	return nil
}

// look asks the detector.
func (p *Player) look() (recheck time.Duration, err error) {
	p.last, recheck = p.detector.Verdict(p.now)
	return recheck, p.onVerdict(p.elapsed(), p.last)
}

// Rest is how long a recording is played on after its last event, because some things
// change by the passing of time alone.
const Rest = 2 * time.Second

// PlayTo plays a recording and stops at each of the times, which must be in ascending
// order. At each of them it calls stop with the index of the time and the verdict; Screen
// then shows the screen of that time. It returns when the recording ended, and does not
// reach times that are more than Rest after that.
func (p *Player) PlayTo(times []time.Duration, events iter.Seq2[term.CastEvent, error], stop func(i int, v state.Verdict) error) (end time.Duration, err error) {
	next := 0
	reach := func(includes func(time.Duration) bool) error {
		for ; next < len(times) && includes(times[next]); next++ {
			if err := p.Until(times[next]); err != nil {
				return err
			}
			if _, err := p.look(); err != nil {
				return err
			}
			if err := stop(next, p.last); err != nil {
				return err
			}
		}
		return nil
	}
	for e, err := range events {
		if err != nil {
			return end, err
		}
		end = e.At
		if err := reach(func(at time.Duration) bool { return at < end }); err != nil {
			return end, err
		}
		if err := p.Play(e); err != nil {
			return end, err
		}
	}
	return end, reach(func(at time.Duration) bool { return at <= end+Rest })
}
