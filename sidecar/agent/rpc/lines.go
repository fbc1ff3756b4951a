package rpc

import "bytes"

// maxHead is how much of a line that is too long is kept to find out what it is, in bytes.
const maxHead = 64 << 10

// Lines cuts what a process writes into lines. It is for one goroutine.
type Lines struct {
	Limit int // the longest line that is kept, in bytes

	begun []byte
	long  bool // the line that is begun is too long: the rest of it is skipped
}

// Next takes a chunk and calls each for every line that it completes. whole is false for the
// beginning of a line that is too long. The line may be used until each returns.
func (r *Lines) Next(chunk []byte, each func(line []byte, whole bool)) {
	for len(chunk) > 0 {
		line, rest, ended := bytes.Cut(chunk, []byte{'\n'})
		chunk = rest
		switch {
		case r.long:
		case len(r.begun)+len(line) > r.Limit:
			r.begun = append(r.begun[:min(len(r.begun), maxHead)], line[:min(len(line), maxHead)]...)
			r.begun, r.long = bytes.Clone(r.begun), true // the rest of it goes
		case ended && len(r.begun) == 0:
			each(line, true)
			continue
		default:
			r.begun = append(r.begun, line...)
		}
		if ended {
			each(r.begun, !r.long)
			r.begun, r.long = nil, false
		}
	}
}
