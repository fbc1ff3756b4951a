package agenttest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// Recording reads a recording.
func Recording(t testing.TB, cast string) (term.CastHeader, []term.CastEvent) {
	t.Helper()
	f, err := os.Open(cast)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header, events, err := term.ReadCast(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []term.CastEvent
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return header, all
}

// Matches plays a recording and returns each change of what the profile says of the
// screen, with its time.
func Matches(t *testing.T, cast string, p *profile.Profile) string {
	t.Helper()
	header, events := Recording(t, cast)
	var now time.Time
	s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone, Now: func() time.Time { return now }})
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", p.Name)
	last := ""
	for _, e := range events {
		now = time.Time{}.Add(e.At)
		switch e.Kind {
		case term.CastOutput:
			if _, err := s.Write([]byte(e.Data)); err != nil {
				t.Fatal(err)
			}
		case term.CastResize:
			s.Resize(e.Cols, e.Rows)
		}
		if line := matched(p, s.Snapshot()); line != last {
			fmt.Fprintf(&out, "%8.3f %s\n", e.At.Seconds(), line)
			last = line
		}
	}
	return out.String()
}

// matched returns what a profile says of a screen, as one line.
func matched(p *profile.Profile, s term.Snapshot) string {
	m, ok := p.Match(s)
	if !ok {
		return "-"
	}
	line := fmt.Sprintf("%-9s %s (%s)", m.State, m.Rule, m.Source)
	if m.Generic {
		line += " (any agent)"
	}
	if m.Kind != "" {
		line += ", " + m.Kind
	}
	if m.Message != "" && m.Message != m.Rule {
		line += fmt.Sprintf(" %.60q", m.Message)
	}
	if in, ok := p.Input(s); ok && in != "" {
		line += fmt.Sprintf(" input %.40q", in)
	}
	return line
}

// player plays one recording through a screen and a detector.
type player struct {
	t      *testing.T
	d      *state.Detector
	screen *term.Screen
	start  time.Time
	now    time.Time
	last   state.Verdict
	out    strings.Builder
}

// Verdicts plays a recording to a detector, with the recording's own clock. It returns
// each change of the verdict, with its time, beside what was typed.
func Verdicts(t *testing.T, cast string, with *profile.Profile) string {
	t.Helper()
	header, events := Recording(t, cast)
	p := &player{t: t, start: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	p.now = p.start
	p.d = state.NewDetector(with, p.now)
	p.screen = term.New(term.Options{
		Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone,
		Event: func(e term.Event) { p.d.Event(e, p.now) }, Now: func() time.Time { return p.now },
	})
	for _, e := range events {
		p.until(p.start.Add(e.At))
		p.play(e)
	}
	if p.screen.Snapshot().Modes.BracketedPaste { // otherwise it has said goodbye already
		p.until(p.now.Add(2 * time.Second))
	}
	p.d.Exited(p.now)
	p.look()
	return p.out.String()
}

// play takes one event. Enter sends a message if the agent was ready for one and the
// recording shows that Enter was not swallowed. The test for that is that the agent
// then does something.
func (p *player) play(e term.CastEvent) {
	switch e.Kind {
	case term.CastOutput:
		if _, err := p.screen.Write([]byte(e.Data)); err != nil {
			p.t.Fatal(err)
		}
		p.see()
	case term.CastResize:
		p.screen.Resize(e.Cols, e.Rows)
		p.see()
	case term.CastInput:
		if answer(e.Data) {
			return
		}
		fmt.Fprintf(&p.out, "%8.3f   > %.60q\n", e.At.Seconds(), e.Data)
		if strings.HasSuffix(e.Data, "\r") && p.last.State == profile.Ready {
			p.d.Submitted(p.now)
			p.look()
		}
	}
}

// answer reports whether the input is what a terminal sends by itself.
func answer(data string) bool {
	return strings.HasPrefix(data, "\x1b[?") || strings.HasPrefix(data, "\x1b]") || strings.HasPrefix(data, "\x1bP") ||
		strings.HasPrefix(data, "\x1b[") && strings.IndexAny(data, "RtcIO") > 1
}

func (p *player) see() {
	p.d.Screen(p.screen.Snapshot(), state.TTY{}, p.now)
	p.look()
}

// until lets time pass; it asks again when the detector said to.
func (p *player) until(end time.Time) {
	for {
		recheck := p.look()
		if recheck == 0 || p.now.Add(recheck).After(end) {
			break
		}
		p.now = p.now.Add(recheck)
	}
	p.now = end
}

// rank treats what is read from the screen as one source: between two frames the title
// and the rows take turns.
func rank(source string) string {
	if source == profile.SourceTitle || source == profile.SourcePrompt {
		return profile.SourceScreen
	}
	return source
}

// look records the verdict if it has changed.
func (p *player) look() time.Duration {
	v, recheck := p.d.Verdict(p.now)
	if v.State != p.last.State || v.Kind != p.last.Kind || rank(v.Source) != rank(p.last.Source) || v.Failed != p.last.Failed {
		what := string(v.State)
		if v.Kind != "" {
			what += " " + v.Kind
		}
		if v.Failed {
			what += " failed"
		}
		fmt.Fprintf(&p.out, "%8.3f %-20s %s: %s", p.now.Sub(p.start).Seconds(), what, v.Source, v.Rule)
		if v.Message != "" {
			p.out.WriteString(" " + strconv.Quote(v.Message))
		}
		p.out.WriteByte('\n')
	}
	p.last = v
	return recheck
}
