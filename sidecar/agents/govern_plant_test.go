package agents_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// plantAll plants all that the agent would run, each with a mark of its own, which begins with mark. It returns the files' names by mark.
func (r *rig) plantAll(t *testing.T, a governedAgent, mark string) map[string]string {
	t.Helper()
	names := map[string]string{}
	all := a.planted(mark)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		own := mark + "-" + strconv.Itoa(i)
		names[own] = name
		plant(t, filepath.Join(filepath.Dir(r.work), name), strings.ReplaceAll(all[name], mark, own))
	}
	return names
}

// ranOf lists the planted files that have run.
func ranOf(names map[string]string) (ran []string) {
	for mark, name := range names {
		if _, err := os.Stat(mark); err == nil {
			ran = append(ran, strings.TrimPrefix(name, "work/"))
		}
	}
	slices.Sort(ran)
	return ran
}

// runsPlanted starts the agent without --govern where everything is planted: some of it has to run, or that nothing
// runs under --govern would say nothing. It returns what has run.
func runsPlanted(t *testing.T, a governedAgent) string {
	t.Helper()
	of := agentNamed(t, a.name)
	usual := of.env
	of.env = func(model string) []string { return append(usual(model), a.switches...) }
	r := awkward(t, of)
	mode := "oneshot"
	if len(a.refused) > 0 { // what is loaded late is not loaded by a process that has ended
		mode = "stream"
	} else {
		r.args = of.oneshot
	}
	r.flags = []string{"--mode", mode}
	names := r.plantAll(t, a, filepath.Join(filepath.Dir(r.work), "control-ran"))
	r.launch(t)
	t.Cleanup(func() { r.stop(t) })
	hook := strings.TrimPrefix(a.hook, "work/")
	u := r.begin(t, "", greetings)
	if mode == "stream" {
		await.True(t, hook+" runs without --govern", func() bool { return slices.Contains(ranOf(names), hook) })
	} else {
		u.wait(t)
	}
	r.leave(t, mode)
	ran := ranOf(names)
	if !slices.Contains(ran, hook) {
		t.Errorf("without --govern only %q of %q has run: the test shows nothing", ran, slices.Sorted(maps.Values(names)))
	}
	return strings.Join(ran, " ")
}

// runsNothing reports whether the agent runs nothing of what is planted when it starts again.
func (r *rig) runsNothing(t *testing.T, a governedAgent, mode string) bool {
	t.Helper()
	root, ok, command := filepath.Dir(r.work), true, r.cmd
	if mode != "oneshot" {
		r.leave(t, mode)
	}
	names := r.plantAll(t, a, filepath.Join(root, "planted-ran"))
	said := ""
	if len(a.refused) > 0 {
		said = r.refusal(t, mode, command)
	}
	for _, name := range a.refused {
		if !strings.Contains(said, name) {
			ok = false
			t.Errorf("the start where %s is says %q", name, said)
		}
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if mode != "oneshot" {
		r.launch(t)
	}
	if u := r.ask(t, "", "greetings again"); u.state != a2a.StateCompleted || !strings.Contains(u.text, "greetings again") {
		ok = false
		t.Errorf("the start among what is planted: %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	if ran := ranOf(names); len(ran) > 0 {
		ok = false
		t.Errorf("under --govern %q has run", ran)
	}
	return ok
}

// refusal is what is said of a start, by that command, that is refused.
func (r *rig) refusal(t *testing.T, mode string, command *exec.Cmd) string {
	t.Helper()
	if mode == "oneshot" {
		u := r.ask(t, "", greetings)
		if u.state == a2a.StateCompleted {
			t.Errorf("the agent has started: %q", u.text)
		}
		return u.says()
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, command.Path, command.Args[1:]...)
	cmd.Env, cmd.Dir, cmd.Cancel = command.Env, command.Dir, func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	said, err := cmd.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		t.Errorf("the start is not refused: %v", err)
	}
	return string(said)
}
