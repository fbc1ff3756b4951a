package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

const (
	// searchTime is how long a search takes at most; then it ends with what it has.
	searchTime = 10 * time.Second
	// maxFound is how many files glob keeps; the newest are kept if there are more.
	maxFound = 100_000
	// maxPattern is how many characters a pattern has at most, as the schema counts.
	maxPattern = 2000
)

// errSearchTime ends a search that takes too long.
var errSearchTime = fmt.Errorf("the search has taken %s", searchTime)

// searchContext returns a context that ends with the time that a search has.
func searchContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, searchTime, errSearchTime)
}

func glob() *Tool {
	return aboveRules(define(manifest.Definition{
		Name: "glob",
		Description: "Find files by name. The pattern is matched with the path below `path`: * and ? do not match a slash, ** matches any directories, {a,b} alternatives, [a-z] one character; " +
			`"**/*.go" finds at any depth, "*.go" only in the directory itself. The result has one path a line, the newest file first; of more than 1,000 the rest is in the file at output_path. Directories are not listed. ` +
			"Hidden files and those that .gitignore names are left out.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
			"pattern":{"type":"string","minLength":1,"maxLength":%d,"description":"such as \"src/**/*.{ts,tsx}\", relative to path"},
			"path":{"type":"string","minLength":1,"default":".","description":"the directory to search"},
			"hidden":{"type":"boolean","default":false,"description":"also files and directories whose names begin with a dot"},
			"ignored":{"type":"boolean","default":false,"description":"also what .gitignore and .ignore leave out"}},
			"required":["pattern"],"additionalProperties":false}`, maxPattern)),
		Effects: manifest.EffectsRead, Kind: "search", Requires: &manifest.Requires{FSRead: []string{"{workspace}"}}, Uses: manifest.Uses{FSRead: []string{"/path"}},
	}, runGlob))
}

// globArgs are glob's arguments.
type globArgs struct {
	Pattern, Path   string
	Hidden, Ignored bool
}

// globbed is one file that was found.
type globbed struct {
	path    string
	changed time.Time
}

func runGlob(ctx context.Context, c *Call) (*Result, error) {
	var args globArgs
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	pattern, err := relativeGlob(args.Pattern)
	if err != nil {
		return nil, err
	}
	root, base, err := searchRoot(c.FS, args.Path)
	if err != nil {
		return nil, err
	}
	if info, err := c.FS.Stat(root); err != nil {
		return nil, rootError(args.Path, err)
	} else if info.Mode().IsRegular() {
		return nil, fmt.Errorf("the path %s is a file: give its directory, or use read to see the file", text.Quote(args.Path, maxQuoted))
	} else if !info.IsDir() {
		return nil, rootError(args.Path, notSearched(info))
	}
	segments := globSegments(pattern)
	g := &globbing{base: base}
	g.walk = walk{
		fs: c.FS, root: root, hidden: args.Hidden, ignored: args.Ignored,
		enter: func(rel, _ string) bool {
			if doublestar.MatchUnvalidated(pattern, rel) {
				g.directories++
			}
			return entersSegments(segments, rel)
		},
		match:     func(rel, _ string) bool { return doublestar.MatchUnvalidated(pattern, rel) },
		hiddenToo: func(name string) bool { return namesHidden(pattern, name) },
		file:      g.file,
	}
	ctx, cancel := searchContext(ctx)
	defer cancel()
	err = g.walk.run(ctx)
	switch {
	case errors.Is(err, errSearchTime):
		g.note("The search ended after %s: there may be more files; search in a directory further down.", searchTime)
	case ctx.Err() != nil:
	case err != nil:
		return nil, rootError(args.Path, err)
	}
	if err := g.write(c); err != nil {
		return nil, err
	}
	return nil, ctxError(ctx)
}

// ctxError returns the cause of ctx's end, unless it is that the search's own time was over.
func ctxError(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, errSearchTime) {
		return cause
	}
	return nil
}

// searchRoot returns the path at which a search begins, as the FS takes it and as it is shown.
func searchRoot(files FS, arg string) (root, shown string, err error) {
	if arg == "" {
		arg = "."
	}
	root, shown, err = files.Path(arg)
	if err != nil {
		return "", "", rootError(arg, err)
	}
	return root, shown, nil
}

// globbing is one call of glob.
type globbing struct {
	walk        walk
	base        string
	found       []globbed
	total       int
	directories int // that match, as links do
	links       int
	notes       []string
}

func (g *globbing) note(format string, args ...any) {
	g.notes = append(g.notes, fmt.Sprintf(format, args...))
}

func (g *globbing) file(rel string, e fs.DirEntry) error {
	if !e.Type().IsRegular() {
		if e.Type()&fs.ModeSymlink != 0 {
			g.links++
		}
		return nil
	}
	info, err := g.walk.fs.Stat(g.walk.path(rel))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) { // it may have gone meanwhile
			g.walk.left.unreadable(rel, err)
		}
		return nil
	}
	g.total++
	if g.found = append(g.found, globbed{rel, info.ModTime()}); len(g.found) >= 2*maxFound {
		g.newest()
	}
	return nil
}

// newest sorts what was found and keeps at most maxFound.
func (g *globbing) newest() {
	slices.SortFunc(g.found, func(a, b globbed) int {
		if c := b.changed.Compare(a.changed); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	clear(g.found[min(len(g.found), maxFound):])
	g.found = g.found[:min(len(g.found), maxFound)]
}

func (g *globbing) write(c *Call) error {
	g.newest()
	out := bufio.NewWriterSize(c.Out, writeSize)
	for _, f := range g.found {
		out.WriteString(shownPath(g.base, f.path)) // its error comes again at the end
		out.WriteByte('\n')
	}
	if g.total > len(g.found) {
		g.note("Of %d files the newest %d are listed.", g.total, len(g.found))
	}
	if g.total == 0 {
		g.note("No file matches.")
		if g.directories > 0 {
			g.note("The pattern matches %s: glob lists files; end the pattern with /**.", text.CountOf(g.directories, "directory", "directories"))
		}
		if g.links > 0 {
			g.note("The pattern matches %s, which glob does not list or follow.", text.Count(g.links, "symbolic link"))
		}
		if unasked := g.walk.left.unasked(); unasked != "" {
			g.notes = append(g.notes, unasked)
		}
	}
	writeNotes(out, append(g.notes, g.walk.left.notes(c.FS.Skipped())...))
	return out.Flush()
}

// writeSize is how many bytes are written to Call.Out at once.
const writeSize = 32 << 10

// writeNotes writes each note on a line of its own, in parentheses.
func writeNotes(out io.Writer, notes []string) {
	for _, n := range notes {
		fmt.Fprintf(out, "(%s)\n", n)
	}
}
