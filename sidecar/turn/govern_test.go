package turn_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// playGoverned is an agent that says its arguments and each message, and uses the tool that a message names.
func playGoverned(args []string) int {
	c := dial(channel.Capabilities{})
	defer c.Close()
	answer := func(text string) {
		if tool, uses := strings.CutPrefix(text, "use "); uses {
			check(c.Report(context.Background(), channel.Report{State: channel.ReportWorking, Tool: tool}))
			if tool == "Stays" { // it has to be ended
				select {}
			}
		}
		said := strings.Join(args, " ") + ": " + text
		fmt.Println(said)
		if slices.Contains(args, "session") {
			check(c.Report(context.Background(), channel.Report{State: channel.ReportReady, Text: said, Final: true}))
		}
	}
	if !slices.Contains(args, "session") {
		text, _ := io.ReadAll(os.Stdin)
		answer(string(text))
		return 0
	}
	var listed atomic.Bool
	gate := os.Getenv("GOVERNED_LISTS_AFTER")
	if gate != "" {
		go func() {
			_, err := os.ReadFile(gate) // a FIFO
			check(err)
			listed.Store(true)
			check(c.Listed())
		}()
	}
	in := bufio.NewScanner(os.Stdin)
	for fmt.Print("> "); in.Scan(); fmt.Print("> ") {
		if gate != "" {
			answer(fmt.Sprintf("%s (listed %v)", in.Text(), listed.Load()))
		} else {
			answer(in.Text())
		}
	}
	return 0
}

// recipe is what is known of that agent.
func recipe() *spec.Agent {
	return &spec.Agent{
		Name:  "governed",
		Tools: func(l *spec.Launch) (spec.Plan, error) { return spec.Plan{Argv: l.With("given")}, nil },
		Govern: &spec.Governing{
			Recipe: "2000-01", Versions: []string{"1.2.3"}, Version: []string{}, Modes: []string{turn.ModeOneshot, turn.ModePTY},
			Plan:      func(l *spec.Launch) (spec.Plan, error) { return spec.Plan{Argv: l.With("governed")}, nil },
			Conflicts: []spec.Conflict{{Flags: []string{"--loose"}, Why: "it brings tools back"}},
			Left:      []string{"Idle"}, Holes: []spec.Hole{{Text: "a hole"}, {Text: "a person's", Person: true}},
			Native:  func(tool string) bool { return !strings.HasPrefix(tool, "ours") },
			Watched: map[string]string{turn.ModeOneshot: "its hook", turn.ModePTY: "its hook"},
			Escape:  func(mode, text string) string { return strings.ReplaceAll(text, "@", mode+"@") },
		},
	}
}

// governed is the options of a runner of that agent, of a version.
func governed(t *testing.T, how, mode, version string, args ...string) func(o *turn.Options) {
	return func(o *turn.Options) {
		withChannel(t, o)
		if mode == turn.ModePTY {
			args = append(args, "session")
		}
		plays(o, "governed", args...)
		o.Env = append(o.Env, "GOVERNED_VERSION="+version)
		a := recipe()
		a.Govern.Version = []string{"--version"}
		o.Agent, o.Govern, o.Mode, o.GiveTools, o.Self, o.Profile = a, how, mode, turn.GiveOn, "/opt/sidecar", ""
		if how == turn.GovernStrict {
			cage(t, o, spec.Confinement{})
		}
	}
}

// TestAGovernedAgentIsStartedByItsRecipe: after it was given our tools.
func TestAGovernedAgentIsStartedByItsRecipe(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{turn.ModeOneshot, turn.ModePTY} {
		for _, how := range []string{turn.GovernOn, turn.GovernStrict} {
			r := newRig(t, governed(t, how, mode, "1.2.3"))
			if said := answer(r.ask("to @file")); !strings.Contains(said, "given governed: to "+mode+"@file") {
				t.Errorf("%s %s: it says %q", mode, how, said)
			}
			g := r.Governed()
			if g == nil || g.Version != "1.2.3" || !g.Known || g.Recipe != "2000-01" || g.Strict != (how == turn.GovernStrict) || g.Native != 0 || g.Watched != "its hook" {
				t.Errorf("%s %s: the status is %+v", mode, how, g)
			}
			if person := slices.Contains(g.Holes, "a person's"); !slices.Contains(g.Holes, "a hole") || person != (how == turn.GovernOn) {
				t.Errorf("%s %s: the holes are %q", mode, how, g.Holes)
			}
		}
	}
	r := newRig(t, func(o *turn.Options) {
		governed(t, turn.GovernOff, turn.ModeOneshot, "1.2.3")(o)
		o.GiveTools = turn.GiveOff
	})
	if said := answer(r.ask("@")); strings.Contains(said, "governed") || r.Governed() != nil {
		t.Errorf("nobody asked for it, and it says %q", said)
	}
}

// TestTheFirstMessageWaitsForTheTools: of an agent that asks for them at its start. One that does not ask gets it in the end,
// and the log tells.
func TestTheFirstMessageWaitsForTheTools(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	lists := func(o *turn.Options) {
		governed(t, turn.GovernOn, turn.ModePTY, "1.2.3")(o)
		o.Agent.Govern.ListsFirst = []string{turn.ModePTY}
		o.Env = append(o.Env, "GOVERNED_LISTS_AFTER="+gate)
	}
	r := newRig(t, lists)
	first := r.send("one")
	r.log.Says(t, "state=ready")
	go func() { _ = os.WriteFile(gate, nil, 0o600) }() // ends when the agent has opened it
	if said := answer(r.end(first)); !strings.Contains(said, "one (listed true)") {
		t.Errorf("it says %q", said)
	}
	late := newRig(t, func(o *turn.Options) {
		lists(o)
		o.ReadyTimeout = time.Second
	})
	if said := answer(late.ask("two")); !strings.Contains(said, "two (listed false)") {
		t.Errorf("it says %q", said)
	}
	if n := strings.Count(late.log.String(), "has not asked for its tools"); n != 1 {
		t.Errorf("it is told %d times", n)
	}
	late.ask("three")
	if n := strings.Count(late.log.String(), "has not asked for its tools"); n != 1 {
		t.Errorf("after another message it is told %d times", n)
	}
}

// TestAVersionThatWasNotMeasured: is told, and refused under strict. So is one that is not told.
func TestAVersionThatWasNotMeasured(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.2.4", "", "1.2.3-beta"} {
		for _, mode := range []string{turn.ModeOneshot, turn.ModePTY} {
			r := newRig(t, governed(t, turn.GovernOn, mode, version))
			if g := r.Governed(); g.Known || g.Version != version {
				t.Errorf("%q: the status is %+v", version, g)
			}
			if !strings.Contains(r.log.String(), "not measured for this version") {
				t.Errorf("%q: nobody is told", version)
			}
			strict := prepareRig(t, governed(t, turn.GovernStrict, mode, version))
			if err := strict.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "measured for governed 1.2.3") {
				t.Errorf("%q: strict says %v", version, err)
			}
		}
	}
}

// TestAnAgentThatCannotBeGoverned: the start says why.
func TestAnAgentThatCannotBeGoverned(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(o *turn.Options)
		want string
	}{
		"nobody knows how":         {func(o *turn.Options) { o.Agent, o.Command = nil, []string{"cat"} }, "it is not known how cat is governed; it is known of claude"},
		"another mode":             {func(o *turn.Options) { o.Agent.Govern.Modes = []string{turn.ModePTY} }, "not measured in --mode oneshot; use --mode pty"},
		"an argument against it":   {func(o *turn.Options) { o.Command = append(o.Command, "--loose=x") }, "--loose: it brings tools back; leave it out"},
		"a variable against it":    {func(o *turn.Options) { o.Agent.Govern.Conflicts[0].Env = []string{"GOVERNED_VERSION"} }, "GOVERNED_VERSION is set: it brings tools back; unset it"},
		"nothing shows its tools":  {func(o *turn.Options) { o.Govern, o.Agent.Govern.Watched = turn.GovernStrict, nil }, "nothing shows in --mode oneshot"},
		"a command of its own":     {func(o *turn.Options) { o.Agent.Govern.Commands = []string{"governed"} }, "no session that can be governed"},
		"no channel":               {func(o *turn.Options) { o.Channel = nil }, "there is no channel"},
		"nothing would be its own": {func(o *turn.Options) { o.GiveTools = turn.GiveAuto }, "has to be given tools"},
	} {
		t.Run(name, func(t *testing.T) {
			host := proc.NewHost(proc.HostOptions{})
			defer host.Close()
			o := defaults()
			o.Host = host
			governed(t, turn.GovernOn, turn.ModeOneshot, "1.2.3")(&o)
			c.set(&o)
			_, said := turn.New(o)
			if said == nil || !strings.Contains(said.Error(), c.want) {
				t.Errorf("it says %v, want %q", said, c.want)
			}
		})
	}
}

// TestANativeToolIsSeen: it is told and counted.
func TestANativeToolIsSeen(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{turn.ModeOneshot, turn.ModePTY} {
		r := newRig(t, governed(t, turn.GovernOn, mode, "1.2.3"))
		for _, tool := range []string{"ours__read", "Bash", "Write\x1b]0;x\a"} {
			if k := r.ask("use " + tool); k.Status.State != a2a.StateCompleted {
				t.Errorf("%s: the task is %s: %q", mode, k.Status.State, status(k))
			}
		}
		if g := r.Governed(); g.Native != 2 || !strings.HasPrefix(g.Last, "Write") || strings.Contains(g.Last, "\x1b") {
			t.Errorf("%s: the status is %+v", mode, g)
		}
		if n := strings.Count(r.log.String(), "which no rule has judged"); n != 2 {
			t.Errorf("%s: it was told %d times", mode, n)
		}
	}
}

// TestANativeToolEndsAStrictRun: the process is ended, its turn says why, and nothing is started again.
func TestANativeToolEndsAStrictRun(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{turn.ModeOneshot, turn.ModePTY} {
		r := newRig(t, func(o *turn.Options) {
			governed(t, turn.GovernStrict, mode, "1.2.3")(o)
			o.Restart = turn.RestartAlways
		})
		want(t, r.ask("use ours__read"), a2a.StateCompleted, answerOf(mode))
		k := r.ask("use Stays")
		if k.Status.State != a2a.StateFailed || !strings.Contains(status(k), "--govern=strict: the agent used a tool of its own (Stays)") {
			t.Errorf("%s: the task is %s: %q", mode, k.Status.State, status(k))
		}
		<-r.Broken()
		if !errors.Is(r.BrokenBy(), turn.ErrNative) {
			t.Errorf("%s: broken by %v", mode, r.BrokenBy())
		}
		if mode == turn.ModePTY {
			<-r.Exited() // for good
		}
	}
}

func answerOf(mode string) string {
	if mode == turn.ModePTY {
		return "session given governed: use ours__read"
	}
	return "given governed: use ours__read\n"
}
