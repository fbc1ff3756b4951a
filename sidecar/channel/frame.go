package channel

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// keepBuffer is how many bytes a buffer may keep between two frames.
const keepBuffer = 64 << 10

// frameReader reads frames: lines of bounded length.
type frameReader struct {
	r    *bufio.Reader
	buf  []byte
	most int // the longest frame, in bytes

	// long is shared by several readers. It holds one value for each frame of more
	// than keepBuffer bytes that they are reading; its capacity bounds these. nil:
	// no bound.
	long chan struct{}
	dead <-chan struct{} // closing it ends the wait for a place in long
	held bool            // the reader holds a place in long
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 16<<10), most: MaxFrame}
}

// take waits for a place in long, and reports whether the reader has one.
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

// release gives up the frame that was read last, and its place in long.
func (f *frameReader) release() {
	if cap(f.buf) > keepBuffer {
		f.buf = nil
	}
	if f.held {
		<-f.long
		f.held = false
	}
}

// next returns a frame without its line end, and skips empty lines. The frame is
// valid until the next call. The errors are: ErrFrame if the frame is too long,
// after which the reader cannot be used any more; io.ErrUnexpectedEOF if the frame
// stops before its line end; io.EOF; and the connection's own.
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

// line returns a line with its line end.
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
