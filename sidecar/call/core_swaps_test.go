package call_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// swapped has a directory "dir" of the workspace, with a file f, swapped for a link to one that is outside, again
// and again, until stop is called: it returns how often it was. secret is in f outside, and only is a file that is only there.
func (b *bar) swapped(secret, only string) (outside string, stop func() int) {
	b.t.Helper()
	outside = b.t.TempDir()
	if err := errors.Join(os.WriteFile(outside+"/f", []byte(secret), 0o644), os.WriteFile(outside+"/"+only, nil, 0o644), os.Symlink(outside, b.dir+"/out")); err != nil {
		b.t.Fatal(err)
	}
	b.put("dir/f", "public")
	ended, times := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { times <- n }()
		for {
			select {
			case <-ended:
				return
			default:
				at := func(name string) string { return filepath.Join(b.dir, name) }
				_ = errors.Join(os.Rename(at("dir"), at("was")), os.Rename(at("out"), at("dir")), os.Rename(at("dir"), at("out")), os.Rename(at("was"), at("dir")))
				n++
			}
		}
	}()
	return outside, func() int {
		close(ended)
		return <-times
	}
}

// A directory is swapped for a link, again and again, while tools use what is in it.
func TestFileToolsUnderSwaps(t *testing.T) {
	b := newCore(t, allowAll)
	outside, stop := b.swapped("TOP secret", "only-there")
	for i := range 100 {
		for id, named := range map[string]map[string]any{
			"read": {"file_path": "dir/f"}, "write": {"file_path": "dir/f", "content": fmt.Sprint("public", i)}, "edit": {"file_path": "dir/f", "old_string": "public", "new_string": "PUBLIC"},
			"apply_patch": {"patch": patchOf("dir/f", fmt.Sprint("public", i), "mine") + fmt.Sprintf("--- /dev/null\n+++ b/dir/%d\n@@ -0,0 +1 @@\n+public\n", i)},
			"glob":        {"pattern": "**", "path": "dir"}, "grep": {"pattern": "TOP|public", "path": "dir", "output_mode": "content"},
		} {
			if got, _ := b.file("ann", "", id, named); strings.Contains(got, "TOP s") || strings.Contains(got, "only-there") {
				t.Fatalf("%s: %q", id, got)
			}
		}
		if got, _ := b.file("ann", "", "glob", map[string]any{"pattern": "dir/**"}); strings.Contains(got, "only-there") {
			t.Fatalf("glob of all: %q", got)
		}
	}
	if n := stop(); n == 0 {
		t.Error("nothing was swapped")
	}
	if got, err := os.ReadFile(outside + "/f"); err != nil || string(got) != "TOP secret" {
		t.Errorf("outside has %q %v", got, err)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 2 {
		t.Errorf("outside there is %v", entries)
	}
}
