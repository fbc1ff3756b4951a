package skill

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

const (
	// maxSkills is how many folders of one root are read, the first by name.
	maxSkills = 1000
	// maxEntries is how many entries of a directory are looked at.
	maxEntries = 10_000
	// racy is how old a change must be before an unchanged time proves that there was no other: the clocks of file
	// systems are coarse.
	racy = 2 * time.Second
)

// place is an open root. Every path is opened beneath its base: no link leads out of that.
type place struct {
	*Root
	base *os.Root
	rel  string // of Path, below the base
}

// open opens a root. The error is fs.ErrNotExist if there is none.
func (r *Root) open() (*place, error) {
	p := &place{Root: r, rel: "."}
	base := r.Path
	if r.Base != "" {
		rel, err := filepath.Rel(r.Base, r.Path)
		if err != nil {
			return nil, err
		}
		base, p.rel = r.Base, rel
	}
	info, err := os.Stat(base)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() { // a FIFO would be waited for
		return nil, &fs.PathError{Op: "open", Path: base, Err: syscall.ENOTDIR}
	}
	if p.base, err = os.OpenRoot(base); err != nil {
		return nil, err
	}
	return p, nil
}

// path returns a path for messages.
func (p *place) path(elem ...string) string {
	return filepath.Join(append([]string{p.Path}, elem...)...)
}

// in returns a path below the base.
func (p *place) in(elem ...string) string { return filepath.Join(append([]string{p.rel}, elem...)...) }

// folders returns the names of what may be folders of skills, in their order, and whether there are too many.
func (p *place) folders() (names []string, more bool, err error) {
	all, err := p.list(p.rel)
	for _, e := range all {
		if (e.IsDir() || e.Type()&fs.ModeSymlink != 0) && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxSkills)], len(names) > maxSkills, err
}

// list returns entries of a directory, in no order.
func (p *place) list(dir string) ([]fs.DirEntry, error) {
	f, err := p.base.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	all, err := f.ReadDir(maxEntries)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, err
}

var errIrregular = errors.New("it is no regular file")

// read reads a regular file: at most one byte more than it may have.
func (p *place) read(most int64, elem ...string) ([]byte, fs.FileInfo, error) {
	name := p.in(elem...)
	info, err := p.base.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errIrregular // a FIFO is not opened: who writes to it would take us for its reader
	}
	if err != nil {
		return nil, info, err
	}
	f, err := p.base.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, info, err
	}
	defer f.Close() // nothing was written
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, info, errors.Join(err, errIrregular)
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	return data, info, err
}

// unreadable says why a file cannot be read.
func (p *place) unreadable(err error, elem ...string) jsontree.Fault {
	f := jsontree.Fault{File: p.path(elem...)}
	for i := range elem {
		if info, e := p.base.Lstat(p.in(elem[:i+1]...)); e == nil && info.Mode()&fs.ModeSymlink != 0 && !errors.Is(err, errIrregular) {
			f.File = p.path(elem[:i+1]...)
			f.Message, f.Hint = "the link leads nowhere inside of "+text.Show(p.base.Name()), "put a copy in its place"
			return f
		}
	}
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	f.Message = "it cannot be read: " + err.Error()
	return f
}

// folder is what is known of one folder.
type folder struct {
	main, tools seen
	text        *Skill           // what SKILL.md last said when it was good, nil for nothing
	list        []*manifest.Tool // of tools.json
	skill       *Skill           // of both
}

// copy returns one that may be changed; of nil it is a new one.
func (f *folder) copy() *folder {
	if f == nil {
		return &folder{}
	}
	c := *f
	return &c
}

// seen is one file as it was when it was last read.
type seen struct {
	info   fs.FileInfo // nil: it could not be looked at
	at     time.Time   // the zero time: it was not there
	faults jsontree.Faults
	bytes  int64 // of the file when it was last good
}

// same reports whether a file is as it was when it was read.
func (s *seen) same(now fs.FileInfo) bool {
	return s.info != nil && now != nil && follow.Same(s.info, now) && s.at.Sub(now.ModTime()).Abs() >= racy
}

// glance looks at a file in the quickest way, wherever links lead, nil if it cannot be looked at: it tells whether a file is
// the one that was read, and nothing else.
func (p *place) glance(elem ...string) fs.FileInfo {
	info, err := os.Stat(p.path(elem...))
	if err != nil {
		return nil
	}
	return info
}

// stat looks at a file, nil if it is not there. What cannot be looked at for another reason is an error.
func (p *place) stat(elem ...string) (fs.FileInfo, error) {
	info, err := p.base.Stat(p.in(elem...))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		if _, e := p.base.Lstat(p.in(elem...)); e == nil {
			return nil, err // a link that leads nowhere
		}
		return nil, nil
	}
	return info, err
}
