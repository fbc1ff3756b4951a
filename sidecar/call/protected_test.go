package call_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// coreWriters are the sidecar's own tools that write a file which an argument names, with arguments that would make the file have
// "planted".
func coreWriters(path string) map[string]map[string]any {
	return map[string]map[string]any{
		"write": {"file_path": path, "content": "planted"}, "edit": {"file_path": path, "old_string": "as it was", "new_string": "planted"},
		"apply_patch": {"patch": patchOf("harmless", "as it was", "planted") + patchOf(path, "as it was", "planted")},
	}
}

// No tool writes a protected path, by whatever name it is called, though the rules allow everything.
func TestNoToolWritesAProtectedPath(t *testing.T) {
	b := newCore(t, `{"permission":"fs.write","pattern":"/**","action":"allow"},`+allowAll)
	const was = "as it was"
	for _, file := range []string{"harmless", ".git/hooks/pre-commit", ".sidecar/policy.json", ".envrc", "dots/settings.json"} {
		b.put(file, was)
	}
	b.link("dots", ".vscode")
	b.link(".git", "metadata")
	for _, path := range []string{
		".git/hooks/pre-commit", ".GIT/hooks/pre-commit", "metadata/hooks/pre-commit", "./dots/../.git/hooks/pre-commit", b.dir + "/.git/hooks/pre-commit", ".git/config",
		".sidecar/policy.json", ".sidecar/new/deep", ".envrc", ".vscode/settings.json", "sub/.mcp.json", ".husky/_/x",
	} {
		for id, named := range coreWriters(path) {
			if got, e := b.file("ann", "", id, named); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, "a protected path") {
				t.Errorf("%s %s: %q (%s)", id, path, got, e.task.Status.State)
			}
		}
		if err := b.judge.WriteFile(t.Context(), path, "planted"); err == nil || !strings.Contains(err.Error(), "a protected path") {
			t.Errorf("what we write for the agent, %s: %v", path, err)
		}
		out := <-b.permit(t.Context(), peer.Action{Kind: peer.Edit, Writes: []string{path}})
		if out.Allowed || !strings.Contains(out.Reason, "a protected path") {
			t.Errorf("the agent's own tool, %s: %+v", path, out)
		}
		if got, _ := b.file("ann", "", "read", map[string]any{"file_path": path}); strings.Contains(got, "protected") {
			t.Errorf("reading %s: %q", path, got)
		}
	}
	err := filepath.WalkDir(b.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if now, err := os.ReadFile(path); err != nil || string(now) != was {
				t.Errorf("%s has %q %v", path, now, err)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
