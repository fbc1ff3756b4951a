package sidecar_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const readTools = `[{"name":"acme.read","description":"reads","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},
	"x-sidecar":{"bridge":{"exec":{"command":["/bin/cat","{path}"]}},"uses":{"fs.read":["/path"]},"requires":{"fs":{"read":["{workspace}/**"]}}}},
	{"name":"acme.echo","description":"says it again","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/cat"]}},"requires":{}}}]`

// What a sidecar decided by the rules of its operator and of its workspace, the same files
// decide again; and the audit shows one record that was changed, or is gone.
func TestAuditReplaysARun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws, state, file := filepath.Join(dir, "ws"), filepath.Join(dir, "state"), filepath.Join(dir, "policy.json")
	if err := os.MkdirAll(filepath.Join(ws, ".sidecar"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(ws, "open"), "o")
	writeFile(t, filepath.Join(ws, "closed"), "c")
	writeFile(t, file, `{"rules":[{"permission":"acme.*","action":"allow"},{"permission":"fs.read","pattern":"{workspace}/**","action":"allow"}]}`)
	writeFile(t, filepath.Join(ws, ".sidecar", "policy.json"), `{"rules":[{"permission":"fs.read","pattern":"{workspace}/closed","action":"deny"}]}`)
	args := []string{"--policy", file, "--workspace", ws}
	r := run(t, append(args, "--mode", "oneshot", "--headless", "--sandbox", "off", "--state-dir", state, "--manifest", writeManifest(t, readTools), "--", "cat")...)
	for _, c := range []struct {
		path   string
		status int
	}{
		{"acme.read?open", http.StatusOK}, {"acme.read?closed", http.StatusForbidden}, {"acme.echo?", http.StatusOK},
	} {
		tool, path, _ := strings.Cut(c.path, "?")
		body := `{}`
		if path != "" {
			body = `{"path":"` + path + `"}`
		}
		if got := r.do(http.MethodPost, "/a2a/tools/"+tool, "application/json", body); got.status != c.status {
			t.Errorf("%s: %d %s", c.path, got.status, got.body)
		}
	}
	r.stop()
	log := filepath.Join(state, "audit", "audit.ndjson")
	says := func(want string, args ...string) {
		t.Helper()
		if out, _ := sidecarCommand(append([]string{"audit"}, args...)...).CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("%q says %s, want %q", args, out, want)
		}
	}
	says("3 the same, 0 different", append([]string{"replay", log}, args...)...)
	says("2 the same, 1 different", "replay", log, "--policy", file) // another workspace has no such rules
	says("whole, ", "verify", log)

	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for what, bad := range map[string][]byte{
		"changed": bytes.Replace(whole, []byte(`"allow"`), []byte(`"deny"`), 1),
		"cut":     append(bytes.Clone(lines[0]), bytes.Join(lines[2:], nil)...),
		"cut off": bytes.Join(lines[:len(lines)-2], nil),
	} {
		if bytes.Equal(bad, whole) {
			t.Fatalf("%s: nothing is", what)
		}
		writeFile(t, log, string(bad))
		if out, err := sidecarCommand("audit", "verify", log).CombinedOutput(); err == nil || strings.Contains(string(out), "whole, ") {
			t.Errorf("a record is %s: %v %s", what, err, out)
		}
	}
}
