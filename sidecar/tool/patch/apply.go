package patch

import (
	"context"
	"fmt"
	"strings"
)

// MaxDrift is how many lines off a hunk may be where its lines stand in several places of a file: the nearest
// counts. If it is farther off, they must stand in one place alone.
const MaxDrift = 100

// Moved is a hunk that was found elsewhere than its head says.
type Moved struct {
	Number int // of the hunk
	At     int // the line where it was found, from 1
	Said   int // the one that it says
}

// MissError is the error of a hunk that fits nowhere.
type MissError struct{ Hunk *Hunk }

func (e *MissError) Error() string { return hunkText(e.Hunk) + " fits nowhere" }

// DoubtError is the error of a hunk that fits in two places.
type DoubtError struct {
	Hunk *Hunk
	At   [2]int // the lines
}

func (e *DoubtError) Error() string {
	return fmt.Sprintf("%s fits at line %d and at line %d: give more of the lines around it, or the right line in its head", hunkText(e.Hunk), e.At[0], e.At[1])
}

func hunkText(h *Hunk) string { return fmt.Sprintf("hunk %d (line %d of the patch)", h.Number, h.Line) }

// Apply returns what a file has with the hunks applied, which are in the order of the file. What is not text, or too long, the
// caller has refused. The lines of a hunk must stand in the file as they are, but for two things: if they
// end in LF and those of the file in CRLF, or the other way round, the file keeps its own; and one that ends without a newline,
// of which the patch says nothing, keeps that. The error is a *MissError, a *DoubtError, or the cause of
// the context's end.
func Apply(ctx context.Context, content string, hunks []Hunk) (string, []Moved, error) {
	var b strings.Builder
	var moved []Moved
	s := search{content: content, line: 1}
	drift := 0
	for i := range hunks {
		if ctx.Err() != nil {
			return "", nil, context.Cause(ctx)
		}
		h := &hunks[i]
		found, err := s.find(h, drift)
		if err != nil {
			return "", nil, err
		}
		if h.At >= 0 && h.Old != "" {
			if drift = found.line - max(h.At, 1); drift != 0 {
				moved = append(moved, Moved{h.Number, found.line, h.At})
			}
		}
		b.WriteString(content[s.from:found.start])
		b.WriteString(found.new)
		s.from, s.line = found.end, found.line+strings.Count(content[found.start:found.end], "\n")
	}
	b.WriteString(content[s.from:])
	return b.String(), moved, nil
}
