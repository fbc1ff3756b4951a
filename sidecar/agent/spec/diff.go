package spec

import (
	"bytes"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Hunks returns the parts of a unified diff of one file, each as the lines that it shows before and after. A part
// that begins a new file has no text before. What stands before the first part, such as the names of the
// files, says nothing.
func Hunks(path, unified string) (all []peer.Diff) {
	var h *hunk
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, "@@"):
			all = h.appendTo(all, path)
			h = &hunk{first: strings.HasPrefix(line, "@@ -0,0 ")}
		case h != nil:
			h.line(line)
		}
	}
	return h.appendTo(all, path)
}

// hunk is one part of a unified diff.
type hunk struct {
	first         bool // there was no file before
	before, after []byte
	last          byte // what the last line began with
}

// line takes a line of the part.
func (h *hunk) line(line string) {
	switch rest := line[1:]; line[0] {
	case ' ':
		h.before, h.after = append(h.before, rest...), append(h.after, rest...)
	case '-':
		h.before = append(h.before, rest...)
	case '+':
		h.after = append(h.after, rest...)
	case '\\': // "No newline at end of file", of the line before
		if h.last != '+' {
			h.before = bytes.TrimSuffix(h.before, []byte("\n"))
		}
		if h.last != '-' {
			h.after = bytes.TrimSuffix(h.after, []byte("\n"))
		}
	}
	h.last = line[0]
}

// appendTo adds the part to those that came before, unless it is nil.
func (h *hunk) appendTo(all []peer.Diff, path string) []peer.Diff {
	if h == nil {
		return all
	}
	d := peer.Diff{Path: path, New: string(h.after)}
	if !h.first {
		old := string(h.before)
		d.Old = &old
	}
	return append(all, d)
}
