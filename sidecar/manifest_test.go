package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

func oneTool(name string) string {
	return `[{"name":"` + name + `","description":"One.","inputSchema":{"type":"object"}}]`
}

// A tool whose program is not there is a warning when the manifest is loaded: its
// first call would be the first to tell.
func TestManifestWithoutItsProgram(t *testing.T) {
	t.Parallel()
	file := writeManifest(t, `[{"name":"test.gone","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["no-such-program"]}}}}]`)
	r := run(t, "--mode", "oneshot", "--manifest", file, "--", "cat")
	for line := range strings.Lines(r.log.String()) {
		if strings.Contains(line, `"level":"WARN"`) && strings.Contains(line, "no-such-program: not found in PATH") {
			return
		}
	}
	t.Errorf("nobody says so:\n%s", r.log)
}

// TestManifestReload goes through every way in which a manifest changes, and
// measures how long each takes to be seen.
func TestManifestReload(t *testing.T) {
	t.Parallel()
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	ways := []struct {
		name   string
		before func(dir, path string)
		change func(dir, path string)
	}{
		{"in place", func(_, path string) { writeFile(t, path, oneTool("test.old")) },
			func(_, path string) { writeFile(t, path, oneTool("test.new")) }},
		{"editor's rename", func(_, path string) { writeFile(t, path, oneTool("test.old")) },
			func(dir, path string) {
				writeFile(t, filepath.Join(dir, ".swap"), oneTool("test.new"))
				move(filepath.Join(dir, ".swap"), path)
			}},
		{"delete and create", func(_, path string) { writeFile(t, path, oneTool("test.old")) },
			func(_, path string) { os.Remove(path); writeFile(t, path, oneTool("test.new")) }},
		{"kubernetes", func(dir, path string) {
			for version, tool := range map[string]string{"..v1": "test.old", "..v2": "test.new"} {
				os.Mkdir(filepath.Join(dir, version), 0o755)
				writeFile(t, filepath.Join(dir, version, "tools.json"), oneTool(tool))
			}
			link("..v1", filepath.Join(dir, "..data"))
			link(filepath.Join("..data", "tools.json"), path)
		}, func(dir, _ string) {
			link("..v2", filepath.Join(dir, "..data_tmp"))
			move(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data"))
		}},
		{"file comes later", func(string, string) {},
			func(_, path string) { writeFile(t, path, oneTool("test.new")) }},
	}
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "tools.json")
			w.before(dir, path)
			r := run(t, "--manifest", path, "--mode", "oneshot", "--", "cat")
			if strings.Contains(r.getPath("/a2a/tools").body, "test.new") {
				t.Fatal("it is there already")
			}
			begin := time.Now()
			w.change(dir, path)
			await.True(r.t, "the change is seen", func() bool { return strings.Contains(r.getPath("/a2a/tools").body, "test.new") })
			t.Logf("seen after %v", time.Since(begin).Round(time.Millisecond))
			if !strings.Contains(r.getPath("/.well-known/agent.json").body, "test.new") {
				t.Error("the card does not have it")
			}
		})
	}
	t.Run("directory comes later", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "later", "still")
		path := filepath.Join(dir, "tools.json")
		r := run(t, "--manifest", path, "--mode", "oneshot", "--", "cat")
		if got := r.getPath("/a2a/tools").body; got != "[]" {
			t.Fatalf("tools %s", got)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		writeFile(t, path, oneTool("test.new"))
		await.True(r.t, "the change is seen", func() bool { return strings.Contains(r.getPath("/a2a/tools").body, "test.new") })
		t.Logf("seen after %v", time.Since(begin).Round(time.Millisecond))
	})
}

// TestManifestNeverHalf rewrites the file 1,000 times under load, in place,
// the way that shows a half file if anything does.
func TestManifestNeverHalf(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tools.json")
	list := func(generation int) string {
		var tools []string
		for i := range 20 {
			tools = append(tools, fmt.Sprintf(`{"name":"test.t%d","description":"generation %d","inputSchema":{"type":"object"}}`, i, generation))
		}
		return "[" + strings.Join(tools, ",\n") + "]"
	}
	writeFile(t, path, list(0))
	r := run(t, "--manifest", path, "--mode", "oneshot", "--", "cat")
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	var reads atomic.Int64
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				res, err := http.Get(r.url + "/a2a/tools")
				if err != nil {
					t.Error(err)
					return
				}
				var got []struct{ Description string }
				err = json.NewDecoder(res.Body).Decode(&got)
				res.Body.Close()
				if err != nil || len(got) != 20 {
					t.Errorf("a list of %d: %v", len(got), err)
					return
				}
				for _, tool := range got {
					if tool.Description != got[0].Description {
						t.Errorf("a list of two generations: %v", got)
						return
					}
				}
				reads.Add(1)
			}
		})
	}
	for i := 1; i <= 1000; i++ {
		writeFile(t, path, list(i))
	}
	await.True(r.t, "the last is seen", func() bool { return strings.Contains(r.getPath("/a2a/tools").body, "generation 1000") })
	stop()
	readers.Wait()
	t.Logf("%d reads", reads.Load())
}

// TestManifestBroken: a broken file keeps the last good list and says where
// and how to mend it.
func TestManifestBroken(t *testing.T) {
	t.Parallel()
	path := writeManifest(t, oneTool("test.good"))
	r := run(t, "--manifest", path, "--mode", "oneshot", "--", "cat")
	etag := r.getPath("/a2a/tools").header.Get("ETag")
	writeFile(t, path, "[\n  {\"name\":\"arxiv_search\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}\n]")
	r.log.Says(t, `"line":2,"column":11`)
	r.log.Says(t, `write \"arxiv.search\"`)
	if got := r.getPath("/a2a/tools"); got.header.Get("ETag") != etag || !strings.Contains(got.body, "test.good") {
		t.Errorf("the last good list is gone: %s", got.body)
	}
	writeFile(t, path, oneTool("test.better"))
	await.True(r.t, "mended", func() bool { return strings.Contains(r.getPath("/a2a/tools").body, "test.better") })
}

func TestToolsETag(t *testing.T) {
	t.Parallel()
	r := run(t, "--manifest", writeManifest(t, tools), "--mode", "oneshot", "--", "cat")
	got := r.getPath("/a2a/tools")
	if !strings.HasPrefix(got.header.Get("ETag"), `"sha256:`) || strings.Contains(got.body, "x-sidecar") {
		t.Errorf("%v %s", got.header, got.body)
	}
	req, _ := http.NewRequest(http.MethodGet, r.url+"/a2a/tools", nil)
	req.Header.Set("If-None-Match", got.header.Get("ETag"))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotModified {
		t.Errorf("status %d", res.StatusCode)
	}
}
