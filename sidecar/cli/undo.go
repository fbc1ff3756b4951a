package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

const undoText = `Take back what the sidecar's own tools have changed in a task, or in some of its
files (sidecar changes lists them). A file gets the content and the permissions that
it had before the task; one that the task has made is removed, and directories stay.
A PATH is absolute, or relative to the sidecar's workspace.

A file is taken back only if it still is what the task left: one that was changed
since is left as it is, with the reason, and the others go on. If a later task
changed it, undo that one first. What commands have changed is not known, and stays.

The rules hold as for every call (core.undo): one that asks is answered with sidecar
approve. An undo is a task of its own, which can be undone. The agent may not undo.`

const undoExamples = `sidecar undo 4f5c… --dry-run
sidecar undo 4f5c…
sidecar undo 4f5c… src/main.go
sidecar undo --call call-1`

const undoExits = `0    taken back
1    not all of it, with the reasons; or there is nothing that can be
2    the command line is wrong
3    it waits for an approval
4    no sidecar there
6    it was denied or rejected
7    busy or unavailable: try again
130  Ctrl-C; the undo may go on`

// undoOptions are the flags of undo.
type undoOptions struct {
	callOptions
	call         string
	json, dryRun bool
}

// undoReply is what the server answers; see help a2a.
type undoReply struct {
	Task    string            `json:"taskId"`
	Outcome string            `json:"outcome"`
	Error   string            `json:"error"`
	Files   []tool.UndoneFile `json:"files"`
	DryRun  bool              `json:"dryRun"`
}

func newUndo(std Std) *cobra.Command {
	o := &undoOptions{callOptions: callOptions{target: target{std: std}}}
	c := &cobra.Command{
		Use:         "undo TASK [PATH…]",
		Short:       "Take back what the sidecar's tools changed in a task",
		Long:        undoText,
		Example:     undoExamples,
		Annotations: map[string]string{exitCodes: undoExits},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && o.call == "" {
				return usagef(c.CommandPath(), "the TASK is missing; sidecar changes lists them")
			}
			return nil
		},
	}
	c.ValidArgsFunction = o.taskIDs(nil)
	o.addFlag(c)
	outputFlag(c, func(c *cobra.Command, args []string, asJSON bool) error {
		task := ""
		if o.call == "" {
			task, args = args[0], args[1:]
		}
		return o.run(c.Context(), task, args, asJSON || o.json)
	})
	f := c.Flags()
	f.StringVar(&o.call, "call", "", "`ID` of a call whose changes alone are taken back, in place of a TASK")
	f.BoolVar(&o.json, "json", false, "the same as --output json")
	f.BoolVarP(&o.dryRun, "dry-run", "n", false, "only say what would be done")
	return c
}

func (o *undoOptions) run(ctx context.Context, task string, paths []string, asJSON bool) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	body, err := text.JSON(map[string]any{"task": task, "call": o.call, "paths": paths, "dryRun": o.dryRun})
	if err != nil {
		return err
	}
	answer, err := client.Post(ctx, changesPath+"/undo", body)
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		return clientError(base, err)
	}
	var r undoReply
	if err := json.Unmarshal(answer, &r); err != nil || r.Files == nil {
		return notASidecar(base, "no undo")
	}
	if asJSON {
		if _, err := fmt.Fprintf(o.std.Out, "%s\n", answer); err != nil {
			return err
		}
		return silent(r.code())
	}
	if r.Outcome == "waiting" {
		return o.waits(ctx, client, r.Task)
	}
	return o.print(&r)
}

// code returns the exit code of an answer.
func (r *undoReply) code() int {
	switch r.Outcome {
	case "waiting":
		return exitNobody
	case "final", "redacted":
	default:
		return cmp.Or(callCode(0, r.Outcome), exitFailed)
	}
	for _, f := range r.Files {
		if f.Result == tool.UndoRefused {
			return exitFailed
		}
	}
	return 0
}

// changed reports whether anything was done, which can be taken back.
func (r *undoReply) changed() bool {
	for _, f := range r.Files {
		if f.Result != tool.UndoRefused && f.Result != tool.UndoSame {
			return true
		}
	}
	return false
}

func (o *undoOptions) print(r *undoReply) error {
	for _, f := range r.Files {
		line := fmt.Sprintf("%-9s %s", f.Result, f.Path)
		if f.Why != "" {
			line += ": " + f.Why
		}
		if _, err := fmt.Fprintln(o.std.Out, printable(line)); err != nil {
			return err
		}
	}
	switch {
	case r.Error != "":
		return &exitError{code: r.code(), err: fmt.Errorf("%s: %s", spoken(r.Outcome), printableLines(r.Error))}
	case r.DryRun:
		fmt.Fprintln(o.std.Err, "sidecar: nothing was done: --dry-run")
	case r.changed():
		fmt.Fprintf(o.std.Err, "sidecar: it can be taken back by: sidecar undo %s\n", printable(r.Task))
	}
	return silent(r.code())
}
