package rmtree_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/rmtree"
)

func TestRemoveTakesEverythingAndFollowsNothing(t *testing.T) {
	base := t.TempDir()
	other := filepath.Join(base, "other")
	tree := filepath.Join(base, "tree")
	for _, dir := range []string{other, filepath.Join(tree, "a/b/c"), filepath.Join(tree, "many")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(other, "kept")
	if err := os.WriteFile(kept, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 3000 { // more than a piece
		if err := os.Symlink(other, filepath.Join(tree, "many", fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if err := rmtree.Remove(tree); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(tree); !os.IsNotExist(err) {
		t.Errorf("the tree is still there: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("what a link led to: %v", err)
	}
	if err := rmtree.Remove(tree); err != nil {
		t.Errorf("nothing to remove: %v", err)
	}
	link := filepath.Join(base, "link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if err := rmtree.Remove(link); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("what the link led to: %v", err)
	}
}
