package rpc

import "bytes"

// How much of a line that is too long is kept to find out what it is, in bytes: of its beginning and of
// its end.
const (
	maxHead = 64 << 10
	maxTail = 256
)

// Lines cuts what a process writes into lines. It is for one goroutine.
type Lines struct {
	Limit int // the longest line that is kept, in bytes

	begun []byte
	long  bool   // the line that is begun is too long: begun is its head
	tail  []byte // the end of what came of a line that is too long
}

// Tail returns the end of the line that is too long, while each has its beginning. It may be used until each
// returns.
func (r *Lines) Tail() []byte { return r.tail }

// Next takes a chunk and calls each for every line that it completes. whole is false for the
// beginning of a line that is too long. The line may be used until each returns.
func (r *Lines) Next(chunk []byte, each func(line []byte, whole bool)) {
	for len(chunk) > 0 {
		line, rest, ended := bytes.Cut(chunk, []byte{'\n'})
		chunk = rest
		switch {
		case r.long:
			r.skip(line)
		case len(r.begun)+len(line) > r.Limit:
			r.skip(r.begun)
			r.skip(line)
			r.begun = r.begun[:min(len(r.begun), maxHead)]
			r.begun = append(r.begun, line[:min(len(line), maxHead-len(r.begun))]...)
			r.begun, r.long = bytes.Clone(r.begun), true // the rest of it goes
		case ended && len(r.begun) == 0:
			each(line, true)
			continue
		default:
			r.begun = append(r.begun, line...)
		}
		if ended {
			each(r.begun, !r.long)
			r.begun, r.long, r.tail = nil, false, nil
		}
	}
}

// skip keeps the end of a line that is too long.
func (r *Lines) skip(more []byte) {
	r.tail = append(r.tail, more[max(0, len(more)-maxTail):]...)
	r.tail = append(r.tail[:0], r.tail[max(0, len(r.tail)-maxTail):]...)
}
