package skill_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/sidecar/skill"
)

// FuzzParse: a SKILL.md is good, and everything in the skill is bounded, or it has faults, each at a line that there is.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		md("pdf", "Reads PDFs."), "---\nname: pdf\ndescription: >\n  folded\n  text\nlicense: MIT\nmetadata:\n  a: \"1\"\nallowed-tools: read, Bash(git:*)\n---\nBody.\n",
		"\ufeff---\r\nname: 'pdf'\r\ndescription: x\r\n---\r\n", "---\nname: [pdf\n---\n", "---\n&a name: *a\n", "name: pdf", "---\nname: pdf\nname: pdf\n---", "\x00", "---\nlanO >\n \ra:olsriptionO >\n \rfolded\n  text\nlicense pd-tometadae::e::T\n \"1\"\nallowed-tools: \teed, Bash(git:*)\n---", "---\n? - {a: b}\n: |+\n  x\n---\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, warnings, faults := skill.Parse("SKILL.md", "pdf", data)
		if (s == nil) != (len(faults) > 0) {
			t.Fatalf("%+v with %v", s, faults)
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, one := range append(faults, warnings...) {
			if one.Line < 0 || one.Line > lines || one.Message == "" || !utf8.ValidString(one.String()) {
				t.Errorf("of %d lines: %+v", lines, one)
			}
		}
		if s == nil {
			return
		}
		if s.Name != "pdf" || s.Description == "" || utf8.RuneCountInString(s.Description) > 1024 || utf8.RuneCountInString(s.Compatibility) > 500 || !utf8.ValidString(s.Body) || !strings.HasSuffix(string(data), s.Body) {
			t.Errorf("%+v", s)
		}
	})
}
