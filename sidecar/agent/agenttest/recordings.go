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
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
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

// verdicts writes down what a detector says, beside what was typed.
type verdicts struct {
	out  strings.Builder
	last state.Verdict
}

// Verdicts plays a recording to a detector, with the recording's own clock. It returns
// each change of the verdict, with its time, beside what was typed.
func Verdicts(t *testing.T, cast string, with *profile.Profile) string {
	t.Helper()
	header, events := Recording(t, cast)
	v := &verdicts{}
	p := replay.New(with, header, v.saw)
	for _, e := range events {
		if err := p.Until(e.At); err != nil {
			t.Fatal(err)
		}
		if e.Kind == term.CastInput && !answer(e.Data) {
			fmt.Fprintf(&v.out, "%8.3f   > %.60q\n", e.At.Seconds(), e.Data)
		}
		if err := p.Play(e); err != nil {
			t.Fatal(err)
		}
	}
	if p.Screen.Snapshot().Modes.BracketedPaste { // otherwise it has said goodbye already
		if err := p.Until(events[len(events)-1].At + 2*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	last := events[len(events)-1]
	if err := p.Play(term.CastEvent{At: last.At, Kind: term.CastExit}); err != nil { // if the recording does not say so
		t.Fatal(err)
	}
	return v.out.String()
}

// answer reports whether the input is what a terminal sends by itself.
func answer(data string) bool {
	return strings.HasPrefix(data, "\x1b[?") || strings.HasPrefix(data, "\x1b]") || strings.HasPrefix(data, "\x1bP") ||
		strings.HasPrefix(data, "\x1b[") && strings.IndexAny(data, "RtcIO") > 1
}

// rank treats what is read from the screen as one source: between two frames the title
// and the rows take turns.
func rank(source string) string {
	if source == profile.SourceTitle || source == profile.SourcePrompt {
		return profile.SourceScreen
	}
	return source
}

// saw writes the verdict down if it has changed.
func (r *verdicts) saw(at time.Duration, v state.Verdict) error {
	if v.State != r.last.State || v.Kind != r.last.Kind || rank(v.Source) != rank(r.last.Source) || v.Failed != r.last.Failed {
		what := string(v.State)
		if v.Kind != "" {
			what += " " + v.Kind
		}
		if v.Failed {
			what += " failed"
		}
		fmt.Fprintf(&r.out, "%8.3f %-20s %s: %s", at.Seconds(), what, v.Source, v.Rule)
		if v.Message != "" {
			r.out.WriteString(" " + strconv.Quote(v.Message))
		}
		r.out.WriteByte('\n')
	}
	r.last = v
	return nil
}
