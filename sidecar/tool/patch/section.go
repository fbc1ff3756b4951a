package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// section is what the head of one file says.
type section struct {
	git            string // the name in "diff --git", "" if it is not told
	from, to       string // of a rename
	old, new       string // under "---" and "+++", without prefixes
	named          bool   // there are "---" and "+++"
	made, deleted  bool   // by "new file mode" and "deleted file mode"
	executable     *bool  // as it will be, nil if that is not told
	moded, renamed bool
	hunks          []Hunk
}

// section reads what a patch says of one file.
func (p *parser) section() error {
	var s section
	if rest, ok := strings.CutPrefix(p.line(0), "diff --git "); ok {
		s.git = gitName(rest)
		for p.at++; p.at < len(p.lines); p.at++ {
			more, err := p.extended(&s)
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
	if p.head() {
		if err := p.names(&s); err != nil {
			return err
		}
	}
	for p.skipBlank(); strings.HasPrefix(p.line(0), "@@") && !strings.HasPrefix(p.line(0), "@@@"); p.skipBlank() {
		if p.hunks++; p.hunks > MaxHunks {
			return fmt.Errorf("has more than %d hunks: make several patches of it", MaxHunks)
		}
		h, err := p.hunk(len(s.hunks) + 1)
		if err != nil {
			return err
		}
		s.hunks = append(s.hunks, h)
	}
	f, err := s.file()
	if err != nil {
		return fmt.Errorf("%w (above line %d)", err, p.at+1)
	}
	return p.add(f)
}

// skipBlank passes empty lines that stand in front of a hunk.
func (p *parser) skipBlank() {
	n := 0
	for p.at+n < len(p.lines) && p.line(n) == "" {
		n++
	}
	if strings.HasPrefix(p.line(n), "@@") {
		p.at += n
	}
}

// names reads the lines "---" and "+++".
func (p *parser) names(s *section) error {
	before, err := nameOf(p.line(0)[len("--- "):])
	if err != nil {
		return p.faultf("%v", err)
	}
	p.at++
	after, err := nameOf(p.line(0)[len("+++ "):])
	if err != nil {
		return p.faultf("%v", err)
	}
	p.at++
	s.named = true
	s.old, s.new = plainNames(before, after)
	return nil
}

// extended reads a line of git's between "diff --git" and "---"; more is false if it is none.
func (p *parser) extended(s *section) (more bool, err error) {
	line := p.line(0)
	if binary(line) {
		return false, p.faultf("a binary patch: write such a file with a command")
	}
	for _, x := range [...]struct {
		key string
		set func(value string) error
	}{
		{"old mode ", func(v string) error { return s.kind(v) }},
		{"new mode ", func(v string) error { s.moded, s.executable = true, executable(v); return s.kind(v) }},
		{"new file mode ", func(v string) error { s.made, s.executable = true, executable(v); return s.kind(v) }},
		{"deleted file mode ", func(v string) error { s.deleted = true; return s.kind(v) }},
		{"rename from ", func(v string) (err error) { s.renamed = true; s.from, err = nameOf(v); return err }},
		{"rename to ", func(v string) (err error) { s.renamed = true; s.to, err = nameOf(v); return err }},
		{"copy from ", func(string) error { return errors.New("a copy: write the new file whole, with --- /dev/null") }},
		{"index ", func(v string) error { _, mode, _ := strings.Cut(v, " "); return s.kind(mode) }},
		{"similarity index ", nil},
		{"dissimilarity index ", nil},
	} {
		if v, ok := strings.CutPrefix(line, x.key); ok {
			if x.set != nil {
				if err := x.set(v); err != nil {
					return false, p.faultf("%v", err)
				}
			}
			return true, nil
		}
	}
	return false, nil
}

func executable(mode string) *bool {
	is := mode == "100755"
	return &is
}

// kind refuses the modes of what is no plain file.
func (s *section) kind(mode string) error {
	switch mode {
	case "", "100644", "100664", "100755":
		return nil
	case "120000":
		return errors.New("a symbolic link: make or remove it with a command")
	case "160000":
		return errors.New("a submodule: use git for it")
	}
	return errors.New("a mode that is not known: 100644 and 100755 are")
}

// file makes a file of what was read. The error is a clause without a place.
func (s *section) file() (File, error) {
	f := File{Hunks: s.hunks, Executable: s.executable}
	if s.made && s.deleted || (s.made || s.deleted) && (s.renamed || s.moded) {
		return f, errors.New("says of one file that it is made, and that it was there")
	}
	switch {
	case s.renamed:
		f.Old, f.New = s.from, s.to
		if f.Old == "" || f.New == "" || f.Old == f.New {
			return f, errors.New(`has a rename without two names: "rename from" and "rename to" go together`)
		}
	case s.named:
		f.Old, f.New = s.old, s.new
	case s.git == "":
		return f, errors.New(`has a file without a name: write "--- a/FILE" and "+++ b/FILE"`)
	default:
		f.Old, f.New = s.git, s.git
	}
	if !s.named {
		if s.made {
			f.Old = ""
		} else if s.deleted {
			f.New = ""
		}
	}
	return f, s.check(&f)
}

// check returns what does not fit together.
func (s *section) check(f *File) error {
	shown := text.Show(f.New)
	if f.New == "" {
		shown = text.Show(f.Old)
	}
	one := f.Old
	if one == "" {
		one = f.New
	}
	switch {
	case f.Old == "" && f.New == "":
		return errors.New("has a file without a name: one of both may be /dev/null")
	case s.renamed && s.named && (s.old != f.Old || s.new != f.New):
		return fmt.Errorf("names other files under --- and +++ than %s and %s, between which it renames", text.Show(f.Old), shown)
	case !s.renamed && f.Old != "" && f.New != "" && f.Old != f.New:
		return fmt.Errorf(`names two files, %s and %s, for one: write the same name twice, or "diff --git", "rename from" and "rename to" above them`, text.Show(f.Old), shown)
	case s.git != "" && !s.renamed && s.git != one:
		return fmt.Errorf("names %s after diff --git, and %s under it", text.Show(s.git), shown)
	case s.made && f.Old != "", s.deleted && f.New != "":
		return fmt.Errorf("says that %s is made or deleted, and has no /dev/null for it", shown)
	case len(f.Hunks) == 0 && s.moded && !s.renamed:
		return fmt.Errorf("changes only the mode of %s, which is not done here: leave that out, and use a command", shown)
	case len(f.Hunks) == 0 && !s.renamed && !s.made && !s.deleted:
		return fmt.Errorf("has no hunk for %s", shown)
	}
	for i := range f.Hunks {
		if err := f.Hunks[i].check(f); err != nil {
			return fmt.Errorf("has in line %d hunk %d of %s, which %w", f.Hunks[i].Line, i+1, shown, err)
		}
	}
	return nil
}

// add keeps a file.
func (p *parser) add(f File) error {
	for i, name := range []string{f.Old, f.New} {
		if name == "" || i == 1 && f.New == f.Old {
			continue
		}
		if p.named[name] {
			return fmt.Errorf("names %s in two places: write all its hunks in one, in their order", text.Show(name))
		}
		p.named[name] = true
		if p.paths++; p.paths > MaxPaths {
			return fmt.Errorf("names more than %d files: make several patches of it", MaxPaths)
		}
	}
	p.files = append(p.files, f)
	return nil
}
