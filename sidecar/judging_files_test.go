package sidecar_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// tenant is the user of the agent in these tests.
const tenant = "65533"

// judged is a sidecar, run as root, whose agent is another user: its files are root's.
type judged struct {
	*running
	policy, tools string
}

func newJudged(t *testing.T, mode string) *judged {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root to run the agent as another user")
	}
	dir, err := os.MkdirTemp("", "judged") // a place that other users can enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	j := &judged{policy: filepath.Join(dir, "policy.json"), tools: filepath.Join(dir, "tools.json")}
	j.allow(t, "allow")
	j.declare(t, "test.one")
	j.running = run(t, "--mode", "oneshot", "--sandbox", mode, "--user", tenant+":"+tenant, "--workspace", dir,
		"--policy", j.policy, "--manifest", j.tools, "--", "cat")
	return j
}

func (j *judged) allow(t *testing.T, action string) {
	t.Helper()
	writeFile(t, j.policy, `{"rules":[{"permission":"test.one","action":"`+action+`"}]}`)
}

func (j *judged) declare(t *testing.T, name string) {
	t.Helper()
	writeFile(t, j.tools, `[{"name":"`+name+`","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/true"]}}}}]`)
}

func (j *judged) chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func (j *judged) status() int {
	return j.do("POST", "/a2a/tools/test.one", "application/json", `{}`).status
}

// TestReloadedFilesAreKeptFromTheAgent: under "required", rules and tools that its user can write
// are not taken when they change, and are when they are another user's again.
func TestReloadedFilesAreKeptFromTheAgent(t *testing.T) {
	t.Parallel()
	j := newJudged(t, "required")
	if got := j.status(); got != 200 {
		t.Fatalf("the call ended with %d", got)
	}
	j.chmod(t, j.policy, 0o666)
	j.allow(t, "deny")
	j.log.Says(t, "the rules of "+j.policy+" are not believed: the agent, user "+tenant+", can change it")
	j.chmod(t, j.tools, 0o666)
	j.declare(t, "test.two")
	j.log.Says(t, "the file is not believed: the agent, user "+tenant+", can change it")
	j.log.Says(t, "chown root, chmod go-w")
	if got := j.status(); got != 200 {
		t.Errorf("rules or tools were taken that the agent can write: the call ended with %d", got)
	}
	j.chmod(t, j.policy, 0o644)
	await.True(t, "the rules are taken", func() bool { return j.status() == 403 })
	j.chmod(t, j.tools, 0o644)
	await.True(t, "the tools are taken", func() bool { return j.status() == 404 })
}

// TestReloadedFilesThatTheAgentCanWriteAreToldOf once under "auto", and taken.
func TestReloadedFilesThatTheAgentCanWriteAreToldOf(t *testing.T) {
	t.Parallel()
	j := newJudged(t, "auto")
	const says = "the agent can change what judges it"
	if strings.Contains(j.log.String(), says) {
		t.Errorf("the start warns:\n%s", j.log)
	}
	j.chmod(t, j.policy, 0o666)
	j.allow(t, "deny")
	await.True(t, "the rules are taken", func() bool { return j.status() == 403 })
	j.log.Says(t, says)
	j.allow(t, "allow")
	await.True(t, "the rules are taken again", func() bool { return j.status() == 200 })
	if got := strings.Count(j.log.String(), says); got != 1 {
		t.Errorf("%d warnings", got)
	}
}
