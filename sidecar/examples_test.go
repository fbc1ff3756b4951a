package sidecar_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// asScript writes a program called sidecar, for agents that call it.
func asScript(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sidecar")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+asSidecar+"=1 exec "+self+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestShellAgent: status, two chunks of one artifact, a question, its answer,
// the end; in order, and as they happen.
func TestShellAgent(t *testing.T) {
	t.Parallel()
	r := runWith(t, []string{"SIDECAR=" + asScript(t)}, "--mode", "oneshot", "--", "../examples/shell-agent/agent.sh")
	var seen []string
	var id string
	for _, e := range r.stream(userMessage("cats")) {
		switch {
		case e.Task != nil:
			id = e.Task.ID
		case e.Artifact != nil:
			seen = append(seen, fmt.Sprintf("%s append=%v last=%v %q", e.Artifact.Artifact.ID, e.Artifact.Append, e.Artifact.LastChunk, e.Artifact.Artifact.Parts[0].Text))
		case e.Status != nil && e.Status.Status.Message != nil:
			seen = append(seen, fmt.Sprintf("%s %q", e.State(), e.Status.Status.Message.Parts[0].Text))
		}
	}
	want := []string{
		`TASK_STATE_WORKING "thinking about: cats"`,
		`draft append=false last=false "Title: cats\n"`,
		`draft append=true last=true "Body: three lines\n"`,
		`TASK_STATE_INPUT_REQUIRED "Publish the draft?"`,
	}
	if len(seen) != len(want) || strings.Join(seen[:3], "\n") != strings.Join(want[:3], "\n") || !strings.HasPrefix(seen[3], `TASK_STATE_INPUT_REQUIRED "Publish the draft?`) {
		t.Fatalf("saw\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	wrong := userMessage("perhaps")
	wrong.TaskID = id
	if _, err := r.client().Send(r.context(), &a2a.SendRequest{Message: wrong}); err == nil || !strings.Contains(err.Error(), "Publish") && !strings.Contains(err.Error(), "yes") {
		t.Errorf("an answer that is no option: %v", err)
	}
	answer := userMessage("no")
	answer.TaskID = id
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: answer})
	if err != nil {
		t.Fatal(err)
	}
	if task := result.Task; task.Status.State != a2a.StateCompleted || artifact(task, "draft") != "Title: cats\nBody: three lines\n" || !strings.Contains(says(task)+artifact(task, "response"), "answered: no") {
		t.Errorf("%s %q %q", task.Status.State, says(task), artifact(task, "response"))
	}
}

// TestAcmeTools is the worked example, with its programs where the checkout
// has them.
func TestAcmeTools(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../examples/acme-tools/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.Abs("../examples/acme-tools/bin")
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, "--manifest", writeManifest(t, strings.ReplaceAll(string(text), "/opt/acme/", bin+"/")), "--mode", "oneshot", "--", "cat")
	if rep := r.do(http.MethodPost, "/a2a/tools/acme.echo", "", `{"value":"hi"}`); !strings.Contains(rep.body, `"data":{"value":"hi"}`) {
		t.Errorf("acme.echo: %s", rep.body)
	}
	if rep := r.do(http.MethodPost, "/a2a/tools/acme.timestamp", "", ""); !regexp.MustCompile(`"data":\{"utc":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"\}`).MatchString(rep.body) {
		t.Errorf("acme.timestamp: %s", rep.body)
	}
}

// TestREPL: a real interactive program in a terminal.
func TestREPL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, first, want, second, wantSecond string }{
		{"python3 -q", "x = 6 * 7", "", "x", "42"},
		{"python3 -q", "def f(n):\n    return n + 1\n\n", "", "f(41)", "42"},
		{"sqlite3 :memory:", "create table t(n);", "", "insert into t values(42); select n from t;", "42"},
	} {
		t.Run(c.program, func(t *testing.T) {
			argv := strings.Fields(c.program)
			if _, err := exec.LookPath(argv[0]); err != nil {
				t.Skip(err)
			}
			r := run(t, append([]string{"--"}, argv...)...)
			for _, turn := range [][2]string{{c.first, c.want}, {c.second, c.wantSecond}} {
				task := r.send(turn[0])
				if got := strings.TrimSpace(artifact(task, "response")); task.Status.State != a2a.StateCompleted || got != turn[1] {
					t.Errorf("%q: %s %q, want %q", turn[0], task.Status.State, got, turn[1])
				}
			}
		})
	}
}
