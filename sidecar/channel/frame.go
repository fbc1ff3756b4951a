package channel

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// keepBuffer is how large a buffer may stay between two frames.
const keepBuffer = 64 << 10

// frameReader reads frames: lines of a length that is bounded.
type frameReader struct {
	r    *bufio.Reader
	buf  []byte
	most int // bytes of a frame

	// long has a place for each frame of more than keepBuffer bytes that may be read
	// at a time by those who share it; nil for any number.
	long chan struct{}
	dead <-chan struct{} // ends the wait for a place
	held bool            // a place
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 16<<10), most: MaxFrame}
}

// take waits for a place, and reports whether there is one.
func (f *frameReader) take() bool {
	if f.held || f.long == nil {
		return true
	}
	select {
	case f.long <- struct{}{}:
		f.held = true
	case <-f.dead:
	}
	return f.held
}

// release gives up the frame that was read last, and its place.
func (f *frameReader) release() {
	if cap(f.buf) > keepBuffer {
		f.buf = nil
	}
	if f.held {
		<-f.long
		f.held = false
	}
}

// next returns a frame without its line end, skipping empty lines; it is valid
// until the next call. Errors: ErrFrame for one that is too long, after which
// the reader is of no more use; io.ErrUnexpectedEOF for one that stops before
// its line end; io.EOF; else the connection's.
func (f *frameReader) next() ([]byte, error) {
	for {
		line, err := f.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// line returns a line with its end.
func (f *frameReader) line() ([]byte, error) {
	f.release()
	f.buf = f.buf[:0]
	for {
		piece, err := f.r.ReadSlice('\n')
		switch {
		case len(f.buf)+len(piece) > f.most+1 || err != nil && len(f.buf)+len(piece) > f.most:
			return nil, ErrFrame
		case err == nil && len(f.buf) == 0:
			return piece, nil
		case len(f.buf)+len(piece) > keepBuffer && !f.take():
			return nil, io.ErrClosedPipe
		}
		f.buf = append(f.buf, piece...)
		switch {
		case err == nil:
			return f.buf, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(f.buf)) > 0:
			return nil, io.ErrUnexpectedEOF
		default:
			return nil, err
		}
	}
}
