package lines

import (
	"bytes"
	"errors"
)

// maxLine is the longest line that is read, in bytes without its newline.
const maxLine = 8 << 20

// errLongLine fails the turn whose answer cannot be read.
var errLongLine = errors.New("the agent wrote a line of more than 8 MiB, the longest that is read")

// framing cuts output into whole lines. It is used by one goroutine.
type framing struct {
	begun    []byte // of the line that has no end yet
	skipping bool   // to the end of a line that is too long
}

// next returns the lines, with their newlines, that are whole with a chunk, and
// whether one of them was too long: that one is missing. They are valid until the
// chunk is not.
func (f *framing) next(chunk []byte) (whole []byte, tooLong bool) {
	if f.skipping {
		_, rest, found := bytes.Cut(chunk, []byte{'\n'})
		if !found {
			return nil, false
		}
		f.skipping, chunk = false, rest
	}
	end := bytes.LastIndexByte(chunk, '\n') + 1
	first := bytes.IndexByte(chunk, '\n')
	if first < 0 {
		first = len(chunk)
	}
	if tooLong = len(f.begun)+first > maxLine; tooLong {
		f.begun, f.skipping = nil, end == 0
		chunk, end = chunk[min(first+1, end):], max(end-first-1, 0)
	}
	switch {
	case f.skipping:
		return nil, tooLong
	case end == 0:
		f.begun = append(f.begun, chunk...)
		return nil, tooLong
	}
	whole = append(f.begun, chunk[:end]...)
	f.begun = append([]byte(nil), chunk[end:]...)
	return whole, tooLong
}

// rest is the line without an end, after the last output.
func (f *framing) rest() []byte {
	rest := f.begun
	f.begun = nil
	return rest
}
