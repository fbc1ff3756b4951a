package proc_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
)

// apart runs do on a thread with mounts of its own, which end with it.
func apart(t *testing.T, do func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked
		err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS)
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
		}
		if err == nil {
			do()
		}
		done <- err
	}()
	if err := <-done; errors.Is(err, unix.EPERM) {
		t.Skip("mounts need a privilege")
	} else if err != nil {
		t.Fatal(err)
	}
}

// TestRemoveTreeNeverCrossesAMount binds a directory of the same file system,
// which a device number does not tell, into the tree, and one in its place.
func TestRemoveTreeNeverCrossesAMount(t *testing.T) {
	base := t.TempDir()
	precious, tree := filepath.Join(base, "precious"), filepath.Join(base, "tree")
	kept := filepath.Join(precious, "deep", "kept")
	for _, dir := range []string{filepath.Dir(kept), filepath.Join(tree, "z", "mounted"), filepath.Join(base, "whole")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{kept, filepath.Join(tree, "a"), filepath.Join(tree, "z", "b")} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	apart(t, func() {
		for _, at := range []string{filepath.Join(tree, "z", "mounted"), filepath.Join(base, "whole")} {
			if err := unix.Mount(precious, at, "", unix.MS_BIND, ""); err != nil {
				t.Error(err)
				return
			}
		}
		if err := proc.RemoveTree(tree); err == nil {
			t.Error("the mount was removed, or not told")
		}
		if err := proc.RemoveTree(filepath.Join(base, "whole")); err == nil {
			t.Error("the mount in the tree's place was removed, or not told")
		}
	})
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("what was mounted has been emptied: %v", err)
	}
	for _, gone := range []string{filepath.Join(tree, "a"), filepath.Join(tree, "z", "b")} {
		if _, err := os.Lstat(gone); !os.IsNotExist(err) {
			t.Errorf("%s stayed: %v", gone, err)
		}
	}
}
