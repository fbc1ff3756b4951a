package state_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// bench drives a detector with times of its own.
type bench struct {
	t   *testing.T
	d   *state.Detector
	now time.Time
	s   term.Snapshot
	tty state.TTY
}

func newBench(t *testing.T, name string) *bench {
	t.Helper()
	return newBenchOf(t, load(t, name))
}

// load returns the profile of an agent.
func load(t *testing.T, name string) *profile.Profile {
	t.Helper()
	p, err := agent.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newBenchOf(t *testing.T, p *profile.Profile) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	b.d = state.NewDetector(p, b.now)
	b.s = term.Snapshot{Cols: 120, Rows: 40, Lines: make([]term.Line, 40)}
	return b
}

// show makes the screen show rows, the cursor behind the last.
func (b *bench) show(title string, rows ...string) {
	b.t.Helper()
	b.s.Generation++
	b.s.Lines = make([]term.Line, 40)
	for i, row := range rows {
		b.s.Lines[i].Text = strings.TrimRight(row, " ")
		b.s.CursorRow, b.s.CursorCol = i, len([]rune(row))
	}
	b.s.Title, b.s.Output = title, b.now
	b.d.Screen(b.s, b.tty, b.now)
}

func (b *bench) event(e term.Event) { b.d.Event(e, b.now) }

func (b *bench) status(s term.Status) { b.event(term.Event{Kind: term.EventStatus, Status: s}) }

func (b *bench) mark(which string) {
	b.event(term.Event{Kind: term.EventMark, Text: which, Code: -1})
}

func (b *bench) paste(on int) { b.event(term.Event{Kind: term.EventBracketedPaste, Code: on}) }

// after lets time pass, asking again when the detector said to.
func (b *bench) after(d time.Duration) {
	b.t.Helper()
	end := b.now.Add(d)
	for range 1000 {
		_, recheck := b.d.Verdict(b.now)
		if recheck == 0 || b.now.Add(recheck).After(end) {
			b.now = end
			return
		}
		b.now = b.now.Add(recheck)
	}
	b.t.Fatal("the detector asks to be asked again and again")
}

// is checks the verdict of now.
func (b *bench) is(want profile.State, source string) state.Verdict {
	b.t.Helper()
	v, _ := b.d.Verdict(b.now)
	if v.State != want || v.Source != source {
		b.t.Fatalf("verdict %s by %s (%s), want %s by %s", v.State, v.Source, v.Rule, want, source)
	}
	return v
}

// never checks that the verdict is not s at any time of d.
func (b *bench) never(s profile.State, d time.Duration, each func()) {
	b.t.Helper()
	for end := b.now.Add(d); b.now.Before(end); {
		if v, _ := b.d.Verdict(b.now); v.State == s {
			b.t.Fatalf("verdict %s by %s (%s)", v.State, v.Source, v.Rule)
		}
		b.now = b.now.Add(50 * time.Millisecond)
		if each != nil {
			each()
		}
	}
}
