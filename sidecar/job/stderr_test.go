package job

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is kept of any text in any chunks is its very end, from a character on.
func FuzzStderr(f *testing.F) {
	f.Add([]byte("plain"), uint16(3))
	f.Add([]byte("äöü€😀"), uint16(0))
	f.Add([]byte("a\x00b\xff"), uint16(200))
	f.Add([]byte("€"), uint16(40_000))
	f.Fuzz(func(t *testing.T, piece []byte, size uint16) {
		if len(piece) == 0 {
			return
		}
		for _, length := range []int{len(piece), maxStderr - 1, maxStderr + 1, 3 * maxStderr} {
			data := bytes.Repeat(piece, length/len(piece)+1)
			var s Stderr
			for rest := data; len(rest) > 0; {
				n := min(len(rest), int(size)+1)
				s.Add(rest[:n])
				rest = rest[n:]
			}
			u, ok := s.Artifact("stderr")
			if !ok {
				t.Fatal("nothing was kept")
			}
			if cut := len(data) > maxStderr; (u.Artifact.Metadata != nil) != cut {
				t.Errorf("%d bytes: metadata %v", len(data), u.Artifact.Metadata)
			}
			text := s.Text()
			if !utf8.ValidString(text) {
				t.Errorf("%q is not UTF-8", text)
			}
			if utf8.Valid(data) && (!strings.HasSuffix(string(data), text) || len(text) > maxStderr || len(text) < min(len(data), maxStderr-utf8.UTFMax)) {
				t.Errorf("%d bytes of %d are kept", len(text), len(data))
			}
		}
	})
}

// A reason is for people: it has the end of a long stderr, and nothing that a terminal
// obeys.
func TestReason(t *testing.T) {
	var s Stderr
	if s.Reason() != "" {
		t.Errorf("a reason out of nothing: %q", s.Reason())
	}
	s.Add([]byte(strings.Repeat("x", 2*maxReason)))
	s.Add([]byte("\n\x1b[31mno such\u202e file\x1b[0m\n\n"))
	if got := s.Reason(); !strings.HasSuffix(got, "x\nno such file") || len(got) > maxReason {
		t.Errorf("%d bytes: %q", len(got), got[max(0, len(got)-20):])
	}
}
