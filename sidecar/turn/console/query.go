package console

import "bytes"

// statusQuery is the query by which the agent asks whether the terminal knows
// program status (OSC 7501), without its terminator, BEL or ST.
const statusQuery = "\x1b]7501;?"

// QueryFilter removes the query for program status from what a person's terminal
// gets: the sidecar answers it, and no terminal should answer or show it as well.
// The query may come in pieces.
type QueryFilter struct {
	held []byte // the beginning of what may become the query
}

// Next returns the bytes of a chunk that can be shown now. They are valid until the
// next call.
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

// Rest returns what was held back, at the end of the output.
func (f *QueryFilter) Rest() []byte {
	held := f.held
	f.held = nil
	return held
}

// matchQuery returns how many bytes of b belong to the query, 0 if none do, and
// reports whether the query is complete. If it is incomplete and n is not 0, n is
// all of b.
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
