package skill

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/internal/follow"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Checked is what was found about one folder.
type Checked struct {
	File     string // its SKILL.md
	Skill    *Skill // nil if that has a fault; with its tools
	Warnings jsontree.Faults
	Faults   jsontree.Faults // of both files
}

// Check checks a folder with a SKILL.md, or each folder of a directory that has one. path may also be the SKILL.md itself.
// A directory without skills is an error, as is one that cannot be read.
func Check(path string, o manifest.Options) ([]Checked, error) {
	if filepath.Base(path) == File {
		path = filepath.Dir(path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if filepath.Base(path) != filepath.Base(abs) {
		path = abs // as in "."
	}
	if _, err := os.Lstat(filepath.Join(abs, File)); err == nil {
		root := Root{Path: filepath.Dir(path), Shown: true}
		p, err := (&Root{Path: filepath.Dir(abs), Shown: true}).open()
		if err != nil {
			return nil, err
		}
		defer p.base.Close() // nothing was written
		p.Root = &root
		return []Checked{p.check(filepath.Base(abs), o)}, nil
	}
	p, err := (&Root{Path: path, Shown: true}).open()
	if err != nil {
		return nil, err
	}
	defer p.base.Close() // nothing was written
	names, more, err := p.folders()
	if err != nil {
		return nil, err
	}
	var all []Checked
	for _, name := range names {
		if _, err := p.base.Lstat(p.in(name, File)); err != nil && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		all = append(all, p.check(name, o))
	}
	if len(all) == 0 {
		return nil, errors.New("no folder in it has a " + File)
	}
	if more {
		return all, errors.New("it has more folders than are read: those after the first ones by name are left out")
	}
	return all, nil
}

// Watch follows what Check checks until ctx ends. It calls changed at once, and whenever something may have changed, by the goroutine of
// the caller.
func Watch(ctx context.Context, path string, changed func()) {
	if filepath.Base(path) == File {
		path = filepath.Dir(path)
	}
	now := make(chan struct{}, 1)
	now <- struct{}{}
	follow.Reader{
		Options: follow.Options{Debounce: debounce, Folders: []string{path}, Names: []string{File, Tools}},
		Look:    func(bool) bool { changed(); return true }, Now: now,
	}.Run(ctx, filepath.Join(path, File), filepath.Join(path, Tools))
}

// check checks one folder.
func (p *place) check(name string, o manifest.Options) Checked {
	c := Checked{File: p.path(name, File)}
	data, _, err := p.read(maxFile, name, File)
	if err != nil {
		c.Faults = jsontree.Faults{p.unreadable(err, name, File)}
	} else {
		c.Skill, c.Warnings, c.Faults = Parse(c.File, name, data)
	}
	if now, err := p.stat(name, Tools); err == nil && now == nil {
		return c
	}
	data, _, err = p.read(maxTools, name, Tools)
	if err != nil {
		c.Faults = append(c.Faults, p.unreadable(err, name, Tools))
		return c
	}
	tools, warnings, faults := ParseTools(p.path(name, Tools), data, o)
	c.Warnings, c.Faults = append(c.Warnings, warnings...), append(c.Faults, faults...)
	if c.Skill != nil {
		c.Skill.Tools = tools
	}
	return c
}
