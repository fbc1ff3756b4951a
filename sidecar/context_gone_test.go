package sidecar_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// A conversation of which no task is kept ends: a process that it has left running does, and its list of what is to do is gone.
func TestContextGone(t *testing.T) {
	t.Parallel()
	policy, dir := filepath.Join(t.TempDir(), "policy.json"), t.TempDir()
	writeFile(t, policy, `{"rules":[{"permission":"*","action":"allow"},{"permission":"shell.run","action":"allow"}]}`)
	writeFile(t, filepath.Join(dir, "serve.sh"), "trap 'echo > ended; exit 0' TERM\necho > began\nsleep 600 &\nwait\n")
	args := []string{"--mode", "oneshot", "--sandbox", "off", "--policy", policy, "--workspace", dir, "--tools", "background,todo", "--keep-bytes", "1KiB", "--"}
	r := run(t, append(args, agentCommand(t, "follower")...)...)
	in := func(context, tool, arguments string) string {
		m := toolMessage(tool, arguments)
		m.ContextID = context
		return string(resultOf(t, r.sendMessage(m)).Data)
	}
	in("a", "core.todo", `{"todos":[{"content":"x","status":"pending"}]}`)
	in("a", "core.background", `{"action":"start","command":"sh serve.sh"}`)
	file := func(name string) func() bool {
		return func() bool {
			_, err := os.Stat(filepath.Join(dir, name))
			return err == nil
		}
	}
	await.True(t, "the process runs", file("began"))
	if _, status := r.status(""); file("ended")() || !strings.Contains(status, `"todos"`) {
		t.Errorf("before the end: %s", status)
	}
	in("b", "core.background", `{"action":"list"}`) // one finished task is kept
	await.True(t, "the process ends", file("ended"))
	if said := in("a", "core.background", `{"action":"list"}`); said != `"No process of this conversation was started here.\n"` {
		t.Error(said)
	}
	if _, status := r.status(""); strings.Contains(status, `"todos"`) {
		t.Errorf("a list of what is to do is left: %s", status)
	}
}
