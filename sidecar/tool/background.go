package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

const (
	// maxWait is the longest wait for what a process says.
	maxWait = 30 * time.Second
	// shownLine is how much of a command line a list shows, in bytes.
	shownLine = 120
)

// background starts commands that go on, and looks after them.
func background() *Tool {
	return define(manifest.Definition{
		Name: "background",
		Description: "Start a command line that goes on after the call, such as a server, and look after it. action start runs command as the tool bash does, without a time limit, and " +
			"returns its id; read returns what the process of that id has said since the last read, " + fmt.Sprintf("at most its newest %d KiB, and how it ended; ", MaxUnread>>10) +
			"stop ends it with all that it has started; list shows the processes of this conversation. They end with the conversation. " +
			"In the sandbox nothing else can connect to a server that is started so, not even another command: it is of use for what works on files and prints.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{
			"action":{"type":"string","enum":["start","read","stop","list"]},
			"command":{"type":"string","minLength":1,"description":"start: the command line, for a POSIX shell"},
			"dir":{"type":"string","description":"start: the directory to run in, as for the tool bash"},
			"description":{"type":"string","maxLength":200,"description":"start: what it does, in five to ten words, for the people who may have to allow it"},
			"id":{"type":"string","description":"read, stop: the process, as in bg-1"},
			"wait":{"type":"integer","minimum":0,"maximum":%d,"default":0,"description":"start, read: how many milliseconds to wait for it to say something or to end"}},
			"required":["action"],"additionalProperties":false}`, maxWait.Milliseconds())),
		Effects: manifest.EffectsWrite, Kind: "execute", Requires: anyCommand(), Uses: manifest.Uses{ShellRun: []string{"/command"}, Dir: "/dir"},
	}, runBackground)
}

// backgroundArgs are the arguments of background.
type backgroundArgs struct {
	Action, Command, Dir, ID string
	Wait                     int64
}

func runBackground(ctx context.Context, c *Call) (*Result, error) {
	var args backgroundArgs
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	if err := args.check(); err != nil {
		return nil, err
	}
	if err := runnable(c, args.Command); err != nil {
		return nil, err
	}
	if args.Action == "list" {
		return nil, listed(c)
	}
	p, err := args.process(ctx, c)
	if err != nil {
		return nil, err
	}
	switch {
	case args.Action == "stop":
		p.Stop()
	case args.Wait > 0:
		wait, cancel := context.WithTimeout(ctx, time.Duration(args.Wait)*time.Millisecond)
		p.Wait(wait)
		cancel()
	}
	return args.told(c, p)
}

// check returns which argument does not go with the action.
func (a *backgroundArgs) check() error {
	starts, one := a.Action == "start", a.Action == "read" || a.Action == "stop"
	switch {
	case starts && a.Command == "":
		return errors.New("start needs a command")
	case !starts && (a.Command != "" || a.Dir != ""):
		return fmt.Errorf("command and dir go with start, and not with %s", a.Action)
	case one && a.ID == "":
		return fmt.Errorf("%s needs the id of a process: list shows them", a.Action)
	case !one && a.ID != "":
		return fmt.Errorf("id goes with read and stop, and not with %s", a.Action)
	}
	return nil
}

// process starts the process, or finds the one that is meant.
func (a *backgroundArgs) process(ctx context.Context, c *Call) (Process, error) {
	if a.Action == "start" {
		return c.Shell.Start(ctx, a.Command, a.Dir)
	}
	all := c.Shell.Processes()
	at := slices.IndexFunc(all, func(p Process) bool { return p.ID() == a.ID })
	if at >= 0 {
		return all[at], nil
	}
	there := "it has none"
	if len(all) > 0 {
		var ids []string
		for _, p := range all {
			ids = append(ids, p.ID())
		}
		there = "it has " + text.Enumerate(ids, "and")
	}
	return nil, fmt.Errorf("there is no process %s in this conversation: %s", text.Quote(a.ID, shownLine), there)
}

// told writes what is told of a process: where it is, then what it said.
func (a *backgroundArgs) told(c *Call, p Process) (*Result, error) {
	exit, stopped, ended := p.Exit() // first: then all is read of what has ended
	said, lost := p.Read()
	var b strings.Builder
	fmt.Fprintf(&b, "[%s %s", p.ID(), state(exit, stopped, ended))
	switch {
	case lost > 0:
		fmt.Fprintf(&b, "; %d bytes before this are lost", lost)
	case len(said) == 0:
		b.WriteString("; it has said nothing new")
	}
	b.WriteString("]\n")
	b.Write(said)
	t := &Terminal{ID: p.ID(), Command: p.Line(), Dir: a.Dir}
	if ended {
		t.Exit = &exit
	}
	_, err := c.Out.Write([]byte(b.String()))
	return &Result{Terminal: t}, err
}

// state says where a process is.
func state(exit Exit, stopped, ended bool) string {
	switch {
	case !ended:
		return "runs"
	case stopped:
		return "was stopped: " + exit.String()
	default:
		return "has ended: " + exit.String()
	}
}

// listed writes one line for each process.
func listed(c *Call) error {
	var b strings.Builder
	for _, p := range c.Shell.Processes() {
		line := text.Shorten(text.Show(strings.Join(strings.Fields(p.Line()), " ")), shownLine)
		is := state(p.Exit())
		fmt.Fprintf(&b, "%s %s, began %s ago: %s\n", p.ID(), is, time.Since(p.Began()).Round(time.Second), line)
	}
	if b.Len() == 0 {
		b.WriteString("No process of this conversation was started here.\n")
	}
	_, err := c.Out.Write([]byte(b.String()))
	return err
}
