package lines

import (
	"bytes"
	"errors"
)

// maxLine is the longest line that is read, in bytes, without its newline.
const maxLine = 8 << 20

// errLongLine fails a turn whose answer cannot be read.
var errLongLine = errors.New("the agent wrote a line of more than 8 MiB, the longest that is read")

// framing cuts output into whole lines. It is used by one goroutine.
type framing struct {
	begun    []byte // the beginning of a line whose end has not come yet
	skipping bool   // output is skipped up to the end of a line that is too long
}

// next returns the lines, with their newlines, that this chunk completes, and
// reports whether one of them was too long: that line is left out. The lines are
// valid as long as the chunk.
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

// rest returns the line without a newline at the end of the output.
func (f *framing) rest() []byte {
	rest := f.begun
	f.begun = nil
	return rest
}
