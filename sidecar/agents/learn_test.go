package agents_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// learnt are how many messages a profile gets that was learnt.
const learnt = 20

// TestLearn: profile learn writes a profile of an agent, with which that agent then
// answers 20 messages of different kinds.
func TestLearn(t *testing.T) {
	if !*strangers {
		t.Skip("make learn prints the table")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| agent | learnt in | unsure | exact | median seconds |\n|---|---|---|---|---|\n")
	for _, a := range agents() {
		switch {
		case *mixedAgent != "" && a.name != *mixedAgent:
			continue
		case *mixedAgent == "" && (a.name == "claude-2.1.197" || a.name == "opencode" || a.name == "qwen"):
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "learnt.json")
			took, unsure := learnProfile(t, a, file)
			r := start(t, a, "--no-hooks", "--profile", file)
			r.drawn()
			m, exact := meeting{}, 0
			for i := range learnt {
				u, ok := m.echo(t, r, learntText(i))
				if m.took = append(m.took, u.ended.Sub(u.sent)); ok {
					exact++
				}
			}
			fmt.Fprintf(&b, "| %s | %.0f s | %d | %d of %d | %s |\n", a.name, took.Seconds(), unsure, exact, learnt, seconds(m.took[learnt/2:learnt/2+1]))
		})
	}
	t.Log(b.String())
}

// learnProfile runs profile learn. It returns how long that took and of how much it is unsure.
func learnProfile(t *testing.T, a agent, file string) (time.Duration, int) {
	t.Helper()
	needAgents(t)
	m := newModel(t)
	p := newPlace(t, a, m.url)
	cmd := exec.Command(os.Getenv("SIDECAR_BIN"), "profile", "learn", "--out", file, "--", a.command())
	cmd.Env, cmd.Dir = p.environ(a, m.url), p.work
	var says bytes.Buffer
	cmd.Stderr = &says
	began := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, says.String())
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("it says:\n%sand writes:\n%s", says.String(), written)
	return time.Since(began), strings.Count(says.String(), "unsure: ")
}

const longLine = "a line that is longer than any row of the terminal, so that whoever draws it has to break it somewhere, " +
	"which is then seen by whoever reads the screen; it does not say the same thing twice, because one of the agents takes that for a loop of its model, " +
	"and it ends with a word that nothing else ends with: lighthouse"

// learntText is one of the messages: a line, several, a list, a long line, other letters.
func learntText(i int) string {
	switch i % 5 {
	case 1:
		return fmt.Sprintf("first line of %d\nsecond line\n\nfourth line", i)
	case 2:
		return fmt.Sprintf("a list of %d: one, two, three; (four) [five] {six}", i)
	case 3:
		return fmt.Sprintf("number %d: ", i) + longLine
	case 4:
		return fmt.Sprintf("wörld %d 日本語", i)
	}
	return fmt.Sprintf("message %d", i)
}
