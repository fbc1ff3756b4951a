package transcript

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// answerMax bounds what a Reader keeps of one answer. Text beyond it is not read; no
// agent that draws a screen says that much in one turn.
const answerMax = 16 << 20

// resizeTime is how long nothing is returned after a resize: an agent redraws what it
// had, and may do so in steps.
const resizeTime = 500 * time.Millisecond

// Reader finds the text of one answer among the rows that the agent draws: the text
// below the message's echo, without the input box, spinners, tool calls and footers,
// and with wrapped lines joined again. It is for one goroutine.
//
// What is not on the screen cannot be read from it: blanks at the end of a line, tabs,
// marks of Markdown that the agent draws as styles, and the number of blank lines that
// it merged into one. A newline looks like a wrapped line, and is read as a blank, if
// the next word would not have fitted into the row. If an agent reports its answer by
// a hook, that is the exact text: see [Reconcile].
//
// Each row of the history is looked at once, and each Read looks at the rows of the
// screen again, so that the costs do not grow with the answer. If an agent clears the
// terminal and prints everything again (Ink does so when the size changes), it is
// followed from the message's echo on; text that was returned already is not returned
// again.
type Reader struct {
	rules   *profile.Answer
	pasted  *profile.Pattern
	want    message
	earlier earlier

	begun      bool
	alternate  bool
	cols, rows int
	resized    bool
	mark       uint64    // an echo above this row belongs to an older message
	stood      stood     // what was on the screen before the message
	calm       time.Time // until this time the agent may still redraw after a resize

	next   uint64 // the next row of the history
	scroll scroller
	early  early   // the rows that have scrolled off while no echo was seen
	shown  shown   // the transcript as the screen showed it the last time
	past   reading // the text that has scrolled off
	seam   seam

	given   strings.Builder
	settled int    // past.text was compared with given up to here
	agreed  int    // the present reading confirms given up to here
	epoch   int    // the reading to which settled and agreed belong
	tail    []byte // the text that was settled on the screen the last time
	tailOf  int    // the reading to which tail belongs
	tailAt  int    // how much text came before it
	last    uint64 // generation
	seen    bool

	missed bool // rows of the answer may have passed unseen
	own    bool // the message's own echo was seen
	twice  bool // the same message was typed before, and the echo of that one was not yet there
}

// NewReader returns a reader of the answer to a message. The message is given as it
// was typed, and so are the messages typed before it: a busy agent may draw those and
// their answers later, and they are not the answer to this one.
func NewReader(p *profile.Profile, prompt string, before ...string) *Reader {
	r := &Reader{rules: &p.Answer, pasted: p.Prompt.Pasted, want: newMessage(prompt)}
	for _, message := range before {
		r.earlier = append(r.earlier, newMessage(message))
	}
	if noRules(r.rules) {
		r.rules = &profile.Generic().Answer
	}
	r.past = reading{r: r}
	return r
}

// Begin takes what the screen shows just before the message is typed: an echo that is
// already there is not the message's, and rows that have scrolled off are not looked
// at.
func (r *Reader) Begin(s term.Snapshot) {
	r.begun, r.alternate, r.cols, r.rows = true, s.Alternate, s.Cols, s.Rows
	rows := texts(s.Lines)
	end, _ := liveRow(r.rules, rows)
	var first uint64
	if s.Alternate {
		r.scroll.roll(s.Lines[:end])
	} else {
		first, r.next = s.Scrolled, s.Scrolled
	}
	r.mark, r.stood = first, stood{first: first, rows: rows[:end]}
	r.twice = slices.ContainsFunc(r.earlier, func(m message) bool { return m.all == r.want.all })
	for i, row := range rows[:end] {
		if r.isEcho(row) {
			r.mark = first + uint64(i) + 1
			r.twice = r.twice && !r.want.is(row)
		}
	}
}

// Relearn gives the reader other rules for the rows that it reads from now on.
func (r *Reader) Relearn(p *profile.Profile) {
	r.rules, r.pasted, r.seen = &p.Answer, p.Prompt.Pasted, false
}

// isEcho reports whether the row can be an echo.
func (r *Reader) isEcho(row string) bool {
	if r.rules.Echo != nil {
		return r.rules.Echo.Fits(row)
	}
	_, ok := r.want.bare(row)
	return ok
}

// Next returns the number of the first row of the history that Read has not seen.
func (r *Reader) Next() uint64 { return r.next }

// Read returns the part of the answer so far that will not change any more: each
// result begins with the one before. Take the snapshot first, then the history from
// Next on: Read waits for rows that are missing between the two.
func (r *Reader) Read(history []term.Line, first uint64, s term.Snapshot) (settled string) {
	if r.seen && r.last == s.Generation {
		return r.given.String()
	}
	if now, whole := r.read(history, first, s, false); whole {
		r.last, r.seen = s.Generation, true
		if !s.Output.Before(r.calm) {
			r.settle(now, now.stable())
		}
	}
	return r.given.String()
}

// Text returns the answer so far: what Read settled, and what was added to it or has
// replaced it since. The text is not copied.
func (r *Reader) Text() string { return r.given.String() }

// Add adds text that does not come from the screen to the answer, once nothing more is
// read from the screen.
func (r *Reader) Add(text string) { r.given.WriteString(text) }

// Replace makes text the answer, once nothing more is read from the screen.
func (r *Reader) Replace(text string) {
	r.given.Reset()
	r.given.WriteString(text)
}

// Final returns the whole answer once the agent is done. It does not begin with what
// Read returned if the agent changed that later, or if the screen now shows how a line
// was meant.
func (r *Reader) Final(history []term.Line, first uint64, s term.Snapshot) string {
	now, _ := r.read(history, first, s, true)
	now.release()
	past, rest := r.parts(now, len(now.text))
	text := strings.TrimRight(string(past)+string(rest), " \n")
	r.own = now.own
	r.missed = r.missed || r.begun && s.Alternate && !now.found()
	if text == "" && !now.found() {
		return r.unled(s)
	}
	return text
}

// Missed reports whether rows of the answer may have passed unseen: the agent drew
// more at once than its alternate screen holds, which has no history, or the beginning
// of the answer was never there. Call it after Final.
func (r *Reader) Missed() bool { return r.missed }

// Found reports whether the message's own echo was seen, and certainly not that of the
// same message typed before. Call it after Final.
func (r *Reader) Found() bool { return r.own && !r.twice }

// parts returns the answer so far in two pieces: what has scrolled off and the first n
// bytes of the text read from the screen.
func (r *Reader) parts(now reading, n int) (past, rest []byte) {
	switch {
	case now.epoch != r.past.epoch:
		return nil, now.text[:n]
	case !r.seam.open || r.seam.epoch != now.epoch:
		return r.past.text, now.text[:n]
	}
	before, skip := r.seam.find(r.past.text, now.text)
	if skip <= len(r.past.text) {
		r.past.text = append(before, r.past.text[skip:]...)
		r.seam = seam{}
		return r.past.text, now.text[:n]
	}
	return before, now.text[min(n, skip-len(r.past.text)):n]
}

// settle settles what is new: all that has scrolled off and the first n bytes of the
// text read from the screen.
func (r *Reader) settle(now reading, n int) {
	if !now.sure {
		return
	}
	past, rest := r.parts(now, n)
	r.tail, r.tailOf = append(r.tail[:0], rest...), now.epoch
	r.tailAt = len(past)
	from, done := 0, 0
	closed := now.epoch == r.past.epoch && !r.seam.open
	if closed && r.epoch == now.epoch {
		from, done = r.agreed, r.settled
	}
	more := trim(past[done:])
	to, ok := r.agree(from, more)
	if !ok {
		return
	}
	done += len(more)
	if closed {
		r.epoch, r.agreed, r.settled = now.epoch, to, done
	}
	// Blanks at the end of past are settled together with what follows them.
	r.agree(to, trim(append(slices.Clone(past[done:]), rest...)))
}

// trim removes the blanks and newlines at the end.
func trim(text []byte) []byte { return bytes.TrimRight(text, " \n") }

// agree compares text with what was given from that offset on, and adds to given what
// goes beyond. It ignores blanks and newlines, which depend on the screen's width.
func (r *Reader) agree(from int, text []byte) (to int, ok bool) {
	g := r.given.String()[from:]
	for {
		gs, ts := len(g)-len(strings.TrimLeft(g, " \n")), len(text)-len(bytes.TrimLeft(text, " \n"))
		if gs == len(g) || ts == len(text) {
			break
		}
		if g[gs] != text[ts] {
			return from, false
		}
		g, text = g[gs+1:], text[ts+1:]
	}
	if len(g) == 0 {
		r.given.Write(text[:min(max(0, answerMax-r.given.Len()), len(text))])
	}
	return r.given.Len() - len(g), true
}

func texts(lines []term.Line) []string {
	rows := make([]string, len(lines))
	for i, l := range lines {
		rows[i] = l.Text
	}
	return rows
}

// noRules reports whether a profile has no rules for the answer.
func noRules(a *profile.Answer) bool {
	return a.Echo == nil && a.Text == nil && a.Body == nil && len(a.Drop) == 0 && len(a.Live) == 0
}

// liveRow returns the row at which the live region begins. It reports false if the
// region is not there, as while an agent that is known to have one redraws everything.
func liveRow(a *profile.Answer, rows []string) (row int, ok bool) {
	for i := range a.Live {
		b := &a.Live[i]
		for at := len(rows) - 1; at >= 0; at-- {
			two := rows[at] + "\n"
			if at+1 < len(rows) {
				two += rows[at+1]
			}
			if !b.At.Fits(two) {
				continue
			}
			for at > 0 && b.Up.Fits(rows[at-1]) {
				at--
			}
			return at, true
		}
	}
	return len(rows), len(a.Live) == 0 || a.Echo == nil
}
