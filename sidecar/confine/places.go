package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

// prepare makes the directory that a tool may write, if its pattern says that it is one and it
// does not exist.
func (k *Keeper) prepare(p capability.Path) error {
	rel := rootOf(p).Path
	if p.Glob == "" || rel == "." {
		return nil
	}
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(rel); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := root.MkdirAll(rel, 0o755); err != nil {
		return err
	}
	if k.o.User == nil {
		return nil
	}
	return root.Lchown(rel, int(k.o.User.UID), int(k.o.User.GID))
}

// Exposed says which of the sidecar's own files a tool could write, "" for none.
func (k *Keeper) Exposed(set *capability.Set) string { return k.exposed(set.Write.Expanded) }

// exposed is Exposed for some paths.
func (k *Keeper) exposed(writes []capability.Path) string {
	for _, p := range writes {
		for _, own := range k.private {
			if below.Is(own.Path, p.Root) || below.Is(p.Root, own.Path) {
				return fmt.Sprintf("it can write what is the sidecar's own, %s, by %s: move it with %s", own.Path, p.Root, own.Setting)
			}
		}
	}
	return ""
}

// readsHome reports whether the program may read its home directory.
func (k *Keeper) readsHome(c *Call) bool {
	home, ok := variable(c.Env, "HOME")
	if !ok {
		return true
	}
	for _, paths := range []capability.Paths{c.Set.Read, c.Set.Write} {
		for _, p := range paths.Expanded {
			if below.Is(filepath.Clean(home), p.Root) {
				return true
			}
		}
	}
	return false
}
