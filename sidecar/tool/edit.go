package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// edit replaces a part of a file.
func edit() *Tool {
	return define(manifest.Definition{
		Name: "edit",
		Description: "Replace a text in a file of the workspace. old_string must stand in the file exactly once, character by character, without the line numbers that read shows; give more lines around it if it is not unique, " +
			"or set replace_all to replace all of them. LF in old_string and new_string stands for the line ending of the file. An empty old_string makes a new file. The result is a unified diff.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"file_path":{"type":"string","minLength":1,"description":"the file: absolute, or relative to the workspace"},
			"old_string":{"type":"string","description":"the text that is replaced"},
			"new_string":{"type":"string","description":"the text that takes its place"},
			"replace_all":{"type":"boolean","description":"replace all places, and not the only one"}},
			"required":["file_path","old_string","new_string"],"additionalProperties":false}`),
		Effects: manifest.EffectsWrite, Kind: "edit", Timeout: fileTimeout,
		Requires: &manifest.Requires{FSRead: anywhere(), FSWrite: anywhere()},
		Uses:     manifest.Uses{FSRead: []string{"/file_path"}, FSWrite: []string{"/file_path"}},
	}, runEdit)
}

// editArgs are the arguments of edit.
type editArgs struct {
	Path string `json:"file_path"`
	Old  string `json:"old_string"`
	New  string `json:"new_string"`
	All  bool   `json:"replace_all"`
}

func runEdit(ctx context.Context, c *Call) (*Result, error) {
	var args editArgs
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if args.Old == args.New {
		return nil, errors.New("old_string and new_string are the same: nothing would change")
	}
	d, err := documentAt(c, args.Path, "edited")
	if err != nil {
		return nil, err
	}
	if args.Old == "" {
		return d.makeNew(ctx, c, &args)
	}
	if err := d.editable(); err != nil {
		return nil, err
	}
	edits, err := d.edits(ctx, &args)
	if err != nil {
		return nil, err
	}
	if size := d.sizeAfter(edits); size > maxEdited {
		return nil, fmt.Errorf("%s would have %d bytes, and %s is the most", text.Show(d.shown), size, text.FormatSize(maxEdited))
	}
	content, err := udiff.Apply(string(d.content), edits)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := d.replace(c, args.Path, content); err != nil {
		return nil, err
	}
	says := fmt.Sprintf("Edited %s: %s.%s\n", text.Show(d.shown), text.Count(len(edits), "replacement"), d.links())
	return d.told(c, says, edits, content)
}

// makeNew makes the file, which must not exist.
func (d *document) makeNew(ctx context.Context, c *Call, args *editArgs) (*Result, error) {
	if d.info != nil {
		return nil, fmt.Errorf("old_string is empty, which makes a new file, and %s exists: give the text that is to be replaced, or use write to replace all of it", text.Show(d.shown))
	}
	if len(args.New) > maxEdited {
		return nil, fmt.Errorf("new_string has %d bytes, and %s is the most", len(args.New), text.FormatSize(maxEdited))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := d.replace(c, args.Path, args.New); err != nil {
		return nil, err
	}
	return d.told(c, fmt.Sprintf("Made %s.\n", text.Show(d.shown)), []udiff.Edit{{New: args.New}}, args.New)
}

// contextLines is how many lines around a change a diff has.
const contextLines = 3

// told writes the diff of a change.
func (d *document) told(c *Call, says string, edits []udiff.Edit, content string) (*Result, error) {
	from, to := "a/"+text.Show(d.shown), "b/"+text.Show(d.shown)
	if d.info == nil {
		from = "/dev/null"
	}
	diff, err := udiff.ToUnified(from, to, string(d.content), perLine(string(d.content), edits), contextLines)
	if err != nil {
		return nil, err
	}
	if _, err := c.Out.Write([]byte(says + diff)); err != nil {
		return nil, err
	}
	return d.changed(content), nil
}

// sizeAfter returns how many bytes the file would have.
func (d *document) sizeAfter(edits []udiff.Edit) int {
	size := len(d.content)
	for _, e := range edits {
		size += len(e.New) - (e.End - e.Start)
	}
	return size
}

// perLine makes one edit of those in the same line. The time of a diff grows with the square of how many there are.
func perLine(content string, edits []udiff.Edit) []udiff.Edit {
	var all []udiff.Edit
	for i := 0; i < len(edits); {
		one := edits[i]
		var b strings.Builder
		b.WriteString(one.New)
		for i++; i < len(edits) && strings.IndexByte(content[one.End:edits[i].Start], '\n') < 0; i++ {
			b.WriteString(content[one.End:edits[i].Start])
			b.WriteString(edits[i].New)
			one.End = edits[i].End
		}
		one.New = b.String()
		all = append(all, one)
	}
	return all
}

// editable returns an error for what is no text that can be changed.
func (d *document) editable() error {
	switch {
	case d.info == nil:
		return fmt.Errorf("%s does not exist: find the file with glob, or make it with write", text.Show(d.shown))
	case d.unread != nil:
		return unusable(d.shown, "edited", d.unread)
	case !text.IsText(d.content):
		media, _ := kindOf(d.content[:min(len(d.content), text.Sniffed)])
		if media == "" {
			media = unknownBytes
		}
		return fmt.Errorf("%s is no text in UTF-8 but %s: it cannot be edited", text.Show(d.shown), media)
	}
	return nil
}

// edits returns what the arguments change. If ctx ends, the error is its cause.
func (d *document) edits(ctx context.Context, args *editArgs) ([]udiff.Edit, error) {
	content := string(d.content)
	found := find(ctx, content, args.Old)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case len(found) == 0:
		return nil, d.miss(ctx, args.Old)
	case len(found) > maxReplacements:
		return nil, fmt.Errorf("old_string stands more than %d times in %s, and %[1]d is the most: give a longer text, or change the file with a command", maxReplacements, text.Show(d.shown))
	case len(found) > 1 && !args.All:
		return nil, fmt.Errorf("old_string stands %d times in %s, in the lines %s: give more of the lines around the one that you mean, or set replace_all", len(found), text.Show(d.shown), linesOf(content, found))
	}
	by := args.New
	if crlf(content) {
		by = toCRLF(by)
	}
	edits := make([]udiff.Edit, len(found))
	for i, f := range found {
		edits[i] = udiff.Edit{Start: f.start, End: f.end, New: by}
	}
	return edits, nil
}

// linesNamed is how many places an error names.
const linesNamed = 10

// linesOf returns the numbers of the lines in which places begin.
func linesOf(content string, found []span) string {
	var numbers []string
	line, at := 1, 0
	for i, f := range found {
		if i == linesNamed {
			return strings.Join(numbers, ", ") + ", …"
		}
		line += strings.Count(content[at:f.start], "\n")
		at = f.start
		numbers = append(numbers, strconv.Itoa(line))
	}
	return text.Enumerate(numbers, "and")
}
