package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("arxiv_search", "sv.x"))
	s, err := manifest.Open(path, manifest.Options{})
	var faults jsontree.Faults
	if s != nil || !errors.As(err, &faults) || len(faults) != 2 || faults[0].File != path || faults[0].Line != 2 {
		t.Errorf("Open gave %v, %v", s, err)
	}
	lenient, err := manifest.Open(path, manifest.Options{Lenient: true})
	if err != nil || len(lenient.Snapshot().Tools()) != 0 || lenient.Last() == nil {
		t.Errorf("lenient Open gave %v", err)
	}
	lenientRuns, _ := watch(t, path, manifest.Options{Lenient: true})
	write(t, path, tools("acme.one"))
	until(t, lenientRuns, "acme.one")
	fifo := filepath.Join(t.TempDir(), "fifo")
	must(t, syscall.Mkfifo(fifo, 0o600))
	for _, path := range []string{t.TempDir(), fifo} {
		if _, err := manifest.Open(path, manifest.Options{}); err == nil || !strings.Contains(err.Error(), path+": the file cannot be read: not a regular file") {
			t.Errorf("%s was taken for a manifest: %v", path, err)
		}
	}
}

// The log says what was read, and nothing of a file that nobody named.
func TestLogOfAStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	for file, want := range map[string]int{path: 2, "": 0} {
		s, log := watch(t, file, manifest.Options{})
		settled(t, s) // by a reload, which says it again
		if got := strings.Count(log.String(), "manifest loaded"); got != want {
			t.Errorf("%q: said %d times to be loaded, want %d:\n%s", file, got, want, log)
		}
	}
}

// A tool that Go code registers while the source runs is served.
func TestRegisterLater(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.file"))
	r := manifest.NewRegistry()
	s, _ := watch(t, path, manifest.Options{Registry: r})
	def := manifest.Definition{Name: "acme.go", Description: "d", InputSchema: json.RawMessage(`{"type":"object"}`)}
	must(t, r.Register(def, nothing))
	until(t, s, "acme.go acme.file")
}

// A thousand rewrites, by rename and in place, while readers look: each list is
// one that was written, whole.
func TestRewritesUnderReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand rewrites")
	}
	path := filepath.Join(t.TempDir(), "tools.json")
	generation := func(g int) string {
		list := make([]string, 5+g%7)
		for i := range list {
			list[i] = fmt.Sprintf("acme.g%d_of%d_t%d", g, len(list), i)
		}
		return tools(list...)
	}
	write(t, path, generation(0))
	s, _ := watch(t, path, manifest.Options{})
	settled(t, s)

	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				whole(t, s.Snapshot())
			}
		})
	}
	const rewrites = 1000
	for g := 1; g <= rewrites; g++ {
		if g%2 == 0 {
			write(t, path, generation(g))
			continue
		}
		write(t, path+".tmp", generation(g))
		must(t, os.Rename(path+".tmp", path))
	}
	last := strings.Count(generation(rewrites), "acme.")
	want := make([]string, last)
	for i := range want {
		want[i] = fmt.Sprintf("acme.g%d_of%d_t%d", rewrites, last, i)
	}
	until(t, s, strings.Join(want, " "))
	close(stop)
	readers.Wait()
}

// whole holds a list to one generation with all its tools.
func whole(t *testing.T, s *manifest.Snapshot) {
	list := s.Tools()
	if len(list) == 0 {
		t.Error("an empty list was seen")
		return
	}
	var g, n, i int
	if _, err := fmt.Sscanf(list[0].Name, "acme.g%d_of%d_t%d", &g, &n, &i); err != nil || n != len(list) {
		t.Errorf("a part of a list was seen: %s and %d more", list[0].Name, len(list)-1)
		return
	}
	for i, tool := range list {
		if tool.Name != fmt.Sprintf("acme.g%d_of%d_t%d", g, n, i) {
			t.Errorf("two lists in one: %s", s.Document())
			return
		}
	}
}
