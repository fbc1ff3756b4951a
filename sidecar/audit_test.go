package sidecar_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

const judgedTools = `[{"name":"acme.echo","description":"says it again","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/cat"]}}}}]`

// A watchdog and an audit in a whole sidecar: settings, metrics, the files, and that a
// second sidecar does not write to the same audit.
func TestWatchdogAndAudit(t *testing.T) {
	state, guard := t.TempDir(), filepath.Join(t.TempDir(), "guard")
	writeFile(t, guard, "#!/bin/sh\nread -r call\ncase $call in\n*bad*) echo '{\"decision\":\"deny\",\"reason\":\"looks bad\"}' ;;\n*ugly*) exit 9 ;;\n*) echo '{\"decision\":\"allow\"}' ;;\nesac\n")
	if err := os.Chmod(guard, 0o700); err != nil {
		t.Fatal(err)
	}
	manifest := writeManifest(t, judgedTools)
	args := []string{"--mode", "oneshot", "--manifest", manifest, "--state-dir", state, "--watchdog", guard, "--watchdog-timeout", "1m", "--", "cat"}
	r := run(t, args...)
	for arguments, want := range map[string]struct {
		status int
		says   string
	}{
		`{"a":"good"}`: {http.StatusOK, `"outcome":"final"`},
		`{"a":"bad"}`:  {http.StatusForbidden, `the watchdog denies it: looks bad`},
		`{"a":"ugly"}`: {http.StatusForbidden, `the watchdog ended with exit status 9`},
	} {
		if got := r.do(http.MethodPost, "/a2a/tools/acme.echo", "application/json", arguments); got.status != want.status || !strings.Contains(got.body, want.says) {
			t.Errorf("%s: %d %s", arguments, got.status, got.body)
		}
	}
	metrics := r.getPath("/metrics").body
	for _, line := range []string{
		`sidecar_call_decisions_total{verdict="deny",kind="watchdog"} 2`, `sidecar_call_decisions_total{verdict="allow",kind="passthrough"} 1`,
		`sidecar_watchdog_failures_total{reason="exit"} 1`, `sidecar_audit_lost_total 0`,
	} {
		if !strings.Contains(metrics, line) {
			t.Errorf("metrics have no %s", line)
		}
	}
	second := sidecarCommand("run", "--port", "0", "--mode", "oneshot", "--audit", filepath.Join(state, "audit", "audit.ndjson"), "--", "cat")
	if out, err := second.CombinedOutput(); err == nil || !strings.Contains(string(out), "another sidecar writes to this audit") {
		t.Errorf("a second sidecar: %v, %s", err, out)
	}
	r.stop()
	file := filepath.Join(state, "audit", "audit.ndjson")
	if report, err := audit.Verify(file); err != nil || report.Fault != nil || report.Records != 6 {
		t.Errorf("%+v, %v", report, err)
	}
	if out, err := sidecarCommand("audit", "verify", file).CombinedOutput(); err != nil || !strings.Contains(string(out), "whole, 6 records in 1 file") {
		t.Errorf("verify: %v, %s", err, out)
	}
}

func TestAuditOff(t *testing.T) {
	state := t.TempDir()
	r := run(t, "--mode", "oneshot", "--manifest", writeManifest(t, judgedTools), "--state-dir", state, "--audit", "off", "--", "cat")
	r.do(http.MethodPost, "/a2a/tools/acme.echo", "application/json", `{}`)
	if strings.Contains(r.getPath("/metrics").body, "sidecar_audit_records") {
		t.Error("calls are recorded")
	}
	r.stop()
	if found, _ := filepath.Glob(filepath.Join(state, "audit*")); len(found) > 0 {
		t.Errorf("there is %s", found)
	}
}

// What cannot hold is refused at the start.
func TestWatchdogThatIsNone(t *testing.T) {
	guard := filepath.Join(t.TempDir(), "guard")
	writeFile(t, guard, "#!/bin/sh\n")
	for want, args := range map[string][]string{
		"is no watchdog; write the absolute path": {"--watchdog", "guard"},
		"the watchdog cannot be run":              {"--watchdog", guard},
	} {
		cmd := sidecarCommand(append(append([]string{"run", "--port", "0", "--mode", "oneshot"}, args...), "--", "cat")...)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}
