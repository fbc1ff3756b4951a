package transcript

import (
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// cut begins a new reading at the top of the screen, which the agent has redrawn.
// Where the reading begins in the answer is found after it was read.
func (r *Reader) cut() {
	known := r.tail
	if r.tailOf == r.past.epoch {
		past, _ := r.parts(r.past.branch(), 0)
		known = past // and what has scrolled off since is the beginning of the tail, or all of it
		if from := min(r.tailAt, len(past)); len(past)-from < len(r.tail) {
			known = append(past[:from:from], r.tail...)
		}
	}
	at := r.past.at
	if at == inChrome {
		at = inText
	}
	epoch := r.past.epoch + 1
	r.past = reading{r: r, epoch: epoch, sure: r.past.sure, own: r.past.own, torn: r.past.torn, at: at, join: joiner{mark: -1, para: -1}}
	r.seam = seam{open: true, epoch: epoch, known: known}
	r.tail = nil
}

// read takes what is new into r.past and returns the reading of what is on the screen
// after it; whole is false if the screen is just being drawn.
func (r *Reader) read(history []term.Line, first uint64, s term.Snapshot, final bool) (now reading, whole bool) {
	end, whole := liveRow(r.rules, texts(s.Lines))
	if s.Alternate != r.alternate || s.Cols != r.cols {
		r.mark, r.stood = 0, stood{}
	}
	if r.rows != 0 && (s.Cols != r.cols || s.Rows != r.rows) {
		r.calm, r.resized = s.Output.Add(resizeTime), true
	}
	r.alternate, r.cols, r.rows = s.Alternate, s.Cols, s.Rows
	if s.Alternate {
		if !whole && !final {
			return r.past.branch(), false // anything else on the screen would be taken for the transcript
		}
		return r.readAlternate(s.Lines[:end]), true
	}
	if whole && r.past.at != before && r.shown.rewritten(history, first, s, end, r.next) {
		r.cut()
	}
	whole = r.catchUp(history, first, s.Scrolled) && whole
	if whole {
		r.leave(s, end)
	}
	now = r.past.branch()
	for i, l := range s.Lines[:end] {
		n := s.Scrolled + uint64(i)
		if n < r.next && !r.isEcho(l.Text) {
			continue // the row came back from the history, or was left behind
		}
		l, cols := r.shown.original(n, l, s.Cols)
		now.row(l, n, cols)
	}
	if whole {
		r.shown.set(s, end)
	}
	return now, whole
}

// readAlternate reads the transcript on the alternate screen.
func (r *Reader) readAlternate(rows []term.Line) reading {
	if r.pinned(rows) {
		rows = rows[1:]
	}
	off, lost := r.scroll.roll(rows)
	for _, l := range off {
		r.past.row(l, r.scroll.gone, r.cols)
		r.early.keep(&r.past, l, r.scroll.gone, r.cols)
		r.scroll.gone++
	}
	if lost && r.past.at != before {
		r.past.sure, r.missed = false, true // rows may be missing: what follows waits for the end
		if r.past.at != after {
			r.past.at = inText // the first row of the block may be among the lost rows
		}
	}
	now := r.past.branch()
	for i, l := range rows {
		now.row(l, r.scroll.gone+uint64(i), r.cols)
	}
	return now
}

// pinned reports whether the first row is the message, which the agent keeps visible
// above what has scrolled.
func (r *Reader) pinned(rows []term.Line) bool {
	if r.rules.Echo == nil || r.rules.Text == nil || len(rows) < 2 {
		return false
	}
	groups := r.rules.Echo.Groups(rows[0].Text)
	switch {
	case groups == nil:
		return false
	case r.past.at != before:
		return true // it has scrolled off
	case profile.Blank(rows[1].Text):
		return false
	}
	shown, _ := r.want.begins(profile.Group(groups, len(groups)-1), r.pasted)
	_, on := r.want.goesOn(shown, rows[1].Text)
	return !on
}

// catchUp takes the rows above the screen, whose first row is top, into r.past.
func (r *Reader) catchUp(history []term.Line, first, top uint64) bool {
	if first > r.next {
		r.next = first // they are lost
	}
	for i, l := range history {
		if n := first + uint64(i); n >= r.next && n < top {
			l, cols := r.shown.original(n, l, r.cols)
			r.past.row(l, n, cols)
			r.early.keep(&r.past, l, n, cols)
			r.next = n + 1
			if r.stale(l.Text) {
				r.cut()
			}
		}
	}
	return r.next >= top
}

// stale reports whether a row that stands above text was left behind.
func (r *Reader) stale(row string) bool {
	return r.resized && r.past.at != before && profile.FitsAny(r.rules.Stale, row)
}

// leave treats the rows that the agent has left behind on the screen, above what it
// has redrawn, as scrolled off.
func (r *Reader) leave(s term.Snapshot, end int) {
	text := false // something like text stands below
	for i := end - 1; i >= 0 && s.Scrolled+uint64(i) >= r.next; i-- {
		row := s.Lines[i].Text
		switch {
		case text && r.stale(row):
			for j := range s.Lines[:i+1] {
				if n := s.Scrolled + uint64(j); n == r.next {
					l, cols := r.shown.original(n, s.Lines[j], s.Cols)
					r.past.row(l, n, cols)
					r.next++
				}
			}
			r.cut()
			return
		case r.rules.Body.Fits(row) && !profile.FitsAny(r.rules.Drop, row) && !profile.Blank(row):
			text = true
		}
	}
}
