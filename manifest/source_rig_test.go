package manifest_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// tools is a manifest with these names.
func tools(names ...string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf(`{"name":%q,"description":"d","inputSchema":{"type":"object"}}`, name)
	}
	return "[\n" + strings.Join(list, ",\n") + "\n]\n"
}

// names are those of the current list.
func names(s *manifest.Source) string {
	var list []string
	for _, t := range s.Snapshot().Tools() {
		list = append(list, t.Name)
	}
	return strings.Join(list, " ")
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// must fails the test for an error of the set-up.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// watch opens and runs a source until the test ends. The poll is off unless
// opts sets it: what is seen is seen by events.
func watch(t *testing.T, path string, opts manifest.Options) (*manifest.Source, *await.Log) {
	t.Helper()
	log := &await.Log{}
	opts.Log = log.Logger()
	if opts.Poll == 0 {
		opts.Poll = time.Hour
	}
	s, err := manifest.Open(path, opts)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		if t.Failed() {
			t.Log(log)
		}
	})
	return s, log
}

// until waits for a list of these names.
func until(t *testing.T, s *manifest.Source, want string) {
	t.Helper()
	timeout := time.After(await.Patience)
	for {
		changed := s.Changed()
		if names(s) == want {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("the list is %q, want %q", names(s), want)
		}
	}
}

// settled makes sure that the watch is up: a reload answers.
func settled(t *testing.T, s *manifest.Source) {
	t.Helper()
	checked := s.Checked()
	s.Reload()
	await.One(t, checked, "answer to a reload")
}
