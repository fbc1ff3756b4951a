package console

import "bytes"

// statusQuery is the agent's question whether the terminal knows program status
// (OSC 7501), without its terminator, BEL or ST.
const statusQuery = "\x1b]7501;?"

// QueryFilter takes the question for program status out of what a person's
// terminal gets: we answer it, and no terminal is to answer or show it as well.
// The question may come in pieces.
type QueryFilter struct {
	held []byte // the beginning of what may become the question
}

// Next returns what of a chunk is to be shown now. It is valid until the next
// call.
func (f *QueryFilter) Next(chunk []byte) []byte {
	if len(f.held) == 0 && bytes.IndexByte(chunk, 0x1b) < 0 {
		return chunk
	}
	in := append(f.held, chunk...)
	f.held = nil
	out := make([]byte, 0, len(in))
	for len(in) > 0 {
		n := bytes.IndexByte(in, 0x1b)
		if n < 0 {
			n = len(in)
		}
		out, in = append(out, in[:n]...), in[n:]
		size, whole := matchQuery(in)
		switch {
		case size == 0 && len(in) > 0:
			out, in = append(out, in[0]), in[1:]
		case whole:
			in = in[size:]
		default:
			f.held = append([]byte(nil), in...)
			in = nil
		}
	}
	return out
}

// Rest is what was held back, at the end.
func (f *QueryFilter) Rest() []byte {
	held := f.held
	f.held = nil
	return held
}

// matchQuery reports how much of b is the question, 0 for none of it, and
// whether that is the whole of it. b not whole and not 0 is all of b.
func matchQuery(b []byte) (n int, whole bool) {
	n = min(len(b), len(statusQuery))
	if string(b[:n]) != statusQuery[:n] {
		return 0, false
	}
	if n < len(statusQuery) {
		return n, false
	}
	switch b = b[n:]; {
	case len(b) == 0:
		return n, false
	case b[0] == 0x07:
		return n + 1, true
	case b[0] != 0x1b:
		return 0, false
	case len(b) == 1:
		return n + 1, false
	case b[1] == '\\':
		return n + 2, true
	}
	return 0, false
}
