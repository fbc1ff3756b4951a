package turn

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/autodetect"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/line"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/tui"
)

// terminal is the body of an agent that lives under a terminal: the model of the
// terminal, and the people and files that see it.
type terminal struct {
	s       *session
	pty     *tty.Terminal
	console *console.Console
	screen  screen
	person  *tty.Passthrough // nil: no person is at the terminal
	query   console.QueryFilter
	held    signal // a key of the person's was held back

	// watched ends when nobody waits for the terminal's viewers any more. shown
	// counts the chunks that the viewers took.
	watched context.Context
	unwatch context.CancelFunc
	shown   atomic.Int64
}

var _ body = (*terminal)(nil)

func newTerminal(s *session) body {
	t := &terminal{s: s, held: make(signal, 1)}
	t.watched, t.unwatch = context.WithCancel(s.r.life)
	return t
}

func (t *terminal) start(c proc.Command) (*proc.Child, error) {
	pty, err := tty.Start(t.s.r.o.Host, c, t.s.r.o.Size)
	if err != nil {
		return nil, err
	}
	t.pty = pty
	return pty.Child(), nil
}

// open makes what reads the terminal, and attaches the person.
func (t *terminal) open(plan spec.Plan, hooked bool) error {
	s, r := t.s, t.s.r
	untypable := r.profile.Untypable(plan.Argv, plan.Env)
	if untypable != "" {
		s.log.Warn("no message can be typed to the agent", "reason", untypable)
	}
	record, err := r.newRecorder()
	if err != nil {
		return err
	}
	t.console = console.New(console.Options{
		Log: s.log, TTY: t.pty, PID: s.child.PID(), Profile: r.profile, Size: r.o.Size,
		Waits:  waits.Of(s.child.PID()).Look,
		Person: r.o.Person != nil, Record: record, Now: r.o.Now, Untypable: untypable,
	})
	t.screen = newScreen(r.o, t.console, hooked)
	t.pty.OnResize(t.console.Resize)
	t.screen.Sit(t.pty.Arbiter())
	if r.strict() {
		t.pty.Arbiter().HoldBack(func() { t.held.wake() })
	}
	if r.o.Person != nil {
		t.person, err = r.o.Person(t.pty)
	}
	return err
}

func (t *terminal) agent() driver.Live { return t.screen }

// run also serves the console and those who watch the terminal.
func (t *terminal) run() proc.Exit {
	var around sync.WaitGroup
	defer around.Wait()
	ctx, cancel := context.WithCancel(t.s.life)
	defer cancel()
	around.Go(func() { t.console.Run(ctx) })
	around.Go(t.hangUp)
	if t.person != nil {
		around.Go(func() { t.tellPerson(ctx) })
	}
	exit := t.pty.Output(t.output)
	if rest := t.query.Rest(); t.person != nil && len(rest) > 0 {
		t.person.Show(rest)
	}
	t.unwatch()
	if t.person != nil {
		if exit.Signal != 0 {
			t.person.Killed()
		}
		t.person.Close()
	}
	t.console.Exited()
	return exit
}

func (t *terminal) abandon() { t.pty.Output(nil) }

// release ends the recording.
func (t *terminal) release(exit *proc.Exit) {
	t.unwatch()
	if t.console == nil {
		return
	}
	var status *int
	if exit != nil {
		n := exit.Status()
		status = &n
	}
	if err := t.console.CloseRecord(status); err != nil {
		t.s.r.o.Log.Warn("the recording is not whole", "error", err)
	}
}

func (t *terminal) attended() bool { return t.person != nil }

func (t *terminal) begins(n int, task string) { t.console.Mark(n, task) }

func (t *terminal) report(r channel.Report) { t.console.Report(r) }

func (t *terminal) verdict() state.Verdict { return t.console.Look().Verdict }

// lastWords returns the last row of a program that prints lines and has failed.
func (t *terminal) lastWords(exit proc.Exit) string {
	v := t.console.Look()
	if exit.Success() || exit.Signal != 0 || t.s.r.profile.TUI || v.Screen.Alternate {
		return ""
	}
	return shortWords(console.LastRow(v.Screen))
}

// output takes a chunk of the terminal's output. The person sees it first. Then the
// driver may wait until its turn has read enough. Then the console takes it, with the
// text for the driver: whoever sees a state of the screen can read all text before it.
func (t *terminal) output(chunk []byte) {
	if t.person != nil {
		if show := t.query.Next(chunk); len(show) > 0 {
			t.person.Show(show)
		}
	} else if t.s.r.tee != nil {
		t.s.r.tee.write(t.watched, chunk)
	}
	t.shown.Add(1)
	t.screen.Output(chunk)
	t.console.Write(chunk)
}

// signal has room for one value: it says that something has happened, at least once.
type signal chan struct{}

func (s signal) wake() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// tellPerson tells the person at the terminal why a key has done nothing.
func (t *terminal) tellPerson(ctx context.Context) {
	for {
		select {
		case <-t.console.KeysDropped():
			t.person.Notify("sidecar: a caller answered the agent's question first, and your key was dropped")
		case <-t.held:
			t.person.Notify("sidecar: --govern=strict: your keys are held back; Ctrl-C interrupts the agent")
		case <-ctx.Done():
			return
		}
	}
}

// viewTime is how long the viewer of an agent that has ended may take for each
// further chunk of its last output.
const viewTime = 500 * time.Millisecond

// hangUp detaches a viewer that takes no more output after the agent has ended: a
// stuck terminal, or a pipe without a reader, must not keep the session alive.
func (t *terminal) hangUp() {
	select {
	case <-t.s.child.Exited():
	case <-t.watched.Done():
		return
	}
	tick := time.NewTicker(viewTime)
	defer tick.Stop()
	for before := int64(-1); before != t.shown.Load(); {
		before = t.shown.Load()
		select {
		case <-tick.C:
		case <-t.watched.Done():
			return
		}
	}
	t.unwatch()
	if t.person != nil {
		t.person.Close()
	}
}

// quitGap is how long the screen may take to show a key before the next key is
// typed.
const quitGap = 150 * time.Millisecond

// quit types the keys that end an idle agent, unless a person is at the terminal.
func (t *terminal) quit() {
	keys := t.s.r.profile.Quit
	v := t.console.Look()
	text, _ := t.s.r.profile.Input(v.Screen)
	if t.person != nil || len(keys) == 0 || v.Verdict.State != profile.Ready || text != "" {
		return
	}
	limit := time.NewTimer(quitTime)
	defer limit.Stop()
	for i, key := range keys {
		v := t.console.Look()
		if _, err := t.console.Type(t.s.life, key); err != nil {
			return
		}
		var shown <-chan struct{}
		gap := limit.C
		if i < len(keys)-1 {
			next := time.NewTimer(quitGap)
			defer next.Stop()
			gap, shown = next.C, v.Changed
		}
		select {
		case <-shown:
		case <-gap:
		case <-t.s.child.Exited():
			return
		case <-t.s.r.hard.Done():
			return
		}
	}
}

// screen is a driver that types into a terminal and reads what the terminal shows.
type screen interface {
	driver.Live
	// Sit gives the driver the arbiter of the terminal's input. It is called before
	// anything is typed.
	Sit(d *tty.Arbiter)
}

// newScreen chooses the driver for a terminal. A program of which nothing is known
// shows by its screen which driver it needs.
func newScreen(o Options, c *console.Console, hooked bool) screen {
	drawn := tui.New(tui.Options{
		Hooked: hooked, ReadyTimeout: o.ReadyTimeout, Quiet: o.Quiet, AskTimeout: o.AskTimeout, Headless: o.Headless,
		ToolPrompt: o.ToolPrompt, AllowAgentCommands: o.AllowAgentCommands,
	}, c)
	lines := line.Options{
		PromptPattern: o.PromptPattern, StartQuiet: o.StartQuiet, Quiet: o.Quiet,
		ToolPrompt: o.ToolPrompt, AllowAgentCommands: o.AllowAgentCommands,
	}
	switch {
	case c.Profile.TUI:
		return drawn
	case c.Profile.Name == profile.GenericName:
		return autodetect.New(c, drawn, lines)
	}
	return line.New(lines, c, drawn)
}

// newRecorder makes the file for a new session's recording. It returns nil if no
// recording is wanted. Every session has its own file: FILE, then FILE-2 and so on,
// with the number before the extension.
func (r *Runner) newRecorder() (*term.Recorder, error) {
	if r.o.Record == "" {
		return nil, nil
	}
	path := r.o.Record
	if n := r.recorded.Add(1); n > 1 {
		ext := filepath.Ext(path)
		path = strings.TrimSuffix(path, ext) + "-" + strconv.FormatInt(n, 10) + ext
	}
	rec, err := term.NewRecorder(path, term.RecorderOptions{
		Cols: int(r.o.Size.Cols), Rows: int(r.o.Size.Rows), Command: strings.Join(r.o.Command, " "), Now: r.o.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	return rec, nil
}
