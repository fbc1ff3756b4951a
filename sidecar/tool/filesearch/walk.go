package filesearch

import (
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const (
	// maxWalkDepth is how deep below its root a walk goes. No path that a system call takes has more names that make
	// sense; a file system that is mounted in itself ends there.
	maxWalkDepth = 256
	// RepositoryDir is what the top directory of a repository has. No walk enters it, unless it begins there.
	RepositoryDir = ".git"
	// gitExclude has the rules of one copy of a repository.
	gitExclude = RepositoryDir + "/info/exclude"
)

// walk goes through the files below a directory in the order of their paths, name by name. Links are not followed.
type walk struct {
	fs   FS
	root string // as the FS takes it
	// hidden and ignored say that files whose names begin with a dot, and those that ignore rules name, are wanted too.
	hidden, ignored bool
	// enter reports whether a directory may have files that are wanted, and match whether a file is one of them; hiddenToo
	// whether a name that begins with a dot is wanted although hidden is not set. Each may be nil: that is yes, and
	// for hiddenToo no. The path is relative to root.
	enter     func(rel, name string) bool
	match     func(rel, name string) bool
	hiddenToo func(name string) bool
	// file is called for each file; an error ends the walk. A link is a file, and so is a socket.
	file func(rel string, e fs.DirEntry) error

	left leftOut
}

// level is the ignore rules of one directory, which hold for everything below it.
type level struct {
	parent *level // nil: none, or another repository's
	rules  []*ignoreRules
	bytes  int // of these rules and those of the parents
}

// ignores reports whether the rules leave a path out. The nearest file that knows it decides. When ctx has ended, the answer means
// nothing.
func (l *level) ignores(ctx context.Context, rel string, isDir bool) bool {
	for ; l != nil && ctx.Err() == nil; l = l.parent {
		for _, r := range l.rules {
			if ignored, known := r.decide(ctx, rel, isDir); known {
				return ignored
			}
		}
	}
	return false
}

// run walks through all of it. The error is that of file, the cause of ctx's end, or says why the root cannot be read; a
// directory below it that cannot be read is counted.
func (w *walk) run(ctx context.Context) error {
	var top *level
	if !w.ignored {
		top = w.above()
	}
	return w.dir(ctx, "", top, 0)
}

func (w *walk) dir(ctx context.Context, rel string, outer *level, depth int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if depth > maxWalkDepth {
		w.left.deep++
		return nil
	}
	entries, err := w.fs.ReadDir(w.path(rel))
	switch {
	case err != nil && depth == 0:
		return err
	case err != nil:
		w.left.unreadable(rel, err)
		return nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	rules := outer
	if !w.ignored {
		rules = w.rulesOf(rel, outer, entries)
	}
	for _, e := range entries {
		if err := w.entry(ctx, path.Join(rel, e.Name()), e, rules, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(ctx context.Context, rel string, e fs.DirEntry, rules *level, depth int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	name, isDir := e.Name(), e.IsDir()
	wanted := w.match
	if isDir {
		wanted = w.enter
	}
	switch {
	case name == RepositoryDir:
		return nil
	case wanted != nil && !wanted(rel, name):
		return nil
	case name[0] == '.' && !w.hidden && (w.hiddenToo == nil || !w.hiddenToo(name)):
		w.left.hidden++
		return nil
	case rules.ignores(ctx, rel, isDir):
		w.left.ignored++
		return nil
	case isDir:
		return w.dir(ctx, rel, rules, depth+1)
	}
	return w.file(rel, e)
}

// path returns a path as the FS takes it.
func (w *walk) path(rel string) string { return path.Join(w.root, rel) }

// rulesOf returns the rules for what is in a directory, whose entries are sorted: its own ones and those of the directories that
// it is in.
func (w *walk) rulesOf(rel string, outer *level, entries []fs.DirEntry) *level {
	has := func(name string) bool {
		_, found := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		return found
	}
	own := &level{}
	for _, name := range ignoreFiles() {
		if has(name) {
			own.read(w, w.path(path.Join(rel, name)), rel, "")
		}
	}
	repository := has(RepositoryDir)
	if repository {
		outer = nil // what is around a repository has no say in it
		own.read(w, w.path(path.Join(rel, gitExclude)), rel, "")
	}
	if len(own.rules) == 0 && !repository {
		return outer
	}
	own.within(w, outer)
	return own
}

// within puts a level into another one, nil for none. If both have more than may be held, the rules of this one are left out.
func (l *level) within(w *walk, outer *level) {
	if l.parent = outer; outer == nil {
		return
	}
	if l.bytes+outer.bytes > maxIgnoreHeld && len(l.rules) > 0 {
		w.left.rulesCut += len(l.rules)
		l.rules, l.bytes = nil, 0
	}
	l.bytes += outer.bytes
}

// RuleFiles returns the names of the files with ignore rules. A search reads them also in the directories that its root is in, up to
// the first one that has a RepositoryDir.
func RuleFiles() []string { return append(ignoreFiles(), gitExclude) }

// above returns the rules of the directories that the root is in, up to that of its repository. Those that the call may not use
// have none.
func (w *walk) above() *level {
	var levels []*level
	below := ""
	for dir := w.root; path.Dir(dir) != dir && !w.repository(dir); {
		below = path.Base(dir) + "/" + below
		dir = path.Dir(dir)
		own := &level{}
		for _, name := range RuleFiles() {
			own.read(w, path.Join(dir, name), "", below)
		}
		levels = append(levels, own)
	}
	var top *level
	for _, l := range slices.Backward(levels) {
		l.within(w, top)
		top = l
	}
	return top
}

// repository reports whether a directory is the top of a repository's files.
func (w *walk) repository(dir string) bool {
	_, err := w.fs.Stat(path.Join(dir, RepositoryDir))
	return err == nil
}

// read adds the rules of a file, if it is there.
func (l *level) read(w *walk, file, dir, below string) {
	f, err := w.fs.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxIgnoreBytes+1))
	if err != nil {
		return
	}
	r := parseIgnore(content)
	r.dir, r.below = dir, below
	if r.cut {
		w.left.rulesCut++
	}
	if len(r.rules) > 0 {
		l.rules = append(l.rules, r)
		l.bytes += r.bytes
	}
}
