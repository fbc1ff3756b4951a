package manifest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// patience is how long a test waits for what takes milliseconds.
const patience = time.Minute

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

// record is a log that may be written and read at once.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// watch opens and runs a source until the test ends. The poll is off unless
// opts sets it: what is seen is seen by events.
func watch(t *testing.T, path string, opts manifest.Options) (*manifest.Source, *record) {
	t.Helper()
	log := &record{}
	opts.Log = slog.New(slog.NewTextHandler(log, nil))
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
	timeout := time.After(patience)
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

// await waits for a channel.
func await(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("no %s", what)
	}
}

// settled makes sure that the watch is up: a reload answers.
func settled(t *testing.T, s *manifest.Source) {
	t.Helper()
	checked := s.Checked()
	s.Reload()
	await(t, checked, "answer to a reload")
}

func TestReload(t *testing.T) {
	one, two := tools("acme.one"), tools("acme.one", "acme.two")
	for _, tc := range []struct {
		name string
		edit func(t *testing.T, dir, path string)
	}{
		{"in-place write", func(t *testing.T, _, path string) { write(t, path, two) }},
		{"in pieces", func(t *testing.T, _, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
			must(t, err)
			for i := range two {
				if _, err := f.WriteString(two[i : i+1]); err != nil {
					t.Fatal(err)
				}
			}
			must(t, f.Close())
		}},
		{"editor rename", func(t *testing.T, dir, path string) {
			write(t, filepath.Join(dir, ".tools.json.swp"), two)
			must(t, os.Rename(filepath.Join(dir, ".tools.json.swp"), path))
		}},
		{"editor backup", func(t *testing.T, _, path string) {
			must(t, os.Rename(path, path+"~"))
			write(t, path, two)
		}},
		{"delete and re-create", func(t *testing.T, _, path string) {
			must(t, os.Remove(path))
			write(t, path, two)
		}},
		{"directory replaced", func(t *testing.T, dir, path string) {
			must(t, os.Mkdir(dir+".new", 0o755))
			write(t, filepath.Join(dir+".new", "tools.json"), one)
			must(t, os.Rename(dir, dir+".old"))
			must(t, os.Rename(dir+".new", dir))
			write(t, path, two)
		}},
		{"directory deleted and re-created", func(t *testing.T, dir, path string) {
			must(t, os.RemoveAll(dir))
			must(t, os.Mkdir(dir, 0o755))
			write(t, path, two)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "tools")
			must(t, os.Mkdir(dir, 0o755))
			path := filepath.Join(dir, "tools.json")
			write(t, path, one)
			s, _ := watch(t, path, manifest.Options{})
			until(t, s, "acme.one")
			settled(t, s)
			start := time.Now()
			tc.edit(t, dir, path)
			until(t, s, "acme.one acme.two")
			t.Logf("visible after %v", time.Since(start))
			if s.Last() != nil {
				t.Errorf("Last is %v", s.Last())
			}
			must(t, os.WriteFile(path, []byte(tools("acme.three")), 0o644))
			until(t, s, "acme.three") // and it goes on watching
		})
	}
}

func TestReloadDirectoryAppears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opt", "agent", "tools.json")
	s, log := watch(t, path, manifest.Options{})
	if len(s.Snapshot().Tools()) != 0 || string(s.Snapshot().Document()) != "[]" {
		t.Errorf("a missing file is %s", s.Snapshot().Document())
	}
	if !strings.Contains(log.String(), "does not exist") {
		t.Error("nothing is said of the missing file")
	}
	settled(t, s)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	write(t, path, tools("acme.one"))
	until(t, s, "acme.one")
}

func TestReloadMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	const missing = 300 * time.Millisecond
	s, log := watch(t, path, manifest.Options{Missing: missing})
	settled(t, s)
	gone := time.Now()
	must(t, os.Remove(path))
	until(t, s, "")
	if kept := time.Since(gone); kept < missing {
		t.Errorf("the last good list was kept for %v, want %v", kept, missing)
	}
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "is gone") {
		t.Error("there is no warning")
	}
	if s.Last() != nil || string(s.Snapshot().Document()) != "[]" {
		t.Errorf("%v, %s", s.Last(), s.Snapshot().Document())
	}
	write(t, path, tools("acme.one"))
	until(t, s, "acme.one")
}

// A file that comes back in time was never away.
func TestReloadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	s, _ := watch(t, path, manifest.Options{Missing: time.Hour})
	settled(t, s)
	must(t, os.Remove(path))
	settled(t, s)
	if names(s) != "acme.one" {
		t.Fatalf("the list is %q while the file is away", names(s))
	}
	write(t, path, tools("acme.two"))
	until(t, s, "acme.two")
}

func TestReloadBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	s, log := watch(t, path, manifest.Options{})
	settled(t, s)
	before := s.Snapshot()
	for _, broken := range []string{"", "[", tools("acme.one")[:40], tools("arxiv_search"), "\xff", "{}"} {
		checked := s.Checked()
		write(t, path, broken)
		await(t, checked, "verdict on "+broken)
		if s.Snapshot() != before {
			t.Fatalf("%q replaced the last good list by %s", broken, s.Snapshot().Document())
		}
		var faults jsontree.Faults
		if !errors.As(s.Last(), &faults) {
			t.Errorf("%q: Last is %v", broken, s.Last())
		}
	}
	for _, part := range []string{"level=ERROR", "the last good list stays", "line=2", "column=9", "pointer=/0/name", `fix="write \"arxiv.search\""`} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %s", part)
		}
	}
	write(t, path, tools("arxiv.search"))
	until(t, s, "arxiv.search")
	if s.Last() != nil {
		t.Errorf("Last is %v for a good file", s.Last())
	}
}

// What is not a file is a fault, too, and neither blocks nor ends the watch.
func TestReloadNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	write(t, path, tools("acme.one"))
	s, _ := watch(t, path, manifest.Options{})
	settled(t, s)
	checked := s.Checked()
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o755))
	await(t, checked, "verdict on a directory")
	if names(s) != "acme.one" || s.Last() == nil || !strings.Contains(s.Last().Error(), "not a regular file") {
		t.Errorf("%q, %v", names(s), s.Last())
	}
	must(t, os.Remove(path))
	write(t, path, tools("acme.two"))
	until(t, s, "acme.two")
}

// A reload by hand says something even when nothing changed.
func TestReloadByHand(t *testing.T) {
	s, _ := watch(t, "", manifest.Options{})
	settled(t, s)
	path := filepath.Join(t.TempDir(), "none.json")
	s, _ = watch(t, path, manifest.Options{})
	settled(t, s)
	write(t, path, "broken")
	checked := s.Checked()
	s.Reload()
	await(t, checked, "answer")
}

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
