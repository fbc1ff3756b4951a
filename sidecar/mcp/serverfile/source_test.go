package serverfile_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

const (
	oneServer  = `{"mcpServers":{"a":{"command":"x"}}}`
	twoServers = `{"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}}}`
)

func write(t *testing.T, path, content string) {
	t.Helper()
	next := path + ".next"
	if err := os.WriteFile(next, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	bad, large, pipe := filepath.Join(dir, "bad"), filepath.Join(dir, "large"), filepath.Join(dir, "pipe")
	write(t, bad, `{"mcpServers":{"a":{}}}`)
	write(t, large, strings.Repeat(" ", serverfile.MaxFile)+oneServer)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		bad: `"command" is missing`, large: "more than 1 MiB", pipe: "not a regular file", dir: "not a regular file", filepath.Join(dir, "none"): "no such file",
	} {
		if _, err := serverfile.Open(path, serverfile.SourceOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// An edit is in force soon; a bad one, a file that is not believed, and one that is gone change
// nothing, and are told once.
func TestRunFollows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, oneServer)
	var log await.Log
	taken := make(chan int, 10)
	s, err := serverfile.Open(path, serverfile.SourceOptions{
		Log: log.Logger(), Poll: 20 * time.Millisecond, Taken: func(all []serverfile.Server) { taken <- len(all) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })

	began := time.Now()
	write(t, path, twoServers)
	if n := <-taken; n != 2 || len(s.Servers()) != 2 {
		t.Errorf("%d servers", n)
	}
	t.Logf("in force after %s", time.Since(began))
	write(t, path, `{"mcpServers":{"a":{"comand":"x"}}}`)
	log.Says(t, `write \"command\"`)
	await.True(t, "the fault", func() bool { return s.Last() != nil })
	if len(s.Servers()) != 2 {
		t.Error("the last good list is gone")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the missing file", func() bool { return strings.Contains(s.Last().Error(), "no such file") })
	write(t, path, twoServers)
	await.True(t, "the file's return", func() bool { return s.Last() == nil })
	write(t, path, oneServer)
	if n := <-taken; n != 1 {
		t.Errorf("%d servers", n)
	}
}

func TestDistrust(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, oneServer)
	_, err := serverfile.Open(path, serverfile.SourceOptions{Trust: func(string) error { return os.ErrPermission }})
	if err == nil || !strings.Contains(err.Error(), "are not believed") {
		t.Error(err)
	}
}
