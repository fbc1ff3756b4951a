package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/patch"
)

// maxPatched is the most bytes that the files of one patch have together: all are in memory, as they were and as they will be.
const maxPatched = 32 << 20

// applyPatch changes several files at once.
func applyPatch() *Tool {
	return define(manifest.Definition{
		Name: "apply_patch",
		Description: "Apply a unified diff, as git diff writes it, to files of the workspace: to all of them or, if any hunk does not fit, to none. Each file begins with --- a/FILE and +++ b/FILE, with /dev/null in the place of " +
			"the one that is not there; a rename has git's lines rename from and rename to. The lines of a hunk that stay or go must stand in the file character by character. They are looked for near the line that the head says, " +
			"so its numbers may be off; of two places that are equally near none is taken. Modes are not changed, and binary patches are refused. " +
			fmt.Sprintf("A patch has at most %s, %d files and %d hunks.", text.FormatSize(patch.MaxBytes), patch.MaxPaths, patch.MaxHunks),
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"patch":{"type":"string","minLength":1,"description":"the unified diff. Its paths are absolute, or relative to the workspace; a/ and b/ in front of them are taken away"}},
			"required":["patch"],"additionalProperties":false}`),
		Effects: manifest.EffectsWrite, Kind: "edit", Timeout: fileTimeout,
		Requires: &manifest.Requires{FSRead: anywhere(), FSWrite: anywhere()},
		Uses:     manifest.Uses{Text: &manifest.UsesText{Pointer: "/patch", Paths: patch.Paths}},
	}, runApplyPatch)
}

// patched is one file of a patch, as it was and as it will be.
type patched struct {
	*patch.File
	from    *document // nil: it is made
	to      *document // nil: it is removed
	content string    // that it will have
	moved   []patch.Moved
}

func runApplyPatch(ctx context.Context, c *Call) (*Result, error) {
	var args struct{ Patch string }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	files, err := patch.Parse(args.Patch)
	if err != nil {
		return nil, fmt.Errorf("patch %w", err)
	}
	all, err := patchedFiles(ctx, c, files)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := writePatched(ctx, c, all); err != nil {
		return nil, err
	}
	result := &Result{}
	var says strings.Builder
	for _, p := range all {
		says.WriteString(p.says())
		result.Changes = append(result.Changes, p.changes()...)
	}
	_, err = c.Out.Write([]byte(says.String()))
	return result, err
}

// patchedFiles computes what the files will have. Nothing is written before all of that is known.
func patchedFiles(ctx context.Context, c *Call, files []patch.File) ([]*patched, error) {
	var all []*patched
	names, size := map[string]string{}, 0
	for i := range files {
		p := &patched{File: &files[i]}
		if err := p.read(c); err != nil {
			return nil, err
		}
		if err := p.claim(names); err != nil {
			return nil, err
		}
		if p.from != nil {
			if size += len(p.from.content); size > maxPatched {
				return nil, fmt.Errorf("the files of the patch have more than %s together: make several patches of it", text.FormatSize(maxPatched))
			}
		}
		if err := p.compute(ctx); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// claim adds the files to those of the patch, by their paths with the names that it has for them. The patch has no name twice, but two may
// lead to one file.
func (p *patched) claim(names map[string]string) error {
	one := func(d *document, name string) error {
		if other, ok := names[d.resolved]; ok {
			return fmt.Errorf("%s and %s are one file: give all its hunks under one name", text.Show(other), text.Show(name))
		}
		names[d.resolved] = name
		return nil
	}
	if p.from != nil {
		if err := one(p.from, p.Old); err != nil {
			return err
		}
	}
	if p.to == nil || p.to == p.from {
		return nil
	}
	return one(p.to, p.New)
}

// read looks at the files, and reads the one that is there.
func (p *patched) read(c *Call) (err error) {
	if p.Old != "" {
		if p.from, err = documentAt(c, p.Old, "patched"); err != nil {
			return err
		}
		if err := p.from.editable(); err != nil {
			return err
		}
		if !c.Session.isAsSeen(p.from.resolved, p.from.info, p.from.content) {
			return p.from.overtaken("patched")
		}
		if p.New == p.Old {
			p.to = p.from
			return nil
		}
		if clean := path.Clean(p.Old); clean != p.from.shown && clean != p.from.resolved {
			return fmt.Errorf("%s cannot be removed or renamed: it leads through a link to %s: write that", text.Show(p.Old), text.Show(p.from.shown))
		}
	}
	if p.New == "" {
		return nil
	}
	if p.to, err = documentAt(c, p.New, "made"); err != nil {
		return err
	}
	if p.to.info != nil {
		return fmt.Errorf("%s cannot be made: it exists: give its lines, with --- a/FILE, or remove it first", text.Show(p.to.shown))
	}
	return nil
}

// compute makes what the file will have.
func (p *patched) compute(ctx context.Context) (err error) {
	if p.from == nil {
		if len(p.Hunks) > 0 {
			p.content = p.Hunks[0].New
		}
		return nil
	}
	shown, was := text.Show(p.from.shown), string(p.from.content)
	p.content, p.moved, err = patch.Apply(ctx, was, p.Hunks)
	switch {
	case err != nil:
		return p.from.misfit(ctx, err)
	case p.to == nil && p.content != "":
		return fmt.Errorf("%s cannot be removed: the patch leaves %s of it, and must have them all with -", shown, text.Count(lineCount(p.content), "line"))
	case p.to == p.from && p.content == was:
		return fmt.Errorf("the patch changes nothing in %s", shown)
	case len(p.content) > maxEdited:
		return fmt.Errorf("%s would have %d bytes, and %s is the most", shown, len(p.content), text.FormatSize(maxEdited))
	}
	return nil
}

// misfit is the error of hunks that cannot be applied.
func (d *document) misfit(ctx context.Context, err error) error {
	says := text.Show(d.shown) + ": " + err.Error()
	miss, ok := errors.AsType[*patch.MissError](err)
	switch {
	case !ok:
		return errors.New(says)
	case miss.Hunk.Old == "":
		return fmt.Errorf("%s: it only adds lines, after line %d, and nothing shows that this is the place: give lines of the file around them", says, miss.Hunk.At)
	}
	return d.unlike(ctx, says, d.absent(miss.Hunk.Old))
}

// sought is how many lines of a hunk are looked for one by one, to find those that the file does not have.
const sought = 50

// absent returns the first lines that the file does not have, and all of them if it has each of these.
func (d *document) absent(lines string) string {
	content := "\n" + strings.ReplaceAll(string(d.content[:min(nearBytes, len(d.content))]), "\r\n", "\n") + "\n"
	var all strings.Builder
	n := 0
	for line := range strings.Lines(lines) {
		if n++; n > sought {
			break
		}
		if !strings.Contains(content, "\n"+strings.TrimRight(line, "\r\n")+"\n") {
			all.WriteString(line)
		}
	}
	if all.Len() == 0 {
		return lines
	}
	return all.String()
}
