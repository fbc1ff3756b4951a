package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// maxMatches is how many matches, or files, a search has at most; then it ends.
const maxMatches = 100_000

func grep() *Tool {
	return aboveRules(define(manifest.Definition{
		Name: "grep",
		Description: "Search the text of files with a regular expression (RE2: no look-around, no back-references), line by line. output_mode files_with_matches lists paths, content shows lines as path:line:text " +
			"and those around them, if asked for, as path-line-text after a space, count shows path:number. Of more than 200 matches the rest is in the file at output_path. Lines over 500 bytes are cut; binary and hidden files and those that .gitignore names are left out.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
			"pattern":{"type":"string","minLength":1,"maxLength":%[1]d,"description":"the regular expression; a backslash before ( [ { . * + ? | ^ $ takes their meaning"},
			"path":{"type":"string","minLength":1,"default":".","description":"the file or the directory to search"},
			"include":{"type":["string","array"],"maxLength":%[1]d,"minItems":1,"maxItems":%[2]d,"items":{"type":"string","minLength":1,"maxLength":%[1]d},"description":"glob or globs of the files to search: \"*.{ts,tsx}\" at any depth, \"src/**\" below path"},
			"exclude":{"type":["string","array"],"maxLength":%[1]d,"maxItems":%[2]d,"items":{"type":"string","minLength":1,"maxLength":%[1]d},"description":"glob or globs of files and directories to leave out"},
			"type":{"type":"string","minLength":1,"maxLength":50,"description":"kind of files: go, js, ts, py, rust, java, c, cpp, md, json, yaml, ..."},
			"output_mode":{"type":"string","enum":["files_with_matches","content","count"],"default":"files_with_matches"},
			"before":{"type":"integer","minimum":0,"maximum":%[3]d,"description":"lines to show before each match; only for content, as after and context"},
			"after":{"type":"integer","minimum":0,"maximum":%[3]d,"description":"lines to show after each match"},
			"context":{"type":"integer","minimum":0,"maximum":%[3]d,"description":"lines to show before and after each match"},
			"ignore_case":{"type":"boolean","default":false},
			"multiline":{"type":"boolean","default":false,"description":"a match may go over several lines, and a dot matches the end of a line"},
			"head_limit":{"type":"integer","minimum":1,"maximum":%[4]d,"description":"end after so many matches, or files"},
			"hidden":{"type":"boolean","default":false,"description":"also files and directories whose names begin with a dot"},
			"ignored":{"type":"boolean","default":false,"description":"also what .gitignore and .ignore leave out"}},
			"required":["pattern"],"additionalProperties":false}`, maxPattern, maxGlobs, maxContext, maxMatches)),
		Effects: manifest.EffectsRead, Kind: "search", Requires: &manifest.Requires{FSRead: []string{"{workspace}"}}, Uses: manifest.Uses{FSRead: []string{"/path"}},
	}, runGrep))
}

// maxGlobs is how many globs include and exclude have at most.
const maxGlobs = 50

// oneOrMore is a string, or an array of them.
type oneOrMore []string

// UnmarshalJSON implements json.Unmarshaler.
func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// grepArgs are grep's arguments.
type grepArgs struct {
	Pattern, Path          string
	Include, Exclude       oneOrMore
	Type                   string
	OutputMode             string `json:"output_mode"`
	Before, After, Context int
	IgnoreCase             bool `json:"ignore_case"`
	Multiline              bool
	HeadLimit              int `json:"head_limit"`
	Hidden, Ignored        bool
}

func runGrep(ctx context.Context, c *Call) (*Result, error) {
	args := grepArgs{OutputMode: modeFiles}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	g, err := newGrep(&args)
	if err != nil {
		return nil, err
	}
	if g.root, g.base, err = searchRoot(c.FS, args.Path); err != nil {
		return nil, err
	}
	info, err := c.FS.Stat(g.root)
	if err != nil {
		return nil, rootError(args.Path, err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, rootError(args.Path, notSearched(info))
	}
	outer := ctx
	ctx, cancel := searchContext(ctx)
	defer cancel()
	ended, err := g.run(ctx, c, info.IsDir())
	switch {
	case outer.Err() != nil:
		return nil, context.Cause(outer)
	case err != nil:
		return nil, rootError(args.Path, err)
	}
	var b strings.Builder
	writeNotes(&b, g.notes(ended, c.FS.Skipped()))
	_, err = c.Out.Write([]byte(b.String()))
	return nil, err
}

// grepping is one call of grep.
type grepping struct {
	args             *grepArgs
	pattern          *grepPattern
	include, exclude pathGlobs
	types            pathGlobs // nil: of any type
	root, base       string
	tally            grepTally
	found            bool
}

func newGrep(args *grepArgs) (g *grepping, err error) {
	g = &grepping{args: args}
	if args.OutputMode != modeContent && args.Before+args.After+args.Context > 0 {
		return nil, errors.New(`before, after and context show lines: set output_mode to "content"`)
	}
	if g.pattern, err = compilePattern(args.Pattern, args.IgnoreCase, args.Multiline); err != nil {
		return nil, err
	}
	if g.include, err = parsePathGlobs("include", "exclude", args.Include); err != nil {
		return nil, err
	}
	if g.exclude, err = parsePathGlobs("exclude", "include", args.Exclude); err != nil {
		return nil, err
	}
	if args.Type != "" {
		if g.types, err = typeGlobs(args.Type); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// limit returns how many entries the result has at most.
func (g *grepping) limit() int {
	if g.args.HeadLimit > 0 {
		return g.args.HeadLimit
	}
	return maxMatches
}

// wants reports whether a file is searched.
func (g *grepping) wants(rel, name string) bool {
	return (len(g.include) == 0 || g.include.match(rel, name)) && (g.types == nil || g.types.match(rel, name)) && !g.exclude.match(rel, name)
}

// notes says what is to be said of a search that ended with a cause, nil if it has seen everything.
func (g *grepping) notes(ended error, denied int) []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	files := text.Count(g.tally.searched, "file")
	switch {
	case errors.Is(ended, errSearchTime):
		note("The search ended after %s, when %s were searched: there may be more; search a directory further down, or use include.", searchTime, files)
	case errors.Is(ended, errEnough) && g.args.HeadLimit > 0:
		note("The search ended after %s: there are more.", text.CountOf(g.args.HeadLimit, "result", "results"))
	case errors.Is(ended, errEnough):
		note("The search ended after %d results: there are more; make the pattern narrower.", maxMatches)
	case !g.found:
		note("No match in %s.", files)
		if unasked := g.tally.unasked(); unasked != "" {
			notes = append(notes, unasked)
		}
	}
	if n := g.tally.binary; n > 0 {
		note("Not text, and left out: %s.", text.Count(n, "file"))
	}
	if n := g.tally.large; n > 0 {
		note("Over %s, and left out because of multiline: %s.", text.FormatSize(maxWhole), text.Count(n, "file"))
	}
	if n := g.tally.longLine; n > 0 {
		note("Over %s, and searched only in their beginning: %s.", text.FormatSize(maxSearchedLine), text.Count(n, "line"))
	}
	return slices.Concat(notes, g.tally.notes(denied))
}
