package agents_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// parityOnly says which agents TestParity drives: "claude,codex", or all.
var parityOnly = flag.String("parity", "claude", "agents of TestParity, or all")

// episode is one part of the script, as its client saw it.
type episode struct {
	states    []a2a.TaskState
	text      string
	approvals []string // what each was about: the kinds of its options that a client can rely on
}

func (e *episode) String() string {
	return fmt.Sprintf("%v | %q | %q", e.states, e.text, e.approvals)
}

// paritySubjects are the modes of each agent; the first is that with which the others are compared.
func paritySubjects(t *testing.T) map[string][]*subject {
	all := map[string][]*subject{}
	for _, s := range subjects(t) {
		name := s.name
		switch name {
		case "claude-agent-acp":
			name = "claude"
		case "codex-acp":
			name = "codex"
		}
		if all[name] == nil {
			a := s.agent
			all[name] = []*subject{{agent: a, mode: "pty"}}
		}
		all[name] = append(all[name], s)
	}
	return all
}

// difference is one between a mode and pty, and the words of `sidecar help drivers` that tell of it.
type difference struct{ what, help string }

// differences are those that are known, by agent, mode and episode. A known one that is not seen fails the test, too.
func differences() map[string]difference {
	const (
		told  = "goes on: the model is told" // in pty the turn ends without a word
		codex = "goes on in `stream`; in `acp` the turn ends without a word"
		never = "in `stream` never: a tool that needs an approval is not offered to the model"
	)
	return map[string]difference{
		"claude/stream/reject":   {"text", told},
		"claude/acp/reject":      {"text", told},
		"codex/stream/reject":    {"text", codex},
		"gemini/stream/allow":    {"states+text+approvals", never},
		"gemini/stream/reject":   {"states+text+approvals", never},
		"gemini/acp/reject":      {"text", "goes on in `acp`"},
		"opencode/stream/reject": {"text", "goes on in `stream`: the model is told why; in `acp` the turn ends without a word"},
	}
}

// script are the episodes, in their order.
func script() []string { return []string{"message", "stream", "allow", "reject", "cancel"} }

// TestParity takes one client's script through every mode of an agent: the same states, the same text, the same
// approvals. What differs is known, and told in `sidecar help drivers`.
func TestParity(t *testing.T) {
	help, err := os.ReadFile("../cli/help/drivers.md")
	if err != nil {
		t.Fatal(err)
	}
	known := differences()
	for where, d := range known {
		if !strings.Contains(string(help), d.help) {
			t.Errorf("%s: help drivers does not tell of it: %q", where, d.help)
		}
	}
	table := []string{fmt.Sprintf("%-20s %-9s %-9s %-9s %-9s %-9s", "agent/mode", "message", "stream", "allow", "reject", "cancel")}
	for name, modes := range paritySubjects(t) {
		if *parityOnly != "all" && !slices.Contains(strings.Split(*parityOnly, ","), name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var first map[string]*episode
			for _, s := range modes {
				t.Run(s.mode, func(t *testing.T) {
					seen := play(t, s)
					line := fmt.Sprintf("%-20s", s.name+"/"+s.mode)
					for _, part := range script() {
						t.Logf("%s: %s", part, seen[part])
						line += " " + fmt.Sprintf("%-9s", compare(t, first[part], seen[part], known, name+"/"+s.mode+"/"+part))
					}
					table = append(table, line)
					if first == nil {
						first = seen
					}
				})
			}
		})
	}
	t.Logf("one script through every mode:\n%s", strings.Join(table, "\n"))
}

// compare says how an episode compares with that of the first mode: same, or what differs.
func compare(t *testing.T, first, seen *episode, known map[string]difference, where string) string {
	t.Helper()
	var differs []string
	if first != nil {
		if !slices.Equal(first.states, seen.states) {
			differs = append(differs, "states")
		}
		if first.text != seen.text {
			differs = append(differs, "text")
		}
		if !slices.Equal(first.approvals, seen.approvals) {
			differs = append(differs, "approvals")
		}
	}
	what, want := strings.Join(differs, "+"), known[where].what
	if what != want {
		t.Errorf("%s: %q differs, and known is %q:\n%s\n%s", where, what, want, first, seen)
	}
	if what == "" {
		return "same"
	}
	return what
}

// play takes one agent in one mode through the script.
func play(t *testing.T, s *subject) map[string]*episode {
	seen := map[string]*episode{}
	r := startSubject(t, s, t.TempDir())
	r.model.teach("speech", spread(1500*time.Millisecond, lines(6, "a speech")...))
	r.model.teach("long", spread(time.Minute, lines(60, "a long answer")...))
	seen["message"] = s.seen(r.ask(t, "", "hello parity"))
	seen["stream"] = s.seen(r.ask(t, "", "SAY:speech please"))
	for _, part := range []string{"allow", "reject"} {
		u := r.ask(t, "", "TOOL:shell touch "+part+".txt"+r.asks)
		e := &episode{}
		if u.state == a2a.StateAuthRequired {
			q := u.question(t)
			e.approvals = append(e.approvals, fmt.Sprintf("about the command: %v, allow_once: %v, reject_once: %v",
				strings.Contains(encode(u.said.Parts)+u.says(), "touch "+part+".txt"), q.option("allow_once") != "", q.option("reject_once") != ""))
			u.deliver(t, q.option(part+"_once"))
			u.wait(t)
		}
		told := s.seen(u)
		e.states, e.text = told.states, told.text
		seen[part] = e
		if ran := r.exists(part + ".txt"); ran != (part == "allow" && len(e.approvals) > 0) {
			t.Errorf("%s: the command ran: %v", part, ran)
		}
	}
	u := r.begin(t, "", "SAY:long please")
	u.until(t, func() bool { return strings.Contains(u.text, "Line 2 ") })
	u.canceled(t)
	u.status(a2a.Status{State: a2a.StateCanceled}, nil)
	u.text = "" // how much had come
	seen["cancel"] = s.seen(u)
	return seen
}

// variable is what differs from run to run in what an agent tells its model of a command.
func variable() *regexp.Regexp {
	return regexp.MustCompile(`Chunk ID: \w+|Wall time: [\d.]+ seconds|Process Group PGID: \d+|"?pid"?: ?\d+`)
}

// seen is what a client has seen of a turn.
func (s *subject) seen(u *turn) *episode {
	return &episode{states: u.states, text: variable().ReplaceAllString(strings.TrimSpace(u.text), "…")}
}
