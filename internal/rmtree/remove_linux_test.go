package rmtree_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/rmtree"
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

// TestRemoveNeverCrossesAMount binds a directory of the same file system,
// which a device number does not tell, into the tree, and one in its place.
func TestRemoveNeverCrossesAMount(t *testing.T) {
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
		if err := rmtree.Remove(tree); err == nil {
			t.Error("the mount was removed, or not told")
		}
		if err := rmtree.Remove(filepath.Join(base, "whole")); err == nil {
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

// TestRemoveOfAnyDepth has a tree that is deeper than there are descriptors,
// with something in it that stays: neither it, nor the rest, nor what is said of it
// may cost by its depth.
func TestRemoveOfAnyDepth(t *testing.T) {
	const depth = 3000
	base := t.TempDir()
	tree := filepath.Join(base, "tree")
	if err := os.MkdirAll(filepath.Join(tree, "aside", "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	dig(t, tree, depth)
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 200
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &was)
	if err := rmtree.Remove(tree); err != nil {
		t.Errorf("%.300v", err)
	}
	if _, err := os.Lstat(tree); !os.IsNotExist(err) {
		t.Errorf("the tree is still there: %v", err)
	}
}

// TestRemoveSaysLittleOfADeepFault mounts something at the bottom of a deep tree.
func TestRemoveSaysLittleOfADeepFault(t *testing.T) {
	tree := filepath.Join(t.TempDir(), "tree")
	aside := filepath.Join(tree, "aside", "deep")
	if err := os.MkdirAll(aside, 0o700); err != nil {
		t.Fatal(err)
	}
	apart(t, func() {
		bottom := dig(t, tree, 300)
		if err := unix.Mount("none", bottom, "tmpfs", 0, ""); err != nil {
			t.Error(err)
			return
		}
		err := rmtree.Remove(tree)
		if err == nil || len(err.Error()) > 300 {
			t.Errorf("%v", err)
		}
	})
	if _, err := os.Lstat(filepath.Dir(aside)); !os.IsNotExist(err) {
		t.Errorf("the rest stayed: %v", err)
	}
	if err := rmtree.Remove(tree); err != nil {
		t.Error(err)
	}
}

// TestRemoveWithoutAWayBack has a directory that may be read and not searched:
// it stays, and the rest goes.
func TestRemoveWithoutAWayBack(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may search every directory")
	}
	tree := filepath.Join(t.TempDir(), "tree")
	for _, dir := range []string{"a/b", "closed/in", "z/b"} {
		if err := os.MkdirAll(filepath.Join(tree, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	closed := filepath.Join(tree, "closed")
	if err := os.Chmod(closed, 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700)
	if err := rmtree.Remove(tree); err == nil {
		t.Error("what could not be removed was not told")
	}
	for _, gone := range []string{"a", "z"} {
		if _, err := os.Lstat(filepath.Join(tree, gone)); !os.IsNotExist(err) {
			t.Errorf("%s stayed: %v", gone, err)
		}
	}
}

// dig makes directories in one another, and returns the path of the last.
func dig(t *testing.T, in string, depth int) string {
	t.Helper()
	at, err := unix.Open(in, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for range depth {
		if err == nil {
			err = unix.Mkdirat(at, "d", 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
		var inner int
		inner, err = unix.Openat(at, "d", unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		_ = unix.Close(at)
		at = inner
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(at)
	return filepath.Join(in, strings.Repeat("d/", depth))
}
