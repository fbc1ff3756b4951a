package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// auditOf writes an audit of two calls: one that ran, and one that was denied.
func auditOf(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.ndjson")
	l, err := audit.Open(audit.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	exit := 3
	ran := &audit.Record{Event: audit.EventBefore, Task: "task-1", Call: "c", Caller: "ann", Door: "http", Tool: "acme.deploy", Source: "manifest", Arguments: l.Stand(`{"pin":1234}`),
		Uses:     []audit.Use{{Capability: policy.FSWrite, Pointer: "/path", Value: "/srv/\u001b[31ma"}},
		Decision: &audit.Decision{Verdict: "allow", Kind: policy.KindPassthrough, Scope: policy.ScopeBuiltIn, Rule: "built-in: direct calls"},
		Watchdog: &audit.Watchdog{Verdict: "allow"}, Approval: &audit.Approval{ID: "a1", Option: "once", By: "bob"}}
	if err := l.Before(t.Context(), ran); err != nil {
		t.Fatal(err)
	}
	l.After(&audit.Record{Event: audit.EventAfter, Of: ran.Seq, Task: "task-1", Tool: "acme.deploy", Outcome: "failed", DurationMS: 1500, ExitCode: &exit,
		Sandbox: []string{"landlock"}, Began: time.Now(), Egress: []audit.Egress{{Host: "evil.example:443", Reason: "no pattern"}}})
	l.After(&audit.Record{Event: audit.EventRefused, Task: "task-2", Tool: "acme.secret", Agent: true, Outcome: "denied", Reason: "nobody may",
		Decision: &audit.Decision{Verdict: "deny", Kind: policy.KindRule, Scope: policy.ScopeManifest, Rule: "deny acme.secret", File: "/p.json", Line: 3}})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAuditShow(t *testing.T) {
	file := auditOf(t)
	code, text := says(t, "audit", "show", "--file", file, "task-1")
	for _, want := range []string{"2  2", "before  acme.deploy\n", "caller     ann by http\n", "arguments  12 bytes, HMAC ", "uses       fs.write /srv/", "rules      allow, by built-in: direct calls of built-in\n",
		"approval   once, by bob (a1)\n", "after  acme.deploy: failed after 1.5s\n", "exit       status 3\n", "sandbox    landlock\n", "connection evil.example:443 refused no pattern\n"} {
		if code != 0 || !strings.Contains(text, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, text)
		}
	}
	if strings.ContainsRune(text, '\x1b') || strings.Contains(text, "task-2") {
		t.Errorf("it prints\n%q", text)
	}
	if code, text = says(t, "audit", "show", "-o", "json", "--file", file, "task-2"); code != 0 || !strings.HasPrefix(text, `{"seq":4,"time":"`) || !strings.Contains(text, `"event":"refused","task":"task-2"`) {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = says(t, "audit", "show", "--file", file, "task-3"); code != 1 || !strings.Contains(text, "has no record of task task-3") {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = says(t, "audit", "show", "task-1"); code != 2 || !strings.Contains(text, "no audit is kept here") {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = says(t, "audit", "show", "--file", file+".none", "task-1"); code != 125 || !strings.Contains(text, "there is no audit") {
		t.Errorf("exit %d\n%s", code, text)
	}
}

func TestAuditVerify(t *testing.T) {
	file := auditOf(t)
	if code, text := says(t, "audit", "verify", file); code != 0 || !strings.Contains(text, "whole, 5 records in 1 file, the last is 5 with the hash ") {
		t.Errorf("exit %d\n%s", code, text)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(whole), "denied", "final!", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, text := says(t, "audit", "verify", file); code != 1 || text != file+":4: record 4: its hash does not fit: the record was changed\n" {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text := says(t, "audit", "verify", "-o", "json", file); code != 1 || !strings.Contains(text, `"whole":false`) || !strings.Contains(text, `"fault":{"file":"`+file+`","line":4,"seq":4,"message":"its hash`) {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, _ := says(t, "audit", "verify", file+".none"); code != 125 {
		t.Errorf("no audit: exit %d", code)
	}
}

func TestAuditReplay(t *testing.T) {
	file := auditOf(t)
	rules := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(rules, []byte(`{"rules":[{"permission":"acme.*","action":"ask"},{"permission":"acme.secret","action":"deny"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	code, text := says(t, "audit", "replay", "--policy", rules, file)
	if code != 1 || !strings.Contains(text, "record 2: acme.deploy, task task-1\n  was  allow, by built-in: direct calls of built-in\n  now  ask, by ask acme.* of manifest ("+rules+":1)\n") ||
		!strings.Contains(text, "note: 2 calls were judged by another policy than this one\n1 the same, 1 different, 0 not decided by rules\n") {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = says(t, "audit", "replay", "-o", "json", "--policy", rules, file); code != 1 || !strings.Contains(text, `{"seq":2,"task":"task-1","tool":"acme.deploy","recorded":{"verdict":"allow"`) || !strings.Contains(text, `{"same":1,"different":1,"others":0,"redacted":0,"other_revisions":2}`) {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = says(t, "audit", "replay", "--policy", "preset:nothing", file); code != 125 || !strings.Contains(text, "there is no preset") {
		t.Errorf("exit %d\n%s", code, text)
	}
}

// A call of whose judged values secrets were taken out is not decided again, and counted.
func TestAuditReplayOfWhatWasRedacted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.ndjson")
	l, err := audit.Open(audit.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	for _, redacted := range []bool{true, false} {
		l.After(&audit.Record{Event: audit.EventRefused, Task: "task-1", Tool: "acme.secret", Outcome: "denied", Redacted: redacted, Arguments: l.Stand("{}"),
			Decision: &audit.Decision{Verdict: "ask", Kind: policy.KindRule, Scope: policy.ScopePreset, Rule: "ask *"}})
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	code, text := says(t, "audit", "replay", "--policy", "preset:ask", file)
	if code != 0 || !strings.Contains(text, "note: 1 call is not replayable: what the rules looked at was redacted\n1 the same, 0 different, 0 not decided by rules\n") {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = says(t, "audit", "replay", "-o", "json", "--policy", "preset:ask", file); code != 0 || !strings.Contains(text, `"redacted":1`) {
		t.Errorf("exit %d\n%s", code, text)
	}
	if code, text = says(t, "audit", "show", "--file", file, "task-1"); code != 0 || !strings.Contains(text, "secrets were taken out of the values that were judged") {
		t.Errorf("exit %d\n%s", code, text)
	}
}
