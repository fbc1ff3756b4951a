package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// The limits of a command.
const (
	// defaultBash is how long a command may take that says nothing of it, and maxBash the most that it may ask for. The
	// sidecar's limit for all tools ends it earlier.
	defaultBash = 2 * time.Minute
	maxBash     = 10 * time.Minute
	// maxLine is the longest command, in bytes: what a system takes as one argument of a program.
	maxLine = 120 << 10
)

// bash runs one command line.
//
// Its sandbox lets it use the workspace and the other directories of the task, what it takes to start programs, and
// what the policy file grants (its requires): hosts are reached by a proxy of the call, and there is no network without
// any. It sets no limits of memory, time of computing or processes: the timeout and the stop ladder end what
// a fork bomb starts, and what bounds all processes of the sidecar is the operator's (a container, a control group).
//
// A rule that denies a part of the workspace is no rule that the sandbox can hold: it lets a program use a directory with
// all that is in it. So a command that names such a file, as a word or by a redirection, is denied; every other one is
// asked about, since what it uses beside that is not known (package policy, Use.Named).
func bash() *Tool {
	return define(manifest.Definition{
		Name: "bash",
		Description: fmt.Sprintf("Run one command line by sh -c in the workspace. The result is what it says on standard output and standard error, in order; a command that "+
			"fails is an error with its exit status and what it said. Nothing lasts from one call to the next, not even cd: give dir, or write cd x && y. It can use the files of "+
			"the workspace, and no network unless somebody has granted hosts; TMPDIR, and mostly HOME, are its own and empty. It is stopped after timeout milliseconds (%d unless "+
			"you say otherwise, at most %d), with what it said until then. What it leaves running is ended with it: a server, say, is for the tool background, if it is offered. No input can be typed. Of long output you get "+
			"the first 200 KB, and the path of a file with all of it.", defaultBash.Milliseconds(), maxBash.Milliseconds()),
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
			"command":{"type":"string","minLength":1,"description":"the command line, for a POSIX shell"},
			"timeout":{"type":"integer","minimum":1,"maximum":%d,"default":%d,"description":"milliseconds after which it is stopped"},
			"description":{"type":"string","maxLength":200,"description":"what it does, in five to ten words, for the people who may have to allow it"},
			"dir":{"type":"string","description":"the directory to run in: absolute, or relative to the workspace, and in it or in another directory of the task"}},
			"required":["command"],"additionalProperties":false}`, maxBash.Milliseconds(), defaultBash.Milliseconds())),
		Effects: manifest.EffectsWrite, Kind: "execute", Requires: anyCommand(), Uses: manifest.Uses{ShellRun: []string{"/command"}, Dir: "/dir"},
	}, runBash)
}

// anyCommand is what a tool requires that runs any command in the workspace.
func anyCommand() *manifest.Requires {
	all := []string{"{" + manifest.VariableWorkspace + "}/**"}
	return &manifest.Requires{FSRead: all, FSWrite: all, Shell: []manifest.ShellRun{{Cmd: "*"}}}
}

func runBash(ctx context.Context, c *Call) (*Result, error) {
	var args struct {
		Command, Dir string
		Timeout      int64
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if err := runnable(c, args.Command); err != nil {
		return nil, err
	}
	exit, err := c.Shell.Run(ctx, args.Command, args.Dir, time.Duration(args.Timeout)*time.Millisecond, c.Out)
	t := &Terminal{Command: args.Command, Dir: args.Dir}
	if err != nil {
		return &Result{Terminal: t}, err
	}
	if t.Exit = &exit; !exit.Success() {
		err = errors.New(exit.String())
	}
	return &Result{Terminal: t}, err
}

// runnable returns why a command line cannot be run.
func runnable(c *Call, line string) error {
	switch {
	case c.Shell == nil:
		return errors.New("no command can be run here")
	case len(line) > maxLine:
		return fmt.Errorf("the command has %d bytes, and %d are the most: write it to a file, and run that", len(line), maxLine)
	}
	return nil
}
