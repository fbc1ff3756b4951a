package sidecar_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

const greetTool = `[{"name":"test.greet","description":"Greets.","inputSchema":{"type":"object"},
	"x-sidecar":{"bridge":{"exec":{"command":["printf","hello %s","$TEST_GREETING"],"env":["TEST_GREETING"]}},"requires":{}}}]`

// callGreet calls the tool and returns the status of the answer.
func (r *running) callGreet() reply { return r.do(http.MethodPost, "/a2a/tools/test.greet", "", "{}") }

// The rules of --policy decide, as they are now; the workspace's own can only be stricter. A bad
// edit is told on /status, and changes nothing.
func TestPolicyDecides(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, project := filepath.Join(dir, "policy.json"), filepath.Join(dir, "ws", ".sidecar", "policy.json")
	if err := os.MkdirAll(filepath.Dir(project), 0o700); err != nil {
		t.Fatal(err)
	}
	allow, deny := `{"rules":[{"permission":"test.*","action":"allow"}]}`, `{"rules":[{"permission":"test.greet","action":"deny","reason":"not on Mondays"}]}`
	writeFile(t, file, allow)
	r := run(t, "--mode", "oneshot", "--headless", "--workspace", filepath.Join(dir, "ws"), "--policy", file, "--manifest", writeManifest(t, greetTool), "--", "cat")
	if a := r.callGreet(); a.status != http.StatusOK {
		t.Fatalf("allowed: %d %s", a.status, a.body)
	}
	writeFile(t, file, `{"rules":[]}`)
	await.True(t, "a call that nothing allows", func() bool {
		a := r.callGreet()
		return a.status == http.StatusForbidden && strings.Contains(a.body, "nobody can be asked")
	})
	writeFile(t, file, allow)
	writeFile(t, project, deny)
	await.True(t, "the project's deny", func() bool {
		a := r.callGreet()
		return a.status == http.StatusForbidden && strings.Contains(a.body, "not on Mondays")
	})
	writeFile(t, file, `{"rules":[{"permission":"test.*","action":"alow"}]}`)
	await.True(t, "the fault", func() bool { return strings.Contains(r.getPath("/status").body, `"kind":"policy"`) })
	if !strings.Contains(r.getPath("/metrics").body, `sidecar_file_ok{file="policy"} 0`) {
		t.Error("no metric says so")
	}
	if err := os.Remove(project); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, allow)
	await.True(t, "a good file", func() bool { return r.callGreet().status == http.StatusOK })
}

// What the rules want hidden is hidden, from the edit on.
func TestPolicyHides(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, `{"rules":[{"permission":"*","action":"allow"}]}`)
	r := run(t, "--mode", "oneshot", "--policy", file, "--manifest", writeManifest(t, greetTool), "--", "cat")
	if a := r.callGreet(); !strings.Contains(a.body, "$TEST_GREETING") {
		t.Fatal(a.body)
	}
	writeFile(t, file, `{"rules":[{"permission":"*","action":"allow"}],"redact":{"patterns":["TEST_[A-Z]{1,20}"]}}`)
	await.True(t, "redaction", func() bool {
		a := r.callGreet()
		return strings.Contains(a.body, "hello $[redacted]") && strings.Contains(a.body, `"redacted":true`)
	})
}

// A start with bad rules fails and says where they are bad.
func TestBadPolicy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, "{\n  \"rules\": [{\"permission\": \"test.*\", \"action\": \"alow\"}]\n}")
	for _, c := range []struct{ value, want string }{{file, "policy.json:2:"}, {"preset:readonly", "preset:read-only"}, {file + "x", "no such file"}} {
		out, err := sidecarCommand("run", "--port", "0", "--mode", "oneshot", "--policy", c.value, "--", "cat").CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v %s", c.value, err, out)
		}
	}
}

// With --sandbox required the agent must not be able to change what judges it.
func TestJudgesAreKeptFromTheAgent(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, `{"rules":[]}`)
	out, err := sidecarCommand("run", "--port", "0", "--mode", "oneshot", "--sandbox", "required", "--policy", file, "--", "cat").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "can change what judges it: --policy "+file) {
		t.Errorf("%v %s", err, out)
	}
	r := run(t, "--mode", "oneshot", "--policy", file, "--", "cat")
	if log := r.log.String(); !strings.Contains(log, "can change what judges it") || strings.Contains(log, "--trust-project") {
		t.Errorf("nobody is warned, or of too much:\n%s", r.log)
	}
	// The workspace's own rules can only forbid, unless they are trusted; there need not be any yet.
	r = run(t, "--mode", "oneshot", "--trust-project", "--workspace", t.TempDir(), "--", "cat")
	if !strings.Contains(r.log.String(), "--trust-project ") {
		t.Errorf("nobody is warned of the rules that the agent can write:\n%s", r.log)
	}
}

// A caller learns from the sidecar what would become of its call; the agent learns what would
// become of its own.
func TestPolicyIsExplained(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, `{"rules":[{"permission":"test.*","action":"allow","callers":["anonymous"]},
		{"permission":"test.greet","action":"deny","callers":["agent"],"reason":"not for agents"}]}`)
	r := run(t, "--mode", "oneshot", "--policy", file, "--manifest", writeManifest(t, greetTool), "--", "sh", "-c",
		`curl -s "$SIDECAR_URL/a2a/policy/explain?tool=test.greet"`)
	for path, want := range map[string]string{
		"/a2a/policy/explain?tool=test.greet":                  `"verdict":"allow"`,
		"/a2a/policy/explain?tool=test.greet&arguments=%5B%5D": `"invalid":`,
		"/a2a/policy/explain?tool=test.gret":                   `did you mean \"test.greet\"?`,
		"/a2a/policy/explain":                                  "the name of a tool is missing",
		"/a2a/policy/explain?tool=test.greet&argument=1":       `\"argument\" is not known here`,
		"/a2a/policy/capabilities":                             `"permitted":true`,
	} {
		if a := r.getPath(path); !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("without curl nothing asks as the agent")
	}
	if said := artifact(r.send("explain"), "response"); !strings.Contains(said, `"reason":"not for agents"`) || !strings.Contains(said, `"agent":true`) {
		t.Errorf("the agent is told %s", said)
	}
}
