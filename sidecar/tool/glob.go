package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/filesearch"
)

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

func runGlob(ctx context.Context, c *Call) (*Result, error) {
	var args globArgs
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	g, err := filesearch.NewGlob(args.Pattern)
	if err != nil {
		return nil, err
	}
	in, isDir, err := searchScope(c.FS, args.Path)
	switch {
	case err != nil:
		return nil, err
	case !isDir:
		return nil, fmt.Errorf("the path %s is a file: give its directory, or use read to see the file", text.Quote(args.Path, filesearch.MaxQuoted))
	}
	in.Hidden, in.Ignored = args.Hidden, args.Ignored
	return nil, searchError(args.Path, g.Run(ctx, searchFiles{c.FS}, in, c.Out))
}
