package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// script writes an agent: a shell script of that name, by which it is known.
func script(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// giving is the options of a runner that gives an agent tools.
func giving(t *testing.T, how, mode string, command ...string) func(o *turn.Options) {
	return func(o *turn.Options) {
		withChannel(t, o)
		o.GiveTools, o.Mode, o.Command, o.Self = how, mode, command, "/opt/our tools/sidecar"
		o.Env = append(o.Env, "HOME="+t.TempDir())
	}
}

// TestAnAgentIsGivenTools: each process has its own way to the channel, which is there as
// long as the process.
func TestAnAgentIsGivenTools(t *testing.T) {
	t.Parallel()
	const shows = `for a in "$@"; do case $a in --mcp-config=*) file=${a#*=};; esac; done; cat "$file"; echo " $*"; cat "$(dirname "$file")/channel.json"; echo " $SIDECAR_CHANNEL_TOKEN"`
	for mode, text := range map[string]string{
		turn.ModeOneshot: "cat >/dev/null; " + shows,
		turn.ModePTY:     "printf '> '; while read -r line; do " + shows + "; printf '> '; done",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(o *turn.Options) {
				giving(t, turn.GiveOn, mode, script(t, "claude", text), "-p")(o)
				o.Profile, o.Size.Cols = "generic", 1000 // nothing is cut into rows
			})
			said := answer(r.ask("go"))
			for _, part := range []string{`"command":"/opt/our tools/sidecar","args":["mcp","--channel","`, "-p --mcp-config=", "/claude-mcp.json --allowedTools=mcp__sidecar__*"} {
				if !strings.Contains(said, part) {
					t.Errorf("%q is not in %q", part, said)
				}
			}
			_, door, _ := strings.Cut(said, `"token":"`)
			if token, rest, _ := strings.Cut(door, `"`); token == "" || !strings.Contains(rest, token) {
				t.Errorf("the door is not that of the process: %q", said)
			}
			if given := r.Tools(); given == nil || !given.Given {
				t.Errorf("the status is %+v", given)
			}
		})
	}
}

// TestEachSessionHasItsOwnWay: sessions at the same time, and one that was started again, find
// the channel by their own token.
func TestEachSessionHasItsOwnWay(t *testing.T) {
	t.Parallel()
	const says = `printf '> '; while read -r line; do
		for a in "$@"; do case $a in --mcp-config=*) file=${a#*=};; esac; done
		grep -q "$SIDECAR_CHANNEL_TOKEN" "$(dirname "$file")/channel.json" && grep -q "$(dirname "$file")" "$file" && echo "own $SIDECAR_CHANNEL_TOKEN"
		case $line in end*) exit 0;; esac; printf '> '; done`
	begin := func(sessions int) *rig {
		return newRig(t, func(o *turn.Options) {
			giving(t, turn.GiveOn, turn.ModePTY, script(t, "claude", says))(o)
			o.Profile, o.Size.Cols, o.Sessions, o.Restart = "generic", 1000, sessions, turn.RestartAlways
		})
	}
	two := begin(2)
	first, second := answer(two.end(two.sendTo("one", "go"))), answer(two.end(two.sendTo("two", "go")))
	if !strings.HasPrefix(first, "own ") || !strings.HasPrefix(second, "own ") || first == second {
		t.Errorf("the sessions say %q and %q", first, second)
	}
	again := begin(1)
	before := answer(again.ask("go"))
	again.end(again.send("end"))
	if after := answer(again.ask("go")); !strings.HasPrefix(after, "own ") || after == before {
		t.Errorf("before the restart %q, after it %q", before, after)
	}
}

// TestAnAgentThatCannotBeGivenTools: whoever asked for tools is told at the start; whoever
// asked for them where possible has the agent without.
func TestAnAgentThatCannotBeGivenTools(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{turn.ModeOneshot, turn.ModeLines, turn.ModePTY} {
		r := prepareRig(t, giving(t, turn.GiveOn, mode, "cat"))
		if err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "--give-tools") {
			t.Errorf("%s: it was started: %v", mode, err)
		}
	}
	for mode, command := range map[string][]string{turn.ModeOneshot: {"cat"}, turn.ModePTY: sh("printf '> '; while read -r line; do echo $line; printf '> '; done")} {
		r := newRig(t, giving(t, turn.GiveAuto, mode, command...))
		if n := strings.Count(r.log.String(), "level=WARN"); n != 1 {
			t.Errorf("%s: %d warnings at the start", mode, n)
		}
		want(t, r.ask("hello"), a2a.StateCompleted, "hello")
		if given := r.Tools(); given == nil || given.Given || given.Why == "" || strings.Count(r.log.String(), "level=WARN") != 1 {
			t.Errorf("%s: the status is %+v", mode, given)
		}
	}
	r := newRig(t, giving(t, turn.GiveOff, turn.ModeOneshot, script(t, "claude", `cat; echo "$#"`)))
	want(t, r.ask("x"), a2a.StateCompleted, "x0\n")
	if r.Tools() != nil {
		t.Error("nobody asked for tools")
	}
}

// TestToolsNeedAChannel: without one the agent is started as it is.
func TestToolsNeedAChannel(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		giving(t, turn.GiveAuto, turn.ModeOneshot, script(t, "claude", `cat; echo "$#"`))(o)
		o.Channel = nil
	})
	want(t, r.ask("x"), a2a.StateCompleted, "x0\n")
	if given := r.Tools(); given == nil || !strings.Contains(given.Why, spec.ErrNoChannel.Error()) {
		t.Errorf("the status is %+v", given)
	}
}
