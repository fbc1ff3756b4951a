package state

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// Confidences by source.
const (
	sureItself  = 1.0
	sureHook    = 0.9
	sureSign    = 0.8
	sureWeak    = 0.7
	sureGeneric = 0.6
	sureSubmit  = 0.5
	sureQuiet   = 0.3
)

// Event takes what the program reported in escape sequences, beside its text.
func (d *Detector) Event(e term.Event, now time.Time) {
	d.output = now
	switch e.Kind {
	case term.EventStatus:
		d.status(e.Status, now)
	case term.EventMark:
		d.mark(e.Text, e.Code, now)
	case term.EventProgress:
		d.progress(e.Code, now)
	case term.EventNotify:
		d.notice(e.Text, now)
	case term.EventAlternate:
		d.line.alternate, d.line.screens = e.Code == 1, true
	case term.EventBracketedPaste:
		d.bracketedPaste(e.Code == 1, now)
	}
}

// status takes a report of OSC 7501. Only the root record decides: other records
// describe parts of the program's work.
func (d *Detector) status(s term.Status, now time.Time) {
	if s.ID != "" {
		return
	}
	c := claim{source: SourceOSC7501, confidence: sureItself, rule: "state=" + s.State, message: s.Msg}
	switch s.State {
	case "working":
		c.state = profile.Working
	case "blocked":
		c.state, c.kind = profile.Asking, s.Kind
		if c.kind == "" {
			c.kind = profile.KindQuestion
		} else {
			c.rule += " kind=" + s.Kind
		}
	case "idle":
		c.state = profile.Ready
	case "done":
		c.state, c.ended = profile.Ready, true
	case "error":
		c.state, c.ended, c.failed = profile.Ready, true, true
	case "clear":
		d.hush(rungStatus, now)
		return
	default:
		return
	}
	d.say(rungStatus, c, now)
}

// mark takes a mark of a shell: A and B are the prompt, C is the start of a command
// and D is its end. A program that draws its screen, marks nothing before the first message
// and never tells of an end is no shell: it marks what was said, not its work.
func (d *Detector) mark(which string, code int, now time.Time) {
	d.shell = d.shell || which == "D" || !d.marked && d.submitted.IsZero()
	if d.marked = true; !d.shell && (d.tui || d.draws()) {
		return
	}
	c := claim{source: SourceOSC133, confidence: sureHook, rule: "mark " + which}
	switch which {
	case "A", "B":
		c.state, c.ended = profile.Ready, true
		d.promptBack(now)
	case "C":
		c.state = profile.Working
	case "D":
		c.state = profile.Ready
		if code >= 0 {
			c.rule = fmt.Sprintf("mark D, exit code %d", code)
		}
	default:
		return
	}
	d.say(rungMark, c, now)
}

// promptBack ends what a program that the shell ran last said of itself: the shell is
// at its prompt, so the program has gone.
func (d *Detector) promptBack(now time.Time) {
	for _, r := range []rung{rungStatus, rungProgress} {
		if s := d.claims[r].state; s == profile.Working || s == profile.Asking {
			d.hush(r, now)
		}
	}
}

// progress takes a state of OSC 9;4. A program that a shell runs removes its bar long
// before it ends; an agent that draws a screen removes it when its turn ends.
func (d *Detector) progress(state int, now time.Time) {
	switch {
	case state == 1 || state == 3:
		d.say(rungProgress, claim{state: profile.Working, source: SourceProgress, confidence: sureHook, rule: fmt.Sprintf("OSC 9;4;%d", state)}, now)
	case d.tui && state == 0 && d.claims[rungProgress].state == profile.Working:
		d.say(rungProgress, claim{state: profile.Ready, source: SourceProgress, confidence: sureWeak, rule: "OSC 9;4;0"}, now)
	default:
		d.hush(rungProgress, now)
	}
}

// notice takes a notification: agents send one when they wait for a decision. Other
// notifications say nothing of the state: some are the answer itself.
func (d *Detector) notice(text string, now time.Time) {
	lower := strings.ToLower(text)
	for _, sign := range []string{"approval requested", "needs your permission", "needs your approval", "permission required", "action required"} {
		if strings.Contains(firstLine(lower), sign) {
			d.say(rungNotice, claim{
				state: profile.Asking, kind: profile.KindPermission, source: SourceNotification,
				confidence: sureHook, rule: "notification " + sign, message: text,
			}, now)
			return
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Report takes what the agent reported out of band, by a hook or over the channel.
func (d *Detector) Report(r Report, now time.Time) {
	where, c := rungHook, claim{source: SourceHook, confidence: sureHook, kind: r.Kind, rule: "hook", message: r.Message}
	if r.Source == SourceChannel {
		where, c.source, c.confidence, c.rule = rungChannel, SourceChannel, sureItself, "channel"
	}
	c.rule += " says " + string(r.State)
	switch r.State {
	case profile.Working:
		c.state = profile.Working
	case profile.Starting: // no hook reports the end of the start
		d.hush(where, now)
		return
	case profile.Asking:
		if c.state = r.State; c.kind == "" {
			c.kind = profile.KindQuestion
		}
	case profile.Ready:
		c.state, c.ended = profile.Ready, r.Final
	case Failed:
		c.state, c.ended, c.failed = profile.Ready, true, true
	case profile.Exited: // the session ended; only the process can show whether it ends
		d.hush(where, now)
		return
	case "":
		if !r.Final {
			return
		}
		c.state, c.ended, c.rule = profile.Ready, true, c.source+" gave the whole answer"
	default:
		return
	}
	d.say(where, c, now)
}
