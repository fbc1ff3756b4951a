package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/filesearch"
)

const (
	// maxGlobs is how many globs include and exclude have at most.
	maxGlobs = 50
	// maxContext is how many lines before and after a match may be asked for.
	maxContext = 100
)

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
			"required":["pattern"],"additionalProperties":false}`, maxPattern, maxGlobs, maxContext, filesearch.MaxMatches)),
		Effects: manifest.EffectsRead, Kind: "search", Requires: &manifest.Requires{FSRead: []string{"{workspace}"}}, Uses: manifest.Uses{FSRead: []string{"/path"}},
	}, runGrep))
}

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
	args := grepArgs{OutputMode: filesearch.ModeFiles}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	g, err := filesearch.NewGrep(filesearch.GrepOptions{
		Pattern: args.Pattern, IgnoreCase: args.IgnoreCase, Multiline: args.Multiline, Include: args.Include, Exclude: args.Exclude, Type: args.Type,
		Mode: args.OutputMode, Before: max(args.Before, args.Context), After: max(args.After, args.Context), Limit: args.HeadLimit,
	})
	if err != nil {
		return nil, err
	}
	in, isDir, err := searchScope(c.FS, args.Path)
	if err != nil {
		return nil, err
	}
	in.Hidden, in.Ignored = args.Hidden, args.Ignored
	return nil, searchError(args.Path, g.Run(ctx, searchFiles{c.FS}, in, isDir, c.Out))
}
