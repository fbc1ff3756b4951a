package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// maxPiece is the size of one piece of text, in bytes. Escaped as JSON it may
	// grow sixfold, and must still fit into a frame.
	maxPiece = 128 << 10
	// maxRaw is the largest file that is not text, in bytes: as base64 it must fit
	// into a frame.
	maxRaw = 700 << 10
)

// textReader reads a stream as it comes, and cuts it at rune boundaries.
type textReader struct {
	in   io.Reader
	buf  []byte
	err  error
	seen bool
}

func newTextReader(in io.Reader) *textReader { return &textReader{in: in} }

// peek returns what the first read gives, without consuming it.
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

// next returns the text that has come; if there is none, it waits. The error comes
// after all text has been returned.
func (r *textReader) next() (string, error) {
	for {
		piece := r.buf[:min(len(r.buf), maxPiece)]
		if r.err == nil || len(piece) < len(r.buf) { // more follows
			piece = piece[:len(piece)-text.Unfinished(piece)]
		}
		if len(piece) > 0 {
			r.buf = r.buf[len(piece):]
			return strings.ToValidUTF8(string(piece), "\uFFFD"), nil
		}
		if r.err != nil {
			return "", r.err
		}
		r.fill()
	}
}

// rest reads everything, up to a limit in bytes.
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

// isText reports whether a content is sent as text. The media type decides if it is
// not one of text; otherwise the first bytes do.
func isText(first []byte, mediaType string) bool {
	if mediaType != "" && !textual(mediaType) {
		return false
	}
	return text.BeginsText(first[:min(len(first), text.Sniffed)])
}

func textual(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml") ||
		strings.HasSuffix(kind, "yaml") || kind == "application/javascript" || kind == "application/toml"
}
