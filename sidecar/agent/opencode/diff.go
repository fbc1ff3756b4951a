package opencode

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// maxDiffs is how many files' changes are told of one tool.
const maxDiffs = 100

// diffs returns the changes that a tool makes, nil if they are not told.
func (u *use) diffs() (all []peer.Diff) {
	for _, f := range u.Files {
		if len(all) < maxDiffs && f.Patch != "" {
			all = append(all, hunks(f.FilePath, f.Patch))
		}
	}
	switch {
	case all != nil:
	case u.FileDiff.Patch != "":
		all = []peer.Diff{hunks(u.FileDiff.File, u.FileDiff.Patch)}
	case u.Diff != "":
		all = []peer.Diff{hunks(u.file(), u.Diff)}
	}
	return all
}

// hunks makes a Diff of a unified one: the lines that it shows, before and after. A file that is new has no
// line before.
func hunks(path, patch string) peer.Diff {
	var before, after strings.Builder
	old, last := false, byte(0)
	inside := false
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, "@@ ") {
			inside, old = true, old || !strings.HasPrefix(line, "@@ -0,0 ")
			continue
		}
		if !inside || line == "\n" {
			continue
		}
		switch rest := line[1:]; line[0] {
		case ' ':
			before.WriteString(rest)
			after.WriteString(rest)
		case '-':
			before.WriteString(rest)
		case '+':
			after.WriteString(rest)
		case '\\': // "No newline at end of file", of the line before
			if last != '+' {
				trim(&before)
			}
			if last != '-' {
				trim(&after)
			}
		}
		last = line[0]
	}
	d := peer.Diff{Path: path, New: after.String()}
	if old {
		s := before.String()
		d.Old = &s
	}
	return d
}

// trim takes the newline at the end away.
func trim(b *strings.Builder) {
	s := strings.TrimSuffix(b.String(), "\n")
	b.Reset()
	b.WriteString(s)
}
