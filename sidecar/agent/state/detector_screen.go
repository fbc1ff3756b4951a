package state

import (
	"strings"
	"time"
	"unicode"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// Screen takes what the screen shows and how the terminal is set. Call it when either
// has changed; a caller may skip states that came and went in between.
func (d *Detector) Screen(s term.Snapshot, tty TTY, now time.Time) {
	if s.Output.After(d.output) {
		d.started(s.Output)
		d.output = s.Output
	}
	d.motion.see(s, d.output, d.learnsRestless())
	m, ok := d.match(s)
	weak := m.Generic || d.generic
	d.sign(rungSign, m, ok && !weak, now)
	d.sign(rungGeneric, m, ok && weak, now)
	d.page.see(s, d.turn, d.input)
	d.terminal(s, tty, now)
}

// sign sets what one of the screen's two rungs says to what was matched.
func (d *Detector) sign(r rung, m profile.Match, ok bool, now time.Time) {
	if !ok || m.State == "" || m.State == profile.Unknown {
		if d.claims[r].state != "" {
			d.hush(r, now)
			d.signGone(now)
		}
		return
	}
	c := claim{state: m.State, kind: m.Kind, source: m.Source, rule: m.Rule, message: m.Message, confidence: sureSign}
	if r == rungGeneric {
		c.confidence = sureGeneric
	}
	if c.source == "" {
		c.source = profile.SourceScreen
	}
	d.say(r, c, now)
	if m.State == profile.Asking && r == rungSign {
		for i := range rungSign {
			if d.claims[i].state == profile.Asking {
				d.claims[i].seen = true
			}
		}
	}
}

// signGone is called when the screen stops saying anything. If only its sign of work made the
// verdict for an unknown agent, nothing but the message says now that the agent works.
func (d *Detector) signGone(now time.Time) {
	v := d.verdict
	if !d.generic || !d.turn || v.State != profile.Working || v.Source != profile.SourceScreen && v.Source != profile.SourceTitle {
		return
	}
	d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "its sign of work has gone", Confidence: sureSubmit}, now)
}

// page is what the detector remembers of the screen, to tell whether there is text
// that was not there when the message was submitted.
type page struct {
	last  term.Snapshot
	typed string          // what stood in the input at that time
	old   map[string]bool // the rows that were there at that time
	row   uint64          // the cursor's row at that time, counted from the start
	added bool            // there is text that is neither old nor typed
	kept  bool            // what was typed is still in the input
}

// begin takes the last screen as the one before the answer.
func (g *page) begin(input func(term.Snapshot) (string, bool)) {
	g.added, g.kept, g.row = false, false, cursorRow(g.last)
	g.typed, _ = input(g.last)
	g.typed = squeeze(g.typed)
	g.old = make(map[string]bool, len(g.last.Lines))
	for _, l := range g.last.Lines {
		g.old[squeeze(l.Text)] = true
	}
}

func (g *page) see(s term.Snapshot, turn bool, input func(term.Snapshot) (string, bool)) {
	g.last = s
	if !turn {
		return
	}
	if g.typed != "" {
		text, _ := input(s)
		g.kept = squeeze(text) == g.typed
	}
	if g.added {
		return
	}
	for _, l := range s.Lines {
		if row := squeeze(l.Text); row != "" && !g.old[row] && !g.echo(row) {
			g.added = true
			return
		}
	}
}

// echo reports whether a row only shows what was typed.
func (g *page) echo(row string) bool {
	return g.typed != "" && (strings.Contains(g.typed, row) || strings.Contains(row, g.typed))
}

// squeeze returns only the letters and digits of a row: frames, markers, spinners and
// blanks are no text.
func squeeze(row string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, row)
}

// cursorRow returns the cursor's row, counted from the start of the session.
func cursorRow(s term.Snapshot) uint64 {
	return s.Scrolled + uint64(max(s.CursorRow, 0))
}
