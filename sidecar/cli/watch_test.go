package cli_test

import (
	"bufio"
	"errors"
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

// A folder of skills is followed too: what is told is what is new, of each skill.
func TestValidateWatchOfSkills(t *testing.T) {
	ctx := await.Context(t)
	dir, half := t.TempDir(), filepath.Join(t.TempDir(), "half")
	put := func(file, content string) {
		t.Helper()
		file = filepath.Join(dir, file)
		write(t, half, content) // it is never seen half written
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.Rename(half, file)); err != nil {
			t.Fatal(err)
		}
	}
	const good, bad = "---\nname: %\ndescription: Reads it.\n---\nRead it.\n", "---\nname: %\n---\nRead it.\n"
	put("pdf/SKILL.md", strings.ReplaceAll(good, "%", "pdf"))
	cmd := exec.CommandContext(ctx, "sidecar", "validate", "--watch", dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func(want string) {
		t.Helper()
		if lines.Scan(); !strings.Contains(lines.Text(), want) {
			t.Fatalf("%q, want %q", lines.Text(), want)
		}
	}
	next("pdf/SKILL.md: ok, the skill pdf, 0 tools")
	put("word/SKILL.md", strings.ReplaceAll(good, "%", "word"))
	next("word/SKILL.md: ok, the skill word, 0 tools") // and nothing of pdf
	put("pdf/SKILL.md", strings.ReplaceAll(bad, "%", "pdf"))
	next("pdf/SKILL.md:")
	next("pdf/SKILL.md: 1 fault")
	if err := os.RemoveAll(filepath.Join(dir, "word")); err != nil {
		t.Fatal(err)
	}
	next("word/SKILL.md: it is not there any more")
	next("word/SKILL.md: 1 fault")
	put("pdf/tools.json", "[")
	next("pdf/SKILL.md:")
	next("pdf/tools.json:1:")
	next("pdf/SKILL.md: 2 faults")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 1 {
		t.Errorf("exit code %d after a bad skill", code)
	}
}
