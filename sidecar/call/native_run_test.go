package call_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// sh is a program that a shell runs.
func sh(source string) peer.Program { return peer.Program{Argv: []string{"sh", "-c", source}} }

func (b *bar) run(p peer.Program) peer.Terminal {
	b.t.Helper()
	run, err := b.judge.Run(b.t.Context(), p)
	if err != nil {
		b.t.Fatal(err)
	}
	return run
}

// ran returns what a program wrote and how it ended.
func (b *bar) ran(p peer.Program) (out string, cut bool, code int, signal string) {
	b.t.Helper()
	run := b.run(p)
	await.One(b.t, run.Exited(), "the program's end")
	out, cut = run.Output()
	code, signal = run.Exit()
	return out, cut, code, signal
}

func TestNativeRun(t *testing.T) {
	b := newBar(t, allowAll, withHost(t), deciding(policy.Allow), func(o *call.Options) {
		o.Env = append(os.Environ(), "SIDECAR_TOKEN=secret", "ACME=agent", "OTHER=agent")
	})
	if err := os.Mkdir(filepath.Join(b.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		p      peer.Program
		out    string
		cut    bool
		code   int
		signal string
	}{
		"its output":  {p: sh("echo out; exit 3"), out: "out\n", code: 3},
		"its errors":  {p: sh("echo err >&2"), out: "err\n"},
		"a signal":    {p: sh("kill -9 $$"), signal: "SIGKILL"},
		"no input":    {p: sh("cat; echo end"), out: "end\n"},
		"its place":   {p: peer.Program{Argv: []string{"pwd"}, Dir: "sub"}, out: b.dir + "/sub\n"},
		"the agent's": {p: peer.Program{Argv: []string{"pwd"}}, out: b.dir + "\n"},
		"variables":   {p: peer.Program{Argv: []string{"sh", "-c", "echo $ACME $OTHER $SIDECAR_TOKEN $SIDECAR_X"}, Env: []string{"ACME=mine", "SIDECAR_X=y"}}, out: "mine agent\n"},
		"the tail":    {p: peer.Program{Argv: []string{"sh", "-c", "printf 0123456789"}, MaxOutput: 4}, out: "6789", cut: true},
		"whole runes": {p: peer.Program{Argv: []string{"sh", "-c", "printf 'äöüäöü'"}, MaxOutput: 5}, out: "öü", cut: true},
		"no UTF-8":    {p: sh(`printf 'a\377b'`), out: "a\ufffdb"},
		"its group":   {p: sh("ps -o pgid= -p $$ | tr -d ' ' | grep -qx $$ && echo own"), out: "own\n"},
	} {
		t.Run(name, func(t *testing.T) {
			out, cut, code, signal := b.ran(tc.p)
			if out != tc.out || cut != tc.cut || code != tc.code || signal != tc.signal {
				t.Errorf("%q %v %d %s, want %q %v %d %s", out, cut, code, signal, tc.out, tc.cut, tc.code, tc.signal)
			}
		})
	}
}

// However much is asked for, there is a most; and less is kept of what nobody asks for.
func TestNativeRunKeepsTheTail(t *testing.T) {
	b := newBar(t, allowAll, withHost(t))
	const much = "head -c 12000000 /dev/zero | tr '\\0' x; printf ä"
	for most, want := range map[int]int{0: 1 << 20, 1 << 30: 8 << 20} {
		p := sh(much)
		p.MaxOutput = most
		out, cut, _, _ := b.ran(p)
		if len(out) != want || !cut || !strings.HasSuffix(out, "xä") || !utf8.ValidString(out) {
			t.Errorf("%d: %d bytes, cut %v", most, len(out), cut)
		}
	}
}

func TestNativeRunIsRefused(t *testing.T) {
	b := newBar(t, `{"permission":"shell.run","pattern":"rm:*","action":"deny","reason":"keep them"},{"permission":"shell.run","pattern":"true:*","action":"allow"}`, withHost(t), func(o *call.Options) { o.Headless = true })
	for want, p := range map[string]peer.Program{
		"keep them":                           sh("rm x"),
		"nobody can be asked":                 {Argv: []string{"ls"}},
		"no program is named":                 {},
		"NUL":                                 {Argv: []string{"true", "\x00"}},
		`variable "X" is not`:                 {Argv: []string{"true"}, Env: []string{"X"}},
		"needs an approval":                   {Argv: []string{"true"}, Env: []string{"LD_PRELOAD=/tmp/x.so"}}, // it may be another program then
		"outside of the directories":          {Argv: []string{"true"}, Dir: "/"},
		"directory cannot be used":            {Argv: []string{"true"}, Dir: "~"},
		`its directory "none": file does not`: {Argv: []string{"true"}, Dir: "none"},
	} {
		if run, err := b.judge.Run(t.Context(), p); err == nil || run != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", p.Argv, err, want)
		}
	}
	if _, err := newBar(t, allowAll, withHost(t)).judge.Run(t.Context(), peer.Program{Argv: []string{"/none/such"}}); err == nil || !strings.Contains(err.Error(), "/none/such does not exist") {
		t.Errorf("what is not there: %v", err)
	}
}

// What a Permit of the turn allowed is not asked for again: exactly this command, there.
func TestNativeRunAfterPermit(t *testing.T) {
	b := newBar(t, askAll, withHost(t))
	for _, a := range []peer.Action{
		{Kind: peer.Execute, Command: "echo one"}, {Kind: peer.Execute, Argv: []string{"echo", "a b"}}, {Kind: peer.Execute, Command: "echo 1 && echo 2"},
	} {
		out := b.permit(t.Context(), a)
		b.asks()
		b.answer("once")
		if got := <-out; !got.Allowed {
			t.Fatal(got)
		}
	}
	for _, p := range []peer.Program{
		{Argv: []string{"echo", "one"}}, {Argv: []string{"echo", "one"}, Env: []string{"NO_COLOR=1"}}, {Argv: []string{"echo", "a b"}}, sh("echo 1 && echo 2"), {Argv: []string{"/bin/sh", "-lc", "echo 1 && echo 2"}},
	} {
		if out, _, code, _ := b.ran(p); code != 0 || out == "" {
			t.Errorf("%q: %d %s", p.Argv, code, out)
		}
	}
	if err := os.Mkdir(filepath.Join(b.dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []peer.Program{
		{Argv: []string{"echo", "one", "two"}}, {Argv: []string{"echo", "one"}, Dir: "sub"}, {Argv: []string{"echo", "one"}, Env: []string{"A=b"}},
		sh("echo one; ls"), {Argv: []string{"./sh", "-c", "echo 1 && echo 2"}}, {Argv: []string{"echo", "a", "b"}},
	} {
		done := make(chan error, 1)
		go func() {
			_, err := b.judge.Run(t.Context(), p)
			done <- err
		}()
		b.asks()
		b.answer("reject")
		if err := <-done; err == nil {
			t.Errorf("%q ran", p.Argv)
		}
	}
}

// asks waits until the turn's task asks.
func (b *bar) asks() {
	b.t.Helper()
	if err := b.turn.Wait(await.Context(b.t), func(s a2a.TaskState) bool { return s == a2a.StateAuthRequired }); err != nil {
		b.t.Fatal(err)
	}
}

// Close ends what is left with all that it started, and waits; nothing is started after it.
func TestNativeCloseEndsPrograms(t *testing.T) {
	b := newBar(t, allowAll, withHost(t), deciding(policy.Allow))
	stubborn := b.run(sh("trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000"))
	gone := b.run(sh("sleep 1000 >/dev/null 2>&1 & echo $!"))
	await.One(t, gone.Exited(), "its end")
	var pids []int
	for _, run := range []peer.Terminal{stubborn, gone} {
		await.True(t, "its child", func() bool { out, _ := run.Output(); return strings.HasSuffix(out, "\n") })
		out, _ := run.Output()
		pid, err := strconv.Atoi(strings.TrimSpace(out))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); err != nil {
			t.Fatalf("%d: %v", pid, err)
		}
		pids = append(pids, pid)
	}
	b.judge.Close()
	select {
	case <-stubborn.Exited():
	default:
		t.Error("Close did not wait")
	}
	for _, pid := range pids {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d is alive", pid)
		}
	}
	if _, signal := stubborn.Exit(); signal != "SIGKILL" {
		t.Errorf("it ended by %q", signal)
	}
	if _, err := b.judge.Run(t.Context(), sh("true")); err == nil || !strings.Contains(err.Error(), "the turn is over") {
		t.Errorf("after Close: %v", err)
	}
	b.judge.Close()
}

// A turn has so many programs at once; those that were released do not count.
func TestNativeRunAtOnce(t *testing.T) {
	b := newBar(t, allowAll, withHost(t))
	var all []peer.Terminal
	for range 32 {
		all = append(all, b.run(peer.Program{Argv: []string{"true"}}))
	}
	if _, err := b.judge.Run(context.Background(), sh("true")); err == nil || !strings.Contains(err.Error(), "32 programs") {
		t.Errorf("one more: %v", err)
	}
	all[0].Release()
	all[0].Release()
	if out, cut := all[0].Output(); out != "" || cut {
		t.Error("what was released is still there")
	}
	b.run(sh("true")).Kill()
}

// The audit has how a program ended.
func TestNativeRunAudit(t *testing.T) {
	b := newBar(t, allowAll, withHost(t))
	b.ran(sh("exit 3"))
	b.run(sh("sleep 1000")).Kill()
	b.judge.Close()
	want := []string{"before agent.execute", "after agent.execute failed", "before agent.execute", "after agent.execute failed"}
	if got := b.audit.told(t, b); !slices.Equal(got, want) {
		t.Fatalf("the audit has %q", got)
	}
	if code := b.audit.all[1].ExitCode; code == nil || *code != 3 || b.audit.all[3].Signal == "" {
		t.Errorf("%v %q", code, b.audit.all[3].Signal)
	}
}
