package agents_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// holdTime is how long a call waits for its approval, of make givetools: longer than a
// client of MCP waits that has heard nothing.
var holdTime = flag.Duration("hold", time.Second, "how long a call of a given tool waits for its approval")

// echoTool is a manifest of one tool.
const echoTool = `[{"name":"acme.echo","description":"Says a text again.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},
	"x-sidecar":{"surface":"always","bridge":{"exec":{"command":["/bin/echo","said again:","{text}"],"output":"text"}}}}]`

// askingRules is a policy that asks before each call of it.
const askingRules = `{"rules":[{"permission":"acme.echo","action":"ask","reason":"the test wants it"}]}`

// given is a row of the table that make givetools prints.
type given struct {
	agent, mode             string
	offered, called, seen   bool
	waited                  time.Duration
	unchanged, kept, secret bool
}

func (g *given) String() string {
	mark := func(ok bool) string {
		if ok {
			return "yes"
		}
		return "NO"
	}
	return fmt.Sprintf("%-15s %-8s %-8s %-7s %-7s %-12s %-16s %s", g.agent, g.mode, mark(g.offered), mark(g.called),
		g.waited.Round(time.Second), mark(g.seen), mark(g.unchanged && g.kept), mark(g.secret))
}

// TestGiveTools: every agent lists and calls a tool of ours, in a session and once per
// message, waits while the call is asked for, and shows its model the result. No file of
// the user's is changed, and nobody else can read the way to the channel.
func TestGiveTools(t *testing.T) {
	var rows []*given
	for _, a := range agents() {
		if a.name == "qwen" || *mixedAgent != "" && a.name != *mixedAgent {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			own := habits(t, a)
			modes := []string{"pty", "oneshot"}
			if a.name == "codex" || a.name == "opencode" { // codex would go on without a server of MCP that is slow to start
				modes = append(modes, "stream")
			}
			for _, mode := range modes {
				g := &given{agent: a.name, mode: mode}
				t.Run(mode, func(t *testing.T) {
					rows = append(rows, g)
					giveTools(t, a, g, own)
				})
			}
		})
	}
	table := []string{"agent           mode     offered  called  waited  answer seen  files unchanged  secret kept"}
	for _, g := range rows {
		table = append(table, g.String())
	}
	t.Logf("tools given to agents:\n%s", strings.Join(table, "\n"))
}

// habit is what an agent does without our tools, too: the files that it changes, and the
// directories in which it keeps its environment, which has the token.
type habit struct{ changes, leaks map[string]bool }

func habits(t *testing.T, a agent) habit {
	r := start(t, a)
	before := snapshot(t, r.home, r.work)
	r.ask(t, "", "good morning")
	leaks := r.leaks(t)
	r.stop(t)
	return habit{changed(before, snapshot(t, r.home, r.work)), leaks}
}

func giveTools(t *testing.T, a agent, g *given, own habit) {
	var args []string
	if g.mode == "oneshot" {
		args = a.oneshot
	}
	r := awkward(t, a)
	r.args = args
	r.flags = []string{"--mode", g.mode, "--give-tools", "--manifest", toolFile(t, "tools.json", echoTool), "--policy", toolFile(t, "policy.json", askingRules),
		"--ask-timeout", (*holdTime + deadline).String()}
	before := snapshot(t, r.home, r.work)
	r.launch(t)
	t.Cleanup(func() { r.stop(t) })
	if g.mode != "stream" { // what an agent changes when it starts is its own business, and its habits are not those of its stream
		before = snapshot(t, r.home, r.work)
	}
	const call = `CALL:acme_echo {"text":"good evening"}`
	r.untilOffered(t, g.mode)
	u := r.ask(t, "", call)
	g.offered = slices.ContainsFunc(r.model.request(t, call).tools, func(o tool) bool { return o.is("acme_echo") })
	if g.called = u.state == a2a.StateAuthRequired; !g.called {
		t.Fatalf("the task is %s: %q; the answer is %q; the model was offered %v", u.state, u.says(), u.text, r.model.request(t, call).tools)
	}
	g.secret = r.secretKept(t, own)
	g.waited = r.hold(t, u.task)
	u.deliver(t, "once")
	u.wait(t)
	if g.seen = u.state == a2a.StateCompleted && strings.Contains(u.text, "TOOLRESULT: ") && strings.Contains(u.text, "said again: good evening"); !g.seen {
		t.Errorf("the task is %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	r.leave(t, g.mode)
	after := snapshot(t, r.home, r.work)
	g.unchanged, g.kept = true, true
	for name := range changed(before, after) {
		if _, existed := before[name]; existed && !own.changes[name] {
			g.unchanged = false
			t.Errorf("%s was changed", name)
		}
	}
	for name := range before {
		if strings.Contains(after[name].text, "--channel") {
			g.kept = false
			t.Errorf("%s names our server now:\n%.2000s", name, after[name].text)
		}
	}
	if !g.offered {
		t.Error("the model was not offered the tool at once")
	}
}

// untilOffered waits until the agent of a session offers its model the tool: on a busy machine
// the first messages can come before it has spoken to its MCP servers.
func (r *rig) untilOffered(t *testing.T, mode string) {
	t.Helper()
	for i := range 10 {
		if mode != "pty" {
			return // the first message is to have it
		}
		text := fmt.Sprintf("greeting %d", i)
		r.ask(t, "", text)
		if slices.ContainsFunc(r.model.request(t, text).tools, func(o tool) bool { return o.is("acme_echo") }) {
			return
		}
		t.Log("the tool is not offered yet")
	}
}

// awkward is a rig whose sidecar and runtime directory have blanks and quotes in their paths.
func awkward(t *testing.T, a agent) *rig {
	t.Helper()
	needAgents(t)
	m := newModel(t)
	r := &rig{agent: a, model: m, place: newPlace(t, a, m.url)}
	r.run = filepath.Join(filepath.Dir(r.run), `r' "`)
	r.self = filepath.Join(r.work, "..", "side car")
	if err := errors.Join(os.Mkdir(r.run, 0o700), os.Link(os.Getenv("SIDECAR_BIN"), r.self)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(r.self) })
	return r
}

// is reports whether a tool that an agent offers its model is ours of that name.
func (o tool) is(name string) bool {
	return strings.HasSuffix(strings.ReplaceAll(o.name, ".", "_"), name) && strings.Contains(o.namespace+o.name, "sidecar")
}

// leave ends the sidecar. What a process that is the operator's own choice leaves in TMPDIR
// is the operator's.
func (r *rig) leave(t *testing.T, mode string) {
	t.Helper()
	if mode == "oneshot" {
		r.tmp = ""
	}
	r.stop(t)
}

// hold waits while a task asks, and returns for how long.
func (r *rig) hold(t *testing.T, task string) time.Duration {
	t.Helper()
	began := time.Now()
	select {
	case <-time.After(*holdTime): // the agent is to wait for so long
	case <-r.done:
		t.Fatal("the sidecar has ended")
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	now, err := r.client.Get(ctx, &a2a.GetRequest{ID: task})
	if err != nil || now.Status.State != a2a.StateAuthRequired {
		t.Errorf("the agent has not waited: %+v, %v", now, err)
	}
	return time.Since(began)
}

// toolFile writes a file that is no agent's.
func toolFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// secretKept reports whether the tokens of the channel are in no process's arguments, and only
// in files that nobody else can read, but for those that the agent makes of its environment by
// itself.
func (r *rig) secretKept(t *testing.T, own habit) bool {
	t.Helper()
	kept := true
	for pid, line := range processes() {
		for _, token := range tokens() {
			if strings.Contains(line, token) {
				kept = false
				t.Errorf("process %s has the token among its arguments: %s", pid, line)
			}
		}
	}
	for dir := range r.leaks(t) {
		if own.leaks[dir] {
			t.Logf("with and without our tools it keeps the token in %s", dir)
			continue
		}
		kept = false
		t.Errorf("the token can be read in %s", dir)
	}
	return kept
}

// leaks are the directories of files that hold a token of the channel, but for the private ones
// by which it is found.
func (r *rig) leaks(t *testing.T) map[string]bool {
	t.Helper()
	all := tokens()
	if len(all) == 0 {
		t.Fatal("no process has a token")
	}
	found := map[string]bool{}
	for name, file := range snapshot(t, r.home, r.work, r.run, r.tmp) {
		private := filepath.Base(name) == "channel.json" && file.mode.Perm() == 0o600
		if !private && slices.ContainsFunc(all, func(token string) bool { return strings.Contains(file.text, token) }) {
			found[filepath.Dir(name)] = true
		}
	}
	return found
}

// tokens are those of the channel that processes have.
func tokens() (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range files {
		environ, _ := os.ReadFile(path) // of a process that has gone there is none
		for v := range strings.SplitSeq(string(environ), "\x00") {
			if token, ok := strings.CutPrefix(v, "SIDECAR_CHANNEL_TOKEN="); ok && !slices.Contains(all, token) {
				all = append(all, token)
			}
		}
	}
	return all
}

// TestAToolOfOursIsAskedForOnce: an agent that asks its client before it calls a tool of ours is not what asks the
// person. The call is.
func TestAToolOfOursIsAskedForOnce(t *testing.T) {
	for _, s := range subjects(t) {
		if s.mode != "acp" || !s.chosen() {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			r := startSubject(t, s, t.TempDir(), "--give-tools", "--manifest", toolFile(t, "tools.json", echoTool),
				"--policy", toolFile(t, "policy.json", askingRules), "--ask-timeout", deadline.String())
			u := r.ask(t, "", `CALL:acme_echo {"text":"good evening"}`)
			if u.state != a2a.StateAuthRequired || !strings.Contains(u.says(), "acme.echo") || strings.Contains(u.says(), "agent.") {
				t.Fatalf("the task is %s: %q; the answer is %q", u.state, u.says(), u.text)
			}
			u.deliver(t, "once")
			u.wait(t)
			if u.state != a2a.StateCompleted || !strings.Contains(u.text, "said again: good evening") {
				t.Errorf("the task is %s: %q; the answer is %q", u.state, u.says(), u.text)
			}
		})
	}
}
