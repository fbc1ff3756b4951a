package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

const (
	goodManifest = `[{"name": "acme.echo", "description": "x", "inputSchema": {"type": "object"}}]`
	badManifest  = `[{"name": "acme.echo", "description": "x"}]`
)

func TestValidateWatchTellsEveryChange(t *testing.T) {
	ctx := await.Context(t)
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, goodManifest)
	cmd := exec.CommandContext(ctx, "sidecar", "validate", "--watch", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	expectLine(t, lines, "tools.json: ok, 1 tool, sha256:")
	write(t, path, badManifest)
	expectLine(t, lines, "tools.json: 1 fault")
	write(t, path, goodManifest)
	expectLine(t, lines, "tools.json: ok, 1 tool")
	write(t, path, badManifest)
	expectLine(t, lines, "tools.json: 1 fault")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 1 {
		t.Errorf("exit code %d after a bad file", code)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// expectLine reads until a line with the text comes.
func expectLine(t *testing.T, lines *bufio.Scanner, text string) {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return
		}
	}
	t.Fatalf("no line with %q came: %v", text, lines.Err())
}

// A file that is not there is no good one.
func TestValidateWatchOfNothingFails(t *testing.T) {
	ctx := await.Context(t)
	cmd := exec.CommandContext(ctx, "sidecar", "validate", "--watch", filepath.Join(t.TempDir(), "tools.json"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	expectLine(t, bufio.NewScanner(out), "tools.json: 1 fault")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}
