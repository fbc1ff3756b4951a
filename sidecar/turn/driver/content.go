package driver

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// What clients are told of one use of a tool: a client shows it, and does not work with it.
const (
	// MaxToolLine is how long a tool's name, its title or a path may be, in bytes.
	MaxToolLine = 1 << 10
	// MaxPlaces and MaxDiffs are how many places and changes of a tool are told.
	MaxPlaces, MaxDiffs = 16, 16
	// maxSide is how much of each side of a change is told, and maxSides how much of all changes together,
	// in bytes.
	maxSide, maxSides = 4 << 10, 24 << 10
)

// Content is what a tool has made: a change of a file ("diff"), or the output of a program ("terminal").
type Content struct {
	Type string `json:"type"`
	Path string `json:"path,omitempty"`
	// Old is nil for a new file, and New for one that is gone.
	Old      *string `json:"old_text,omitempty"`
	New      *string `json:"new_text,omitempty"`
	Terminal string  `json:"terminal_id,omitempty"`
	// Truncated is set if the texts are not whole.
	Truncated bool `json:"truncated,omitempty"`
}

// Change is one file before and after; nil: it is not there.
type Change struct {
	Path     string
	Old, New *string
}

// ShownLine returns a name, a title or a path as clients are told it.
func ShownLine(s string) string { return text.Line(text.Cut(s, MaxToolLine), MaxToolLine) }

// ShownPlaces returns the files that a tool is about, as clients are told of them.
func ShownPlaces(places []peer.Place) []peer.Place {
	shown := make([]peer.Place, 0, min(len(places), MaxPlaces))
	for _, p := range places[:min(len(places), MaxPlaces)] {
		shown = append(shown, peer.Place{Path: ShownLine(p.Path), Line: max(p.Line, 0)})
	}
	return shown
}

// ShownChanges returns changes as clients are told of them. What people must not overlook is written out.
func ShownChanges(changes []Change) []Content {
	left := maxSides
	side := func(s *string, whole *bool) *string {
		if s == nil {
			return nil
		}
		shown := text.ShowLines(text.Cut(*s, maxSide))
		short := text.Cut(shown, min(left, maxSide))
		if len(*s) > maxSide || len(short) < len(shown) {
			*whole = false
		}
		left -= len(short)
		return &short
	}
	all := make([]Content, 0, min(len(changes), MaxDiffs))
	for _, d := range changes[:min(len(changes), MaxDiffs)] {
		c, whole := Content{Type: "diff", Path: ShownLine(d.Path)}, true
		c.Old, c.New = side(d.Old, &whole), side(d.New, &whole)
		c.Truncated = !whole
		all = append(all, c)
	}
	return all
}

// TerminalContent returns the output of a program, which live_content tells as it comes.
func TerminalContent(id string) Content { return Content{Type: "terminal", Terminal: id} }
