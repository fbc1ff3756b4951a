package filesearch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// readBlock is how many bytes of a file are read at once.
	readBlock = 256 << 10
	// maxSearchedLine is how many bytes of a line are searched; the rest of a longer one is left out, and the result says so.
	maxSearchedLine = 4 << 20
	// maxWhole is how large a file is that is searched as a whole, with multiline; a larger one is left out, and the
	// result says so.
	maxWhole = 8 << 20
)

// errBinary says that a file is no text.
var errBinary = errors.New("it is no text")

// textReader reads the text of a file: without a byte order mark, as UTF-8. It keeps its memory for the next file.
type textReader struct {
	in    io.Reader
	wide  binary.ByteOrder // of UTF-16; nil: it is no such text
	fresh bool             // nothing was read yet
	ended bool
	most  int // how many bytes may wait in buf, of UTF-16 a block more

	buf        []byte
	begin, end int    // what was read and is not given out yet
	raw        []byte // UTF-16 that is not decoded yet
	skip       bool   // the rest of a line is left out
	cut        int    // lines of which it was
}

func (r *textReader) reset(in io.Reader) {
	r.in, r.wide, r.fresh, r.ended, r.skip, r.most = in, nil, true, false, false, maxSearchedLine
	r.begin, r.end, r.raw, r.cut = 0, 0, r.raw[:0], 0
}

// atEnd reports whether block has returned all of the file.
func (r *textReader) atEnd() bool { return r.ended && r.begin == r.end }

// block returns the next whole lines, at least one unless the file has ended: then io.EOF. What it returned before is
// gone then.
func (r *textReader) block() ([]byte, error) {
	for {
		if err := r.fill(); err != nil {
			return nil, err
		}
		got := r.buf[r.begin:r.end]
		if r.skip {
			i := bytes.IndexByte(got, '\n')
			if r.skip = i < 0 && !r.ended; i < 0 {
				r.begin = r.end
				if r.ended {
					return nil, io.EOF
				}
				continue
			}
			r.begin += i + 1
			continue
		}
		switch i := bytes.LastIndexByte(got, '\n'); {
		case i >= 0:
			r.begin += i + 1
			return got[:i+1], nil
		case r.ended && len(got) == 0:
			return nil, io.EOF
		case r.ended:
			r.begin = r.end
			return got, nil
		case len(got) >= maxSearchedLine:
			r.begin, r.skip = r.end, true
			r.cut++
			got[len(got)-1] = '\n' // it stands for the one that is left out with the rest
			return got, nil
		}
	}
}

// whole returns all of the file, or errTooLarge.
func (r *textReader) whole() ([]byte, error) {
	for r.most = maxWhole + 1; !r.ended; {
		if err := r.fill(); err != nil {
			return nil, err
		}
		if r.end > maxWhole {
			return nil, errTooLarge
		}
	}
	return r.buf[r.begin:r.end], nil
}

// errTooLarge says that a file has more than maxWhole bytes.
var errTooLarge = errors.New("it is too large to be searched as a whole")

// fill reads more, once.
func (r *textReader) fill() error {
	if r.ended {
		return nil
	}
	if r.begin > 0 {
		r.end = copy(r.buf, r.buf[r.begin:r.end])
		r.begin = 0
	}
	if len(r.buf)-r.end < readBlock/2 {
		r.buf = append(r.buf[:r.end], make([]byte, max(readBlock, r.end))...)
		r.buf = r.buf[:cap(r.buf)]
	}
	if r.wide != nil {
		return r.fillWide()
	}
	for {
		n, err := r.in.Read(r.buf[r.end:min(len(r.buf), r.most)])
		got := r.buf[r.end : r.end+n]
		r.ended = errors.Is(err, io.EOF)
		if err != nil && !r.ended {
			return err
		}
		r.end += n
		if r.fresh && r.end < 3 && !r.ended {
			continue // a byte order mark has three
		}
		if r.fresh {
			got = r.buf[:r.end]
			r.fresh = false
			if done, err := r.mark(); done {
				return err
			}
		}
		if bytes.IndexByte(got, 0) >= 0 {
			return errBinary
		}
		return nil
	}
}

// mark looks at the beginning of the file, and reports whether it has dealt with it.
func (r *textReader) mark() (done bool, err error) {
	switch got := r.buf[:r.end]; {
	case bytes.HasPrefix(got, []byte("\xef\xbb\xbf")):
		r.begin = 3
		return false, nil
	case bytes.HasPrefix(got, []byte("\xff\xfe")):
		r.wide = binary.LittleEndian
	case bytes.HasPrefix(got, []byte("\xfe\xff")):
		r.wide = binary.BigEndian
	default:
		return false, nil
	}
	r.raw = append(r.raw[:0], r.buf[2:r.end]...)
	r.end = 0
	return true, r.decode(r.ended)
}

// fillWide reads more of UTF-16.
func (r *textReader) fillWide() error {
	have := len(r.raw)
	r.raw = append(r.raw, make([]byte, readBlock/4)...)
	n, err := r.in.Read(r.raw[have:])
	r.raw = r.raw[:have+n]
	ended := errors.Is(err, io.EOF)
	if err != nil && !ended {
		return err
	}
	return r.decode(ended)
}

// decode appends the characters of raw, but for one that is not whole yet.
func (r *textReader) decode(ended bool) error {
	raw := r.raw
	out := r.buf[:r.end]
	for len(raw) >= 2 {
		c := rune(r.wide.Uint16(raw))
		width := 2
		if utf16.IsSurrogate(c) {
			if len(raw) < 4 && !ended {
				break
			}
			second := rune(0)
			if len(raw) >= 4 {
				second = rune(r.wide.Uint16(raw[2:]))
			}
			if c = utf16.DecodeRune(c, second); c != utf8.RuneError {
				width = 4
			}
		}
		if c == 0 {
			return errBinary
		}
		out = utf8.AppendRune(out, c)
		raw = raw[width:]
	}
	r.raw = r.raw[:copy(r.raw, raw)]
	r.ended = ended
	r.end = len(out)
	if cap(out) > len(r.buf) {
		r.buf = out[:cap(out)]
	}
	return nil
}
