package job

import (
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxStderr is how much of the end of stderr is kept, in bytes.
const maxStderr = 64 << 10

// maxReason is the most bytes of stderr that a reason quotes.
const maxReason = 4 << 10

// Stderr is the end of what a process wrote to its standard error: at most 64 KiB,
// from the start of a character.
type Stderr struct {
	kept  []byte
	total int64
}

// Add takes a chunk. Bytes are moved rarely: n bytes cost O(n).
func (s *Stderr) Add(chunk []byte) {
	s.total += int64(len(chunk))
	if len(chunk) >= maxStderr {
		chunk = chunk[len(chunk)-maxStderr:]
		s.kept = s.kept[:0]
	}
	if over := len(s.kept) + len(chunk) - maxStderr; over > maxStderr/2 {
		s.kept = append(s.kept[:0], s.kept[over:]...)
	}
	s.kept = append(s.kept, chunk...)
}

// Text returns the end of stderr as valid UTF-8.
func (s *Stderr) Text() string {
	b := s.kept[max(0, len(s.kept)-maxStderr):]
	if s.total > int64(len(b)) {
		b = text.Resume(b)
	}
	return strings.ToValidUTF8(string(b), string(utf8.RuneError))
}

// Reason returns the last part of stderr as text for people: at most 4 KiB, without
// escape sequences and characters that a terminal obeys or hides.
func (s *Stderr) Reason() string {
	return strings.TrimSpace(text.Strip(escape.Strip(text.Tail(s.Text(), maxReason))))
}

// Edit replaces what is kept by what edit makes of it.
func (s *Stderr) Edit(edit func(kept []byte) []byte) {
	s.kept = edit(s.kept[max(0, len(s.kept)-maxStderr):])
}

// Artifact returns an artifact with that id that holds the end of stderr. ok is false
// if nothing was written to stderr.
func (s *Stderr) Artifact(id string) (u a2a.ArtifactUpdate, ok bool) {
	if s.total == 0 {
		return u, false
	}
	u = a2a.ArtifactUpdate{LastChunk: true, Artifact: a2a.Artifact{ID: id, Name: id, Parts: []a2a.Part{a2a.TextPart(s.Text())}}}
	if s.total > maxStderr {
		u.Artifact.Metadata = a2a.Metadata{"truncated": []byte("true"), "totalBytes": encode(s.total)}
	}
	return u, true
}
