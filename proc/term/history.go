package term

import "unicode/utf8"

const (
	// blockText (bytes) and blockRows are how much a block of the history holds before the next
	// one begins.
	blockText = 32 << 10
	blockRows = 4 << 10
	// rowCost is how many bytes are counted for a row in addition to its text. A reader who
	// asks for all rows gets three times that for each row.
	rowCost = 16
)

// history keeps the text of rows that scrolled off, in blocks. If there are too many bytes, a
// whole block is dropped and its memory reused.
type history struct {
	limit  int // in bytes; if less than 1, nothing is kept
	blocks []*block
	size   int
	// next is the number of the next row. first is the number of the oldest row that is kept.
	first, next uint64
	spare       *block
}

type block struct {
	text []byte
	ends []uint32 // where each row ends in text, with wrappedBit set for a wrapped row
}

const wrappedBit = 1 << 31

// add appends the text of a row.
func (h *history) add(r *row, c *clusters) {
	h.next++
	if h.limit < 1 {
		h.first = h.next
		return
	}
	b := h.last()
	before := len(b.text)
	b.text = appendText(b.text, r, c)
	end := uint32(len(b.text))
	if r.wrapped {
		end |= wrappedBit
	}
	b.ends = append(b.ends, end)
	h.size += len(b.text) - before + rowCost
	h.drop()
}

// last returns the block with room for one more row.
func (h *history) last() *block {
	if n := len(h.blocks); n > 0 {
		if b := h.blocks[n-1]; len(b.text) < blockText && len(b.ends) < blockRows {
			return b
		}
	}
	b := h.spare
	if b == nil {
		b = &block{}
	}
	h.spare = nil
	h.blocks = append(h.blocks, b)
	return b
}

// drop drops the oldest blocks as long as the rest still has at least limit bytes.
func (h *history) drop() {
	for len(h.blocks) > 1 && h.size-h.blocks[0].size() >= h.limit {
		b := h.blocks[0]
		h.size -= b.size()
		h.first += uint64(len(b.ends))
		copy(h.blocks, h.blocks[1:])
		h.blocks = h.blocks[:len(h.blocks)-1]
		b.text, b.ends = b.text[:0], b.ends[:0]
		h.spare = b
	}
}

func (b *block) size() int { return len(b.text) + rowCost*len(b.ends) }

// clear forgets all rows. Their numbers are not used again.
func (h *history) clear() {
	h.blocks, h.spare, h.size, h.first = nil, nil, 0, h.next
}

// from returns the kept rows from number n on, and the number of the first of them.
func (h *history) from(n uint64) (rows []Line, first uint64) {
	n = max(n, h.first)
	if n >= h.next {
		return nil, max(n, h.next)
	}
	rows = make([]Line, 0, h.next-n)
	at := h.first
	for _, b := range h.blocks {
		skip := int(min(uint64(len(b.ends)), max(n, at)-at))
		at += uint64(len(b.ends))
		if skip == len(b.ends) {
			continue
		}
		begin := uint32(0)
		if skip > 0 {
			begin = b.ends[skip-1] &^ wrappedBit
		}
		text := string(b.text[begin:]) // one copy for all rows of the block
		for _, end := range b.ends[skip:] {
			stop := end &^ wrappedBit
			rows = append(rows, Line{Text: text[:stop-begin], Wrapped: end&wrappedBit != 0})
			text, begin = text[stop-begin:], stop
		}
	}
	return rows, n
}

// appendText adds the text of a row to p.
func appendText(p []byte, r *row, c *clusters) []byte {
	for _, at := range r.cells[:r.end()] {
		switch {
		case at.r > tail && at.r < utf8.RuneSelf:
			p = append(p, byte(at.r))
		case at.r == 0:
			p = append(p, ' ')
		case at.r != tail:
			p = c.append(p, at.r)
		}
	}
	return p
}
