package sidecar_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// rulesOf is a file of one rule about the agent's calls, and what else it says.
func rulesOf(action, reason, more string) string {
	return `{"rules":[{"permission":"acme.*","action":"` + action + `","reason":"` + reason + `"}]` + more + `}`
}

// After the wait a call is decided again, by the rules of that moment.
func TestApprovalUnderAnotherPolicy(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, file, rulesOf("ask", "first", ""))
	r, _ := asking(t, "--policy", file)
	inForce := func(want string) {
		t.Helper()
		await.True(t, "the rules", func() bool {
			return strings.Contains(r.getPath("/a2a/policy/explain?tool=acme.say").body, want)
		})
	}
	for _, c := range []struct{ action, reason, says string }{
		{"deny", "no longer", "no longer"},
		{"allow", "by all means", "said: deal"},
	} {
		writeFile(t, file, rulesOf("ask", "first", ""))
		inForce("first")
		_, d := r.asked(r.client(), "deal")
		writeFile(t, file, rulesOf(c.action, c.reason, ""))
		inForce(c.reason)
		got := r.post("", d, d.Digest, "once")
		if ended := r.settle(d.TaskID); !strings.Contains(artifact(ended, "response"), c.says) {
			t.Errorf("%s: answered %s, the agent was told %q", c.action, got, artifact(ended, "response"))
		}
	}

	writeFile(t, file, rulesOf("ask", "first", ""))
	inForce("first")
	task, d := r.asked(r.client(), "deal")
	writeFile(t, file, rulesOf("ask", "second", ""))
	inForce("second")
	_ = r.post("", d, d.Digest, "once")
	await.True(t, "it asks again", func() bool {
		task = r.get(task.ID)
		return task.Status.State == a2a.StateAuthRequired && r.document(task).Digest != d.Digest
	})
	again := r.document(task)
	if got := r.post("", again, d.Digest, "once"); got != "409 APPROVAL_CHANGED" {
		t.Errorf("the digest of before: %s", got)
	}
	if got := r.post("", again, again.Digest, "once"); got != "200" {
		t.Errorf("the digest of now: %s", got)
	}
	if said := artifact(r.settle(task.ID), "response"); said != "said: deal\n" {
		t.Errorf("the agent was told %q", said)
	}
}
