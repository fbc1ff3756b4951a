package state

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// line is what is known of a program that edits lines, such as a shell or a REPL.
type line struct {
	known     bool      // mode 2004 was switched on or off at least once
	paste     bool      // mode 2004 is on
	again     bool      // mode 2004 was switched off at least once
	echoed    bool      // the terminal has shown typed text at least once
	foreign   bool      // another process group is in the foreground
	canonical bool      // the terminal edits lines
	asked     time.Time // when the cursor's row began to ask; zero if it does not ask
	alternate bool      // the alternate screen is shown; valid if screens is true
	screens   bool      // the detector was told when the screens change
	secretNow bool      // the program awaits a line without echo
	row       string    // the cursor's row up to the cursor
	secret    bool      // the program awaits, or awaited, a line without echo in secretRow
	secretRow uint64    // counted from the start
}

// bracketedPaste follows mode 2004, which line editors switch on while they are at
// their prompt. An agent that draws a screen has it on all the time. An unknown program may
// be such an agent, so for an unknown program only the second time counts.
func (d *Detector) bracketedPaste(on bool, now time.Time) {
	l := &d.line
	edge := !l.known || l.paste != on
	l.known, l.paste = true, on
	if d.tui || !edge || d.foreignScreen() {
		return
	}
	if on && l.foreign && d.generic { // the line editor of a program that the agent has started: it may ask
		d.hush(rungLine, now)
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

// foreignScreen reports whether the alternate screen is shown. A program that sets modes there
// is no line editor, and it is not the shell that has started it.
func (d *Detector) foreignScreen() bool {
	if d.line.screens {
		return d.line.alternate
	}
	return d.page.last.Alternate
}

// terminal follows the settings of the terminal. A line that the program awaits without echo
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
			rule: "the program awaits a line without echo", message: row,
		}, now)
	case was && l.known && !l.paste:
		d.say(rungLine, claim{state: profile.Working, source: SourceReadline, confidence: sureWeak, rule: "the line without echo was read"}, now)
	case was:
		d.hush(rungLine, now)
		d.become(Verdict{State: profile.Working, Source: SourceSubmit, Rule: "the line without echo was read", Confidence: sureSubmit}, now)
	}
	read := l.secret && l.secretRow == cursorRow(s) // the question for the secret may still stand there
	l.row, _ = profile.AtCursor(s)
	edits := tty.Canonical && tty.Echo || d.generic && !tty.Canonical && !d.draws()
	if waits := edits && !read && asks(row); !waits {
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
