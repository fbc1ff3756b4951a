package a2atest

import (
	"bytes"
	"strings"
)

// Archive is a txtar file: a comment, then files that each begin with a line
// "-- name --".
type Archive struct {
	Comment []byte
	Files   []Member
}

// Member is one file of an Archive.
type Member struct {
	Name string
	Data []byte
}

// ParseArchive reads a txtar file. Every text is one.
func ParseArchive(text []byte) *Archive {
	a := &Archive{}
	data := &a.Comment
	for line := range bytes.Lines(text) {
		if name, ok := memberName(string(line)); ok {
			a.Files = append(a.Files, Member{Name: name})
			data = &a.Files[len(a.Files)-1].Data
			continue
		}
		*data = append(*data, line...)
	}
	return a
}

func memberName(line string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, " --")
}

// Format writes what ParseArchive reads.
func (a *Archive) Format() []byte {
	out := bytes.Clone(a.Comment)
	for _, f := range a.Files {
		out = append(out, "-- "+f.Name+" --\n"...)
		out = append(out, f.Data...)
	}
	return out
}
