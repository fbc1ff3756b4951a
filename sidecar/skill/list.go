package skill

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The bounds of the list that models are shown.
const (
	// MaxListed is how many skills have a line.
	MaxListed = 500
	// maxList is how many bytes the lines have together, about: each may be longer if there are few.
	maxList = 48 << 10
	// minLine is how much of a line there is at least, however many there are.
	minLine = 80
)

// List returns the shown skills for a model, one line each; "" if there are none.
func (s *Set) List() string {
	shown := s.Shown()
	if len(shown) == 0 {
		return ""
	}
	n := min(len(shown), MaxListed)
	most := max(minLine, maxList/n)
	var b strings.Builder
	for _, one := range shown[:n] {
		b.WriteString("- " + text.Line(one.Name+": "+one.Description, most) + "\n")
	}
	if more := len(shown) - n; more > 0 {
		fmt.Fprintf(&b, "- and %s: ask for one by a word of its name or description\n", text.CountOf(more, "more skill", "more skills"))
	}
	return b.String()
}

// The bounds of the files of a skill that are listed.
const (
	maxListedFiles = 200
	maxFileDepth   = 4
	maxFilesSeen   = 5000
)

// Files returns the files in the skill's folder but its own two, relative to it and in their order, and whether there
// are more. Links, files whose names begin with a dot, and folders that are too deep are left out.
func (s *Skill) Files() (files []string, more bool) {
	p, err := s.Root.open()
	if err != nil {
		return nil, false
	}
	defer p.base.Close() // nothing was written
	w := walk{place: p}
	w.dir(filepath.Base(s.Dir), "", 1)
	slices.Sort(w.files)
	if len(w.files) > maxListedFiles {
		return w.files[:maxListedFiles], true
	}
	return w.files, w.more
}

// walk lists the files below a folder.
type walk struct {
	*place
	files []string
	seen  int
	more  bool
}

func (w *walk) dir(dir, shown string, depth int) {
	entries, err := w.list(w.in(dir))
	if err != nil {
		return // it has just gone, or is not for us: what can be read is listed
	}
	for _, e := range entries {
		if w.seen++; w.seen > maxFilesSeen {
			w.more = true
			return
		}
		name := path.Join(shown, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."), depth == 1 && (e.Name() == File || e.Name() == Tools):
		case e.Type().IsRegular():
			w.files = append(w.files, name)
		case e.IsDir() && depth < maxFileDepth:
			w.dir(filepath.Join(dir, e.Name()), name, depth+1)
		case e.IsDir():
			w.more = true
		}
	}
}

// file returns the path of the skill's SKILL.md.
func (s *Skill) file() string { return filepath.Join(s.Dir, File) }

// File opens a regular file that is in the folder of a shown skill outside of the workspace, by its absolute path, for
// reading. It is nil if the path is in none of these folders. The caller closes it.
func (s *Set) File(path string) (*os.File, error) {
	for _, one := range s.Shown() {
		if one.Root.Base != "" {
			continue // what is in the workspace is used as all of that is
		}
		for _, dir := range []string{one.Dir, one.real} {
			if rest, ok := below.Rest(path, dir); ok && rest != "" && rest != "." {
				return one.open(rest)
			}
		}
	}
	return nil, nil
}

// open opens a regular file of the folder.
func (s *Skill) open(rest string) (*os.File, error) {
	p, err := s.Root.open()
	if err != nil {
		return nil, err
	}
	defer p.base.Close() // nothing was written
	name := p.in(filepath.Base(s.Dir), rest)
	if info, err := p.base.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, error(&fs.PathError{Op: "open", Path: name, Err: errIrregular}))
	}
	return p.base.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
