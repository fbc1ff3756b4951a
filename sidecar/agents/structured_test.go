package agents_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// structuredOnly says which agents and modes TestStructured drives: "claude/stream,gemini/acp", or all.
var structuredOnly = flag.String("structured", "claude/stream,gemini/acp", "agents and modes of TestStructured, or all")

// subject is an agent that is spoken to in messages, in one mode.
type subject struct {
	agent
	mode  string
	flags []string // of run, in addition to the mode
	args  []string // of the agent
	// commands is set if the agent takes a message that begins as one of its commands for that.
	commands bool
	// not are the rows that it cannot have.
	not map[string]limit
}

// limit is why an agent cannot have a row, and what holds it to that.
type limit struct {
	why   string
	holds func(t *testing.T, r *rig, s *subject)
}

func (s *subject) String() string { return s.name + "/" + s.mode }

// asks are the rows in which the agent has to ask before it acts.
func asks() []string { return []string{"allow", "reject", "rule", "cancel asked"} }

// subjects are all of them.
func subjects(t *testing.T) []*subject {
	claude, codex, gemini, opencode := agentNamed(t, "claude-2.1.328"), agentNamed(t, "codex"), agentNamed(t, "gemini"), agentNamed(t, "opencode")
	claude.name = "claude"
	never := map[string]limit{}
	for _, row := range asks() {
		never[row] = limit{"gemini in its one-shot mode never asks: a tool that needs an approval is not offered to the model", unasked}
	}
	afresh := map[string]limit{"resume": {"gemini says that it can load a session, and then cannot: the context goes on with a new one", forgets}}
	return []*subject{
		{agent: claude, mode: "stream"},
		{agent: codex, mode: "stream"},
		{agent: gemini, mode: "stream", not: never},
		{agent: opencode, mode: "stream"},
		{agent: opencode, mode: "acp", commands: true},
		{agent: gemini, mode: "acp", commands: true, not: afresh},
		{agent: claude.by("claude-agent-acp"), mode: "acp", commands: true},
		{agent: codex.by("codex-acp"), mode: "acp", flags: []string{"--agent-option", "mode=read-only"}},
	}
}

// by is the agent behind a program that speaks ACP for it.
func (a agent) by(adapter string) agent {
	a.name, a.binary = adapter, "acp/node_modules/.bin/"+adapter
	if adapter == "codex-acp" {
		env := a.env
		a.env = func(model string) []string { return append(env(model), "CODEX_API_KEY=sk-test") }
	}
	return a
}

// chosen reports whether a subject is one that the flag wants.
func (s *subject) chosen() bool {
	return *structuredOnly == "all" || slices.Contains(strings.Split(*structuredOnly, ","), s.String())
}

// rows are what each of them is driven through, in one session. One that fails is followed by a fresh one.
func rows() []structuredRow {
	return []structuredRow{
		{"prompt", promptRow}, {"stream", streamRow}, {"allow", allowRow}, {"reject", rejectRow}, {"rule", ruleRow}, {"cancel", cancelRow},
		{"cancel asked", cancelAskedRow}, {"contexts", contextsRow}, {"resume", resumeRow}, {"model error", modelErrorRow}, {"kill", killRow}, {"mixed", mixedRow},
	}
}

type structuredRow struct {
	name string
	run  func(t *testing.T, r *rig, s *subject)
}

// actionRules answer for two commands: one may run and one may not, and nobody is asked.
const actionRules = `{"rules":[
	{"permission":"shell.run","pattern":"touch ruled-yes.txt:*","action":"allow","reason":"the test wants it"},
	{"permission":"shell.run","pattern":"touch ruled-no.txt:*","action":"deny","reason":"the test does not want it"}]}`

// TestStructured drives the agents that are spoken to in messages. What one cannot do is a row, too, which says why,
// and is held to be so.
func TestStructured(t *testing.T) {
	var table []string
	head := fmt.Sprintf("%-24s", "agent/mode")
	for _, row := range rows() {
		head += fmt.Sprintf(" %-12s", row.name)
	}
	table = append(table, head)
	for _, s := range subjects(t) {
		if !s.chosen() {
			continue
		}
		t.Run(strings.ReplaceAll(s.String(), "/", "-"), func(t *testing.T) {
			results := make([]string, len(rows()))
			began := time.Now()
			t.Cleanup(func() {
				line := fmt.Sprintf("%-24s", s)
				for _, result := range results {
					line += fmt.Sprintf(" %-12s", result)
				}
				table = append(table, line+fmt.Sprintf(" %v", time.Since(began).Round(time.Second)))
			})
			r := startSubject(t, s, t.TempDir(), "--policy", toolFile(t, "policy.json", actionRules), "--restart", "on-failure")
			for i, row := range rows() {
				results[i] = "FAILED"
				ok := t.Run(row.name, func(t *testing.T) {
					if l, cannot := s.not[row.name]; cannot {
						t.Logf("n/a: %s", l.why)
						l.holds(t, r, s)
						return
					}
					row.run(t, r, s)
				})
				switch {
				case !ok:
					r.evidence(t)
					r.stop(t)
					r.launch(t)
				case s.not[row.name].why != "":
					results[i] = "n/a"
				default:
					results[i] = "ok"
				}
			}
		})
	}
	t.Logf("agents that are spoken to in messages:\n%s", strings.Join(table, "\n"))
}

// startSubject runs an agent in its mode, with a state directory.
func startSubject(t *testing.T, s *subject, state string, flags ...string) *rig {
	t.Helper()
	needAgents(t)
	if !s.installed() {
		t.Fatalf("%s is not installed: %s", s.name, s.command())
	}
	m := newModel(t)
	r := &rig{agent: s.agent, model: m, place: newPlace(t, s.agent, m.url), args: s.args}
	r.flags = slices.Concat([]string{"--mode", s.mode, "--state-dir", state}, s.flags, flags)
	r.launch(t)
	t.Cleanup(func() { r.stop(t) })
	return r
}

// said fails the test unless the turn is completed with that text.
func (s *subject) said(t *testing.T, u *turn, want string) {
	t.Helper()
	u.answered(t, want)
}

// unasked holds an agent that cannot ask to not doing what it would have to ask for.
func unasked(t *testing.T, r *rig, _ *subject) {
	t.Helper()
	u := r.ask(t, "", "TOOL:shell touch unasked.txt")
	if !strings.Contains(u.text, "NO SUCH TOOL") || r.exists("unasked.txt") {
		t.Errorf("the task is %s: %q, answer %q; the file is there: %v", u.state, u.says(), u.text, r.exists("unasked.txt"))
	}
}

// forgets holds an agent that cannot resume to saying so, and going on.
func forgets(t *testing.T, r *rig, s *subject) {
	t.Helper()
	s.said(t, r.ask(t, "context-kept", "the magic word is abracadabra"), "ECHO: the magic word is abracadabra")
	r.relaunch(t)
	u := r.ask(t, "context-kept", "what was the word?")
	s.said(t, u, "ECHO: what was the word?")
	if strings.Contains(r.model.request(t, "what was the word?").body, "abracadabra") {
		t.Error("the agent can resume after all")
	}
	if _, told := u.meta["newSession"]; !told {
		t.Errorf("the task does not say that it is a new conversation: %s", encode(u.meta))
	}
}

// killAgent ends processes of the agent at once: all that descend from the sidecar.
func (r *rig) killAgent(t *testing.T) {
	t.Helper()
	killed := 0
	for _, pid := range descendants(r.cmd.Process.Pid) {
		p, err := os.FindProcess(pid)
		if err == nil && p.Kill() == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Fatal("the agent has no process")
	}
}

// descendants are the processes below one.
func descendants(pid int) (all []int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		children, _ := os.ReadFile(file) // of a thread that has gone there are none
		for word := range strings.FieldsSeq(string(children)) {
			var child int
			if _, err := fmt.Sscan(word, &child); err == nil {
				all = append(append(all, child), descendants(child)...)
			}
		}
	}
	return all
}
