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

// maxReason is how much of it a reason tells, in bytes.
const maxReason = 4 << 10

// Stderr is the end of what a process wrote to its standard error: at most 64 KiB,
// which begin at a character.
type Stderr struct {
	kept  []byte
	total int64
}

// Add takes a chunk. Bytes are moved seldom: n of them cost O(n).
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

// Text is the end of stderr as valid UTF-8.
func (s *Stderr) Text() string {
	b := s.kept[max(0, len(s.kept)-maxStderr):]
	if s.total > int64(len(b)) {
		b = text.Resume(b)
	}
	return strings.ToValidUTF8(string(b), string(utf8.RuneError))
}

// Reason is the last of it as text for people: at most 4 KiB, without escape sequences
// and what a terminal obeys or hides.
func (s *Stderr) Reason() string {
	return strings.TrimSpace(text.Strip(escape.Strip(text.Tail(s.Text(), maxReason))))
}

// Artifact is the artifact of that id with the end of stderr. ok is false when
// nothing was written there.
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
