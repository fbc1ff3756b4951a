package a2a_test

import (
	"bytes"
	"strings"
)

// archive is a txtar file: a comment, then files that each begin with a line
// "-- name --".
type archive struct {
	comment []byte
	files   []member
}

type member struct {
	name string
	data []byte
}

func parseArchive(text []byte) *archive {
	a := &archive{}
	data := &a.comment
	for line := range bytes.Lines(text) {
		if name, ok := memberName(string(line)); ok {
			a.files = append(a.files, member{name: name})
			data = &a.files[len(a.files)-1].data
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

func (a *archive) format() []byte {
	out := bytes.Clone(a.comment)
	for _, f := range a.files {
		out = append(out, "-- "+f.name+" --\n"...)
		out = append(out, f.data...)
	}
	return out
}
