package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
)

const changesText = `Show what the sidecar's own tools (write, edit and those like them) have changed in
files, task by task, as unified diffs; the newest is last. A task's changes include
those of the calls that are a part of it. With callers known, those of the caller.

Only these tools are seen: what a command (bash), the agent's own tools, an exec
tool or a person has changed is not in it. A task that has run commands is marked.
sidecar undo takes changes back; sidecar help tools says how long they are kept.`

const changesExamples = `sidecar changes
sidecar changes 4f5c… --stat
sidecar changes 4f5c… >task.patch
sidecar changes -o json | jq -r '.tasks[].files[].path'`

const changesExits = `0  shown
1  the server answered an error
2  the command line is wrong
4  no sidecar there`

// changesPath is where a sidecar shows changes.
const changesPath = "/a2a/changes"

// changesOptions are the flags of changes.
type changesOptions struct {
	target
	context    string
	json, stat bool
	now        func() time.Time
}

func newChanges(std Std) *cobra.Command {
	o := &changesOptions{target: target{std: std}, now: time.Now}
	c := &cobra.Command{
		Use:         "changes [TASK]",
		Short:       "Show what the sidecar's tools changed in files",
		Long:        changesText,
		Example:     changesExamples,
		Annotations: map[string]string{exitCodes: changesExits},
		Args:        between(0, 1, ""),
	}
	c.ValidArgsFunction = o.taskIDs(nil)
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		return o.run(c.Context(), strings.Join(args, ""), asJSON || o.json)
	})
	f := c.Flags()
	f.StringVarP(&o.context, "context", "c", "", "`ID` of the conversation whose changes are shown")
	f.BoolVar(&o.json, "json", false, "the same as --output json")
	f.BoolVar(&o.stat, "stat", false, "one line for each file, without its diff")
	return c
}

func (o *changesOptions) run(ctx context.Context, task string, asJSON bool) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	q := url.Values{}
	for name, value := range map[string]string{"task": task, "contextId": o.context} {
		if value != "" {
			q.Set(name, value)
		}
	}
	doc, err := client.Document(ctx, changesPath+"?"+q.Encode())
	if err != nil {
		return clientError(base, err)
	}
	var d changes.Document
	if err := json.Unmarshal(doc.Body, &d); err != nil || d.Tasks == nil {
		return notASidecar(base, "no changes")
	}
	if asJSON {
		_, err = fmt.Fprintf(o.std.Out, "%s\n", doc.Body)
		return err
	}
	return o.print(&d)
}

// print writes the changes: what no patch has goes to stderr if the rest goes to a program.
func (o *changesOptions) print(d *changes.Document) error {
	switch {
	case d.Kept == "nowhere":
		fmt.Fprintln(o.std.Err, "sidecar: no changes are kept: --changes-total is 0")
	case len(d.Tasks) == 0:
		fmt.Fprintln(o.std.Err, "no changes of files by the sidecar's own tools are kept")
	}
	var b strings.Builder
	for i := range d.Tasks {
		o.task(&b, &d.Tasks[i])
	}
	if _, err := io.WriteString(o.std.Out, forReader(o.std.Out, b.String())); err != nil {
		return err
	}
	if d.More > 0 {
		fmt.Fprintf(o.std.Err, "sidecar: %s more: name the TASK\n", text.Count(d.More, "older change"))
	}
	return nil
}

// task writes the changes of one task.
func (o *changesOptions) task(b *strings.Builder, t *changes.Task) {
	fmt.Fprintf(b, "task %s, %s ago, %s\n", printable(t.ID), since(o.now(), t.Changed), text.Count(len(t.Files), "file"))
	if t.Commands {
		b.WriteString("  it has run commands too: what they changed is not known here\n")
	}
	for i := range t.Files {
		f := &t.Files[i]
		fmt.Fprintf(b, "  %-8s %s", printable(f.Change), printable(f.Path))
		if f.Diff != "" {
			fmt.Fprintf(b, " +%d -%d", f.Added, f.Removed)
		}
		if f.Note != "" {
			fmt.Fprintf(b, " (%s)", printable(f.Note))
		}
		b.WriteString("\n")
	}
	for i := range t.Files {
		if !o.stat && t.Files[i].Diff != "" {
			b.WriteString(t.Files[i].Diff)
		}
	}
}
