package task

import "strings"

// The sizes of a rope's blocks double, so that short texts are cheap and long ones
// have few blocks.
const (
	firstBlock = 512
	lastBlock  = 64 << 10
)

// rope is a text that grows at its end. Appended text is copied once and never
// moves, so a copy of the blocks taken at any time stays valid while more is
// appended.
type rope struct {
	blocks [][]byte
	whole  string // instead of blocks, once sealed
}

func (r *rope) append(s string) {
	for len(s) > 0 {
		n := len(r.blocks)
		if n == 0 || len(r.blocks[n-1]) == cap(r.blocks[n-1]) {
			size := firstBlock
			if n > 0 {
				size = min(2*cap(r.blocks[n-1]), lastBlock)
			}
			r.blocks = append(r.blocks, make([]byte, 0, size))
			n++
		}
		last := r.blocks[n-1]
		k := min(cap(last)-len(last), len(s))
		r.blocks[n-1] = append(last, s[:k]...)
		s = s[k:]
	}
}

// view returns the text as it is now. It can be read without any lock.
func (r *rope) view() rope {
	return rope{blocks: append([][]byte(nil), r.blocks...), whole: r.whole}
}

// String returns the whole text as one string.
func (r *rope) String() string {
	if len(r.blocks) == 0 {
		return r.whole
	}
	n := 0
	for _, b := range r.blocks {
		n += len(b)
	}
	var out strings.Builder
	out.Grow(n)
	for _, b := range r.blocks {
		out.Write(b)
	}
	return out.String()
}
