package filesearch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxFound is how many files a Glob keeps; the newest are kept if there are more.
const maxFound = 100_000

// Glob finds files by their names. It does not change.
type Glob struct {
	pattern  string
	segments []string
}

// NewGlob checks a pattern of doublestar's syntax, which is matched with paths relative to the root. The error says what is wrong
// with it, where, and what to write.
func NewGlob(pattern string) (*Glob, error) {
	pattern, err := relativeGlob(pattern)
	if err != nil {
		return nil, err
	}
	return &Glob{pattern: pattern, segments: globSegments(pattern)}, nil
}

// Run writes the paths of the regular files below a directory that match, one a line, the newest first, and behind them what is to be
// said of the search. The error is a *RootError, that of out, or the cause of ctx's end, before which what was found is written.
func (g *Glob) Run(ctx context.Context, files FS, in Scope, out io.Writer) error {
	outer := ctx
	ctx, cancel := withTime(ctx)
	defer cancel()
	r := &globRun{shown: in.Shown}
	r.walk = walk{
		fs: files, root: in.Root, hidden: in.Hidden, ignored: in.Ignored,
		enter: func(rel, _ string) bool {
			if doublestar.MatchUnvalidated(g.pattern, rel) {
				r.directories++
			}
			return entersSegments(g.segments, rel)
		},
		match:     func(rel, _ string) bool { return doublestar.MatchUnvalidated(g.pattern, rel) },
		hiddenToo: func(name string) bool { return namesHidden(g.pattern, name) },
		file:      r.file,
	}
	err := r.walk.run(ctx)
	switch {
	case errors.Is(err, errTime):
		r.note("The search ended after %s: there may be more files; search in a directory further down.", MaxTime)
	case ctx.Err() != nil:
	case err != nil:
		return &RootError{err}
	}
	if err := r.write(out); err != nil {
		return err
	}
	return context.Cause(outer)
}

// globbed is one file that was found.
type globbed struct {
	path    string
	changed time.Time
}

// globRun is one run of a Glob.
type globRun struct {
	walk        walk
	shown       string
	found       []globbed
	total       int
	directories int // that match, as links do
	links       int
	notes       []string
}

func (r *globRun) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *globRun) file(rel string, e fs.DirEntry) error {
	if !e.Type().IsRegular() {
		if e.Type()&fs.ModeSymlink != 0 {
			r.links++
		}
		return nil
	}
	info, err := r.walk.fs.Stat(r.walk.path(rel))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) { // it may have gone meanwhile
			r.walk.left.unreadable(rel, err)
		}
		return nil
	}
	r.total++
	if r.found = append(r.found, globbed{rel, info.ModTime()}); len(r.found) >= 2*maxFound {
		r.newest()
	}
	return nil
}

// newest sorts what was found and keeps at most maxFound.
func (r *globRun) newest() {
	slices.SortFunc(r.found, func(a, b globbed) int {
		if c := b.changed.Compare(a.changed); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	clear(r.found[min(len(r.found), maxFound):])
	r.found = r.found[:min(len(r.found), maxFound)]
}

// writeSize is how many bytes are written to the result at once.
const writeSize = 32 << 10

func (r *globRun) write(to io.Writer) error {
	r.newest()
	out := bufio.NewWriterSize(to, writeSize)
	for _, f := range r.found {
		out.WriteString(shownPath(r.shown, f.path)) // its error comes again at the end
		out.WriteByte('\n')
	}
	if r.total > len(r.found) {
		r.note("Of %d files the newest %d are listed.", r.total, len(r.found))
	}
	if r.total == 0 {
		r.note("No file matches.")
		if r.directories > 0 {
			r.note("The pattern matches %s: glob lists files; end the pattern with /**.", text.CountOf(r.directories, "directory", "directories"))
		}
		if r.links > 0 {
			r.note("The pattern matches %s, which glob does not list or follow.", text.Count(r.links, "symbolic link"))
		}
		if unasked := r.walk.left.unasked(); unasked != "" {
			r.notes = append(r.notes, unasked)
		}
	}
	writeNotes(out, append(r.notes, r.walk.left.notes(r.walk.fs.Skipped())...))
	return out.Flush()
}
