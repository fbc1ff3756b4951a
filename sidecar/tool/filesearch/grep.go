package filesearch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// MaxMatches is how many matches, or files, a Grep finds at most; then it ends.
const MaxMatches = 100_000

// The modes of output.
const (
	ModeFiles   = "files_with_matches" // the paths of the files, one a line
	ModeContent = "content"            // the lines that match, as path:12:text, and those around them after a space, as path-12-text
	ModeCount   = "count"              // a line a file, as path:3
)

// GrepOptions are what a Grep searches for.
type GrepOptions struct {
	// Pattern is an expression as RE2 has them. Each line is matched by itself unless Multiline is set, with which ^ and $ match at
	// lines, and a dot matches the end of a line too.
	Pattern               string
	IgnoreCase, Multiline bool
	// Include and Exclude are globs: a file is searched if one of Include matches its path, or there is none, and none of Exclude does.
	// Type is a kind of files, "" for any.
	Include, Exclude []string
	Type             string
	// Mode is one of the modes above. Before and After are lines around a match, for ModeContent alone.
	Mode          string
	Before, After int
	// Limit is after how many results the search ends; 0: MaxMatches.
	Limit int
}

// Grep finds lines by what is in them. It does not change.
type Grep struct {
	options          GrepOptions
	pattern          *grepPattern
	include, exclude pathGlobs
	types            pathGlobs // nil: of any type
}

// NewGrep checks what is to be searched for. The error says what is wrong with it, where, and what to write.
func NewGrep(o GrepOptions) (g *Grep, err error) {
	g = &Grep{options: o}
	if o.Mode != ModeContent && o.Before+o.After > 0 {
		return nil, errors.New(`before, after and context show lines: set output_mode to "content"`)
	}
	if g.pattern, err = compilePattern(o.Pattern, o.IgnoreCase, o.Multiline); err != nil {
		return nil, err
	}
	if g.include, err = parsePathGlobs("include", "exclude", o.Include); err != nil {
		return nil, err
	}
	if g.exclude, err = parsePathGlobs("exclude", "include", o.Exclude); err != nil {
		return nil, err
	}
	if o.Type != "" {
		if g.types, err = typeGlobs(o.Type); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Run searches the root, or what is below it if isDir is set, and writes what it finds as it comes, and behind it what is to be
// said of the search. The error is a *RootError, that of out, or the cause of ctx's end.
func (g *Grep) Run(ctx context.Context, files FS, in Scope, isDir bool, out io.Writer) error {
	outer := ctx
	ctx, cancel := withTime(ctx)
	defer cancel()
	s := &grepSearch{Grep: g, Scope: in}
	ended, err := s.run(ctx, files, isDir, out)
	switch {
	case outer.Err() != nil:
		return context.Cause(outer)
	case err != nil:
		return &RootError{err}
	}
	var b strings.Builder
	writeNotes(&b, s.notes(ended, files.Skipped()))
	_, err = out.Write([]byte(b.String()))
	return err
}

// limit returns how many entries the result has at most.
func (g *Grep) limit() int {
	if g.options.Limit > 0 {
		return g.options.Limit
	}
	return MaxMatches
}

// wants reports whether a file is searched.
func (g *Grep) wants(rel, name string) bool {
	return (len(g.include) == 0 || g.include.match(rel, name)) && (g.types == nil || g.types.match(rel, name)) && !g.exclude.match(rel, name)
}

// notes says what is to be said of a search that ended with a cause, nil if it has seen everything.
func (s *grepSearch) notes(ended error, denied int) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	files := text.Count(s.tally.searched, "file")
	switch {
	case errors.Is(ended, errTime):
		note("The search ended after %s, when %s were searched: there may be more; search a directory further down, or use include.", MaxTime, files)
	case errors.Is(ended, errEnough) && s.options.Limit > 0:
		note("The search ended after %s: there are more.", text.CountOf(s.options.Limit, "result", "results"))
	case errors.Is(ended, errEnough):
		note("The search ended after %d results: there are more; make the pattern narrower.", MaxMatches)
	case !s.found:
		note("No match in %s.", files)
		if unasked := s.tally.unasked(); unasked != "" {
			notes = append(notes, unasked)
		}
	}
	if n := s.tally.binary; n > 0 {
		note("Not text, and left out: %s.", text.Count(n, "file"))
	}
	if n := s.tally.large; n > 0 {
		note("Over %s, and left out because of multiline: %s.", text.FormatSize(maxWhole), text.Count(n, "file"))
	}
	if n := s.tally.longLine; n > 0 {
		note("Over %s, and searched only in their beginning: %s.", text.FormatSize(maxSearchedLine), text.Count(n, "line"))
	}
	return slices.Concat(notes, s.tally.notes(denied))
}
