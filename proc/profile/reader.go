package profile

import (
	"bytes"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// answerMax bounds what a Reader keeps of one answer. What comes after it is
// not read; no agent that draws a screen says that much in one turn.
const answerMax = 16 << 20

// Reader finds the text of one answer among the rows that the agent draws: what
// stands below the message's echo, without the input box, spinners, tool calls
// and footers, lines that the agent wrapped joined again. It is for one
// goroutine.
//
// What is not on the screen cannot be read from it: blanks at the end of a
// line, tabs, marks of Markdown that the agent draws as styles, how many blank
// lines it made one of. A newline after which the next word would not have
// fitted into the row looks like a wrapped line and is read as a blank. Where
// an agent tells its answer by a hook, that is the exact text: see [Reconcile].
//
// Each row of the history is looked at once, and each Read looks at the rows of
// the screen again, so that the costs do not grow with the answer. An agent
// that clears the terminal and prints everything again (Ink does when the size
// changes) is followed from the message's echo on; what was given already is
// not given again.
type Reader struct {
	rules  *Answer
	pasted *Pattern
	want   message

	begun     bool
	alternate bool   // at Begin
	cols      int    // at Begin
	mark      uint64 // an echo above this row is an older one

	next    uint64 // row of the history
	scroll  scroller
	past    reading // what has scrolled off
	given   strings.Builder
	settled int    // up to here past.text was compared with given
	agreed  int    // up to here given is confirmed by the present reading
	epoch   int    // the reading that settled and agreed are of
	last    uint64 // generation
	seen    bool
}

// NewReader returns a reader of the answer to a message, which is given as it
// was typed.
func (p *Profile) NewReader(prompt string) *Reader {
	r := &Reader{rules: &p.Answer, pasted: p.Prompt.Pasted, want: newMessage(prompt)}
	if r.rules.none() {
		r.rules = &Generic().Answer
	}
	r.past = reading{r: r}
	return r
}

// Begin tells what the screen shows just before the message is typed: an echo
// that stands there already is not that of the message, and what has scrolled
// off is not looked at.
func (r *Reader) Begin(s term.Snapshot) {
	r.begun, r.alternate, r.cols = true, s.Alternate, s.Cols
	rows := texts(s.Lines)
	end, _ := r.rules.border(rows)
	var first uint64
	if s.Alternate {
		r.scroll.roll(s.Lines[:end])
	} else {
		first, r.next = s.Scrolled, s.Scrolled
	}
	r.mark = first
	for i, row := range rows[:end] {
		if r.isEcho(row) {
			r.mark = first + uint64(i) + 1
		}
	}
}

// isEcho says whether the row can be an echo.
func (r *Reader) isEcho(row string) bool {
	if r.rules.Echo != nil {
		return r.rules.Echo.Fits(row)
	}
	_, ok := r.want.bare(row)
	return ok
}

// Next is the number of the first row of the history that Read has not seen.
func (r *Reader) Next() uint64 { return r.next }

// Read returns the answer so far, as far as it will not change any more: each
// result begins with the one before. Take the snapshot first, then the history
// from Next on: rows that are missing between the two are waited for.
func (r *Reader) Read(history []term.Line, first uint64, s term.Snapshot) (settled string) {
	if r.seen && r.last == s.Generation {
		return r.given.String()
	}
	if now, whole := r.read(history, first, s, false); whole {
		r.last, r.seen = s.Generation, true
		r.settle(now, now.stable())
	}
	return r.given.String()
}

// Final returns the whole answer once the agent is done. It does not begin
// with what Read gave if the agent changed that later, or if the screen shows
// now how a line was meant.
func (r *Reader) Final(history []term.Line, first uint64, s term.Snapshot) string {
	now, _ := r.read(history, first, s, true)
	now.release()
	if now.epoch != r.past.epoch {
		return string(now.text)
	}
	return string(append(slices.Clip(r.past.text), now.text...))
}

// read takes what is new into r.past and returns the reading of what is on the
// screen after it; whole is false when the screen is just being drawn.
func (r *Reader) read(history []term.Line, first uint64, s term.Snapshot, final bool) (now reading, whole bool) {
	rows := texts(s.Lines)
	end, whole := r.rules.border(rows)
	if s.Alternate != r.alternate || s.Cols != r.cols {
		r.alternate, r.cols, r.mark = s.Alternate, s.Cols, 0
	}
	top := s.Scrolled
	switch {
	case s.Alternate && !whole && !final:
		return r.past.branch(), false // what else is on the screen would be taken for the transcript
	case s.Alternate:
		for _, l := range r.scroll.roll(s.Lines[:end]) {
			r.past.row(l, r.scroll.gone)
			r.scroll.gone++
		}
		top = r.scroll.gone
	case !r.catchUp(history, first, top):
		whole = false
	}
	now = r.past.branch()
	for i, l := range s.Lines[:end] {
		n := top + uint64(i)
		if !s.Alternate && n < r.next && !r.isEcho(l.Text) {
			continue // it came back from the history
		}
		now.row(l, n)
	}
	return now, whole
}

// catchUp takes the rows above the screen, whose first row is top, into r.past.
func (r *Reader) catchUp(history []term.Line, first, top uint64) bool {
	if first > r.next {
		r.next = first // they are lost
	}
	for i, l := range history {
		if n := first + uint64(i); n >= r.next && n < top {
			r.past.row(l, n)
			r.next = n + 1
		}
	}
	return r.next >= top
}

// settle gives what is new: all of r.past and the first n bytes of what is
// read from the screen.
func (r *Reader) settle(now reading, n int) {
	if r.epoch != r.past.epoch {
		r.epoch, r.settled, r.agreed = r.past.epoch, 0, 0
	}
	if !now.sure {
		return
	}
	agreed, ok := 0, true
	if now.epoch == r.past.epoch {
		past := bytes.TrimRight(r.past.text[r.settled:], " \n")
		if agreed, ok = r.agree(r.agreed, past); !ok {
			return
		}
		r.settled, r.agreed = r.settled+len(past), agreed
		// Blanks that the past ends with are said with what follows them.
		if tail := r.past.text[r.settled:]; len(tail) > 0 && n > 0 {
			r.agree(agreed, append(slices.Clone(tail), bytes.TrimRight(now.text[:n], " \n")...))
			return
		}
	}
	r.agree(agreed, bytes.TrimRight(now.text[:n], " \n"))
}

// agree compares text with what was given from there on, in all but blanks and
// newlines, which depend on the screen's width, and gives what goes beyond.
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
