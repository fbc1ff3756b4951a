package state

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// line is what is known of a program that edits lines: a shell, a REPL.
type line struct {
	known, paste bool // whether mode 2004 was ever switched, and whether it is on
	again        bool // it has been switched off before
	echoed       bool // what is typed has been shown before
	foreign      bool // another process group is in the foreground
	canonical    bool
	asked        time.Time // since when the program has awaited a line on the cursor's row
	alternate    bool      // the alternate screen is shown; valid if screens is true
	screens      bool      // the detector was told when the screens change
	secretNow    bool      // a line is awaited without echo
	row          string    // the cursor's row up to the cursor
	secret       bool      // the line that is or was awaited in secretRow had no echo
	secretRow    uint64
}

// bracketedPaste follows mode 2004, which line editors switch on while they are at
// their prompt. An agent that draws a screen has it on all the time, and an unknown
// program may be such an agent: for that one only the second time counts.
func (d *Detector) bracketedPaste(on bool, now time.Time) {
	l := &d.line
	edge := !l.known || l.paste != on
	l.known, l.paste = true, on
	if d.tui || !edge || d.foreignScreen() {
		return
	}
	if !on {
		l.again = true
		d.say(rungLine, claim{state: profile.Working, source: SourceReadline, confidence: sureWeak, rule: "bracketed paste mode went off"}, now)
		return
	}
	if d.generic && !l.again {
		return
	}
	if !l.foreign {
		d.promptBack(now)
	}
	d.say(rungLine, claim{state: profile.Ready, source: SourceReadline, confidence: sureWeak, rule: "bracketed paste mode went on"}, now)
}

// foreignScreen reports whether the alternate screen is shown: the modes that a
// program sets there come from no line editor, and not from the shell that has started
// the program.
func (d *Detector) foreignScreen() bool {
	if d.line.screens {
		return d.line.alternate
	}
	return d.page.last.Alternate
}

// terminal follows the settings of the terminal: a line that is awaited without echo
// is a secret, and a row that ends in ? or : may be a question.
func (d *Detector) terminal(s term.Snapshot, tty TTY, now time.Time) {
	l := &d.line
	l.foreign, l.canonical = tty.ChildForeground, tty.Canonical
	if d.tui {
		return
	}
	row := beforeCursor(s)
	secret := tty.Canonical && !tty.Echo && l.echoed && row != ""
	l.echoed = l.echoed || tty.Echo || !tty.Canonical
	if secret {
		l.secret, l.secretRow = true, cursorRow(s)
	}
	l.secretNow = secret
	switch was := d.claims[rungLine].state == profile.Asking; {
	case secret:
		d.say(rungLine, claim{
			state: profile.Asking, kind: profile.KindAuth, source: SourceReadline, confidence: sureGeneric,
			rule: "a line is awaited without echo", message: row,
		}, now)
	case was && l.known && !l.paste:
		d.say(rungLine, claim{state: profile.Working, source: SourceReadline, confidence: sureWeak, rule: "the line without echo was read"}, now)
	case was:
		d.hush(rungLine, now)
		d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "the line without echo was read", Confidence: sureSubmit}, now)
	}
	read := l.secret && l.secretRow == cursorRow(s) // its question may still stand there
	l.row, _ = profile.AtCursor(s)
	edits := tty.Canonical && tty.Echo || d.generic && !tty.Canonical && !d.draws()
	if waits := edits && !read && (strings.HasSuffix(row, "?") || strings.HasSuffix(row, ":")); !waits {
		l.asked = time.Time{}
	} else if l.asked.IsZero() {
		l.asked = now
	}
}

// beforeCursor returns the text before the cursor in its row, "" if the cursor is in
// the first column.
func beforeCursor(s term.Snapshot) string {
	before, _ := profile.AtCursor(s)
	return strings.TrimSpace(before)
}
