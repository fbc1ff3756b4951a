package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	// sniffed is how much of a content decides whether it is text.
	sniffed = 8 << 10
	// maxPiece is one piece of text in bytes. Escaped as JSON it may grow
	// sixfold, and must still fit into a frame.
	maxPiece = 128 << 10
	// maxRaw is a file that is not text: as base64 it must fit into a frame.
	maxRaw = 700 << 10
)

// textReader reads a stream as it comes, cut at rune boundaries.
type textReader struct {
	in   io.Reader
	buf  []byte
	err  error
	seen bool
}

func newTextReader(in io.Reader) *textReader { return &textReader{in: in} }

// peek returns what the first read gives, without taking it.
func (r *textReader) peek() []byte {
	if !r.seen {
		r.fill()
	}
	return r.buf
}

// fill reads once more.
func (r *textReader) fill() {
	r.seen = true
	room := make([]byte, maxPiece)
	for r.err == nil {
		n, err := r.in.Read(room)
		r.buf, r.err = append(r.buf, room[:n]...), err
		if n > 0 {
			return
		}
	}
}

// next returns the text that came, waiting for some. The error comes when all
// text was returned.
func (r *textReader) next() (string, error) {
	for {
		if n := wholeRunes(r.buf, r.err != nil); n > 0 {
			text := strings.ToValidUTF8(string(r.buf[:n]), "\uFFFD")
			r.buf = r.buf[n:]
			return text, nil
		}
		if r.err != nil {
			return "", r.err
		}
		r.fill()
	}
}

// wholeRunes counts the bytes up to a rune that is not complete yet.
func wholeRunes(b []byte, final bool) int {
	b = b[:min(len(b), maxPiece)]
	for back := 1; back <= min(len(b), utf8.UTFMax-1) && !final; back++ {
		tail := b[len(b)-back:]
		if utf8.RuneStart(tail[0]) && !utf8.FullRune(tail) {
			return len(b) - back
		}
	}
	return len(b)
}

// rest reads all, up to a limit.
func (r *textReader) rest(limit int) ([]byte, error) {
	for r.err == nil && len(r.buf) <= limit {
		r.fill()
	}
	if r.err != nil && r.err != io.EOF {
		return nil, r.err
	}
	if len(r.buf) > limit {
		return nil, fmt.Errorf("a file that is not text may have %d KiB here", limit>>10)
	}
	return r.buf, nil
}

// isText says how a content is sent. A media type that is not one of text
// decides; else the first bytes do.
func isText(first []byte, mediaType string) bool {
	if mediaType != "" && !textual(mediaType) {
		return false
	}
	first = first[:min(len(first), sniffed)]
	return bytes.IndexByte(first, 0) < 0 && utf8.Valid(first[:wholeRunes(first, false)])
}

func textual(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml") ||
		strings.HasSuffix(kind, "yaml") || kind == "application/javascript" || kind == "application/toml"
}
