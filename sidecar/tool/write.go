package tool

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// write makes or replaces a file.
func write() *Tool {
	return define(manifest.Definition{
		Name: "write",
		Description: "Write a file of the workspace: it is made, with its directories, or all of its content is replaced. To change a part of a file use edit. " +
			"If you have read the file and it was changed since, nothing is written: read it again first. A file whose lines end in CRLF keeps that if content has LF alone, and one with a byte order mark keeps it.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"file_path":{"type":"string","minLength":1,"description":"the file: absolute, or relative to the workspace"},
			"content":{"type":"string","description":"all that the file will have"}},
			"required":["file_path","content"],"additionalProperties":false}`),
		Effects: manifest.EffectsWrite, Kind: "edit", Timeout: fileTimeout,
		Requires: &manifest.Requires{FSWrite: anywhere()}, Uses: manifest.Uses{FSWrite: []string{"/file_path"}},
	}, runWrite)
}

func runWrite(ctx context.Context, c *Call) (*Result, error) {
	var args struct {
		Path    string `json:"file_path"`
		Content string
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if len(args.Content) > maxEdited {
		return nil, fmt.Errorf("content has %d bytes, and %s is the most", len(args.Content), text.FormatSize(maxEdited))
	}
	d, err := documentAt(c, args.Path, "written")
	if err != nil {
		return nil, err
	}
	if d.info != nil && !d.info.Mode().IsRegular() {
		return nil, unusable(d.shown, "written", ErrKind)
	}
	if d.info != nil && !c.Session.isAsSeen(d.resolved, d.info, d.content) {
		return nil, d.overtaken("written")
	}
	content := d.like(args.Content)
	if d.content != nil && content == string(d.content) {
		_, err := fmt.Fprintf(c.Out, "%s has this content already.", text.Show(d.shown))
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := d.replace(c, args.Path, content); err != nil {
		return nil, err
	}
	says := fmt.Sprintf("Wrote %s: %s, %s.", text.Show(d.shown), text.Count(lineCount(content), "line"), text.Count(len(content), "byte"))
	if d.info == nil {
		says = strings.Replace(says, "Wrote", "Made", 1)
	}
	if content != args.Content {
		says += " It has kept its line endings or its byte order mark."
	}
	if _, err := c.Out.Write([]byte(says + d.links())); err != nil {
		return nil, err
	}
	return d.changed(content), nil
}

// overtaken is the error of a file that has changed since the session saw it.
func (d *document) overtaken(done string) error {
	return fmt.Errorf("%s cannot be %s: it was changed since you read it: read it again, and then decide", text.Show(d.shown), done)
}

// like returns new content with the line endings and the byte order mark that the file has.
func (d *document) like(content string) string {
	if !strings.Contains(content, "\r\n") && crlf(d.content) {
		content = toCRLF(content)
	}
	if strings.HasPrefix(string(d.content), byteOrderMark) && !strings.HasPrefix(content, byteOrderMark) {
		content = byteOrderMark + content
	}
	return content
}

// replace writes the file, and remembers it.
func (d *document) replace(c *Call, path, content string) error {
	err := c.FS.Replace(path, []byte(content), d.info)
	switch {
	case errors.Is(err, ErrChanged) && d.info == nil:
		return fmt.Errorf("%s was made meanwhile: read it first", text.Show(d.shown))
	case err != nil:
		return unusable(d.shown, "written", err)
	}
	if now, err := c.FS.Stat(path); err == nil && now.Size() == int64(len(content)) {
		hash := sha256.Sum256([]byte(content))
		c.Session.sawFile(d.resolved, now, hash[:])
	}
	return nil
}

// changed returns the result of a change. What the file had is told only if it is known, and is text.
func (d *document) changed(content string) *Result {
	change := Change{Path: d.resolved, New: &content}
	if d.info != nil {
		if d.content == nil || !text.IsText(d.content) {
			return nil
		}
		old := string(d.content)
		change.Old = &old
	}
	return &Result{Changes: []Change{change}}
}

// lineCount returns how many lines a text has.
func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}
