package agents_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestStrict: under --govern=strict the agent's own process is in a sandbox in which it works, by our tools alone, and
// what it starts can neither read the user's keys nor connect to another host than that of its model.
func TestStrict(t *testing.T) {
	for _, a := range governedAgents() {
		modes := slices.DeleteFunc(slices.Clone(a.strict), func(mode string) bool { return !a.chosen(mode) })
		if len(modes) == 0 {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			for _, mode := range modes {
				t.Run(mode, func(t *testing.T) { strict(t, a, mode) })
			}
		})
	}
}

// probe is a script that an agent runs at its start for its own purposes, and what it finds out: whether it can read a key of
// the user's, connect to another host directly or by the proxy, or make a file in the workspace.
const probe = `#!/bin/bash
found=%[1]s
{
	cat %[2]s && echo "read the key"
	exec 3<>/dev/tcp/127.0.0.1/%[3]d && echo connected
	curl -fsS --max-time 5 http://127.0.0.1:%[3]d/ && echo "connected by the proxy"
	touch %[4]s && echo "wrote to the workspace"
	echo done
} >$found 2>&1
echo sk-test
`

func strict(t *testing.T, a governedAgent, mode string) {
	of := agentNamed(t, a.name)
	r := awkward(t, of)
	root := filepath.Dir(r.work)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var found string
	if a.probe != nil {
		key, state := filepath.Join(r.home, ".ssh/id_ed25519"), filepath.Join(r.home, a.state)
		plant(t, key, "the key")
		found = filepath.Join(state, "found")
		script := filepath.Join(state, "probe.sh")
		plant(t, script, fmt.Sprintf(probe, found, key, other.Addr().(*net.TCPAddr).Port, filepath.Join(r.work, "made")))
		for name, text := range a.probe(script) {
			plant(t, filepath.Join(r.home, name), text)
		}
	}
	used := filepath.Join(root, "own-ran")
	if mode == "oneshot" {
		r.args = of.oneshot
	}
	r.flags = []string{"--mode", mode, "--govern=strict", "--manifest", toolFile(t, "tools.json", governTools), "--policy", toolFile(t, "policy.json", governRules)}
	r.launch(t)
	t.Cleanup(func() { r.stop(t) })
	r.untilGoverned(t, mode)
	r.onlyOurs(t, a)
	u := r.ask(t, "", `CALL:acme_say {"text":"free"}`)
	if u.state != a2a.StateCompleted || !strings.Contains(u.text, "said again: free") {
		t.Errorf("a tool of ours: %s: %q; the answer is %q", u.state, u.says(), u.text)
	}
	doc, err := r.client.Document(t.Context(), "/status")
	if err != nil {
		t.Fatal(err)
	}
	if body := string(doc.Body); !strings.Contains(body, `"governed":{"mode":"strict"`) || !strings.Contains(body, `"sandbox":"landlock`) {
		t.Errorf("the status is %s", body)
	}
	if found != "" {
		text, err := os.ReadFile(found)
		if says := string(text); err != nil || !strings.Contains(says, "done") || strings.Contains(says, "read the key") || strings.Contains(says, "connected") || strings.Contains(says, "wrote") {
			t.Errorf("a program that the agent has started found: %s %v", says, err)
		}
		t.Logf("a program that the agent has started found:\n%s", text)
	}
	r.refusesOwn(t, a, used)
	r.leave(t, mode)
}
