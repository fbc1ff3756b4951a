package channel

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// keepBuffer is how large a buffer may stay between two frames.
const keepBuffer = 64 << 10

// frameReader reads frames: lines of at most MaxFrame bytes.
type frameReader struct {
	r   *bufio.Reader
	buf []byte
}

func newFrameReader(r io.Reader) *frameReader {
	return &frameReader{r: bufio.NewReaderSize(r, 16<<10)}
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
	if cap(f.buf) > keepBuffer {
		f.buf = nil
	}
	f.buf = f.buf[:0]
	for {
		piece, err := f.r.ReadSlice('\n')
		switch {
		case len(f.buf)+len(piece) > MaxFrame+1 || err != nil && len(f.buf)+len(piece) > MaxFrame:
			return nil, ErrFrame
		case err == nil && len(f.buf) == 0:
			return piece, nil
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
