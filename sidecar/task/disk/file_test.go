package disk_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// TestLock: a directory has one store at a time. Who comes second waits a
// second, and is told whose it is.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := mustOpen(t, disk.Options{Dir: dir})
	begin := time.Now()
	_, err := disk.Open(disk.Options{Dir: dir})
	if !errors.Is(err, disk.ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Fatalf("the second store: %v", err)
	}
	if waited := time.Since(begin); waited < 900*time.Millisecond || waited > time.Minute {
		t.Errorf("it waited %v", waited)
	}
	opened := make(chan error, 1)
	go func() {
		second, err := disk.Open(disk.Options{Dir: dir})
		if err == nil {
			err = second.Close()
		}
		opened <- err
	}()
	mustClose(t, first)
	if err := <-opened; err != nil {
		t.Errorf("the second store, when the first lets go: %v", err)
	}
}

// TestFileLockedByOthers: by a tool that looks into it, say.
func TestFileLockedByOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustClose(t, mustOpen(t, disk.Options{Dir: dir}))
	db, err := bbolt.Open(dbFile(dir), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := disk.Open(disk.Options{Dir: dir}); !errors.Is(err, disk.ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("open: %v", err)
	}
}

// TestBadFiles: a file that is not a whole one of ours is an error that names
// it and what to do, and stays as it was.
func TestBadFiles(t *testing.T) {
	good := t.TempDir()
	s := mustOpen(t, disk.Options{Dir: good})
	var c task.Commit
	for i := range 300 {
		c = s.Append(t.Context(), &task.Change{TaskID: name(i), Head: head(name(i), uint64(i), a2a.StateCompleted), Event: chunk(name(i), 1, strings.Repeat("x", 3000))})
	}
	mustWait(t, c)
	mustClose(t, s)
	whole, err := os.ReadFile(dbFile(good))
	if err != nil {
		t.Fatal(err)
	}
	foreign := func(edit func(*bbolt.Tx) error) []byte {
		path := filepath.Join(t.TempDir(), "x")
		db, err := bbolt.Open(path, 0o600, nil)
		if err == nil {
			err = errors.Join(db.Update(edit), db.Close())
		}
		data, readErr := os.ReadFile(path)
		if err := errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		return data
	}
	version := func(v string) []byte {
		return foreign(func(tx *bbolt.Tx) error {
			b, err := tx.CreateBucket([]byte("meta"))
			if err != nil {
				return err
			}
			return b.Put([]byte("format"), []byte(v))
		})
	}
	for name, bad := range map[string]struct {
		content []byte
		want    error
	}{
		"empty":        {nil, disk.ErrDamaged},
		"text":         {[]byte("hello\n"), disk.ErrDamaged},
		"long text":    {bytes.Repeat([]byte("hello\n"), 10_000), disk.ErrDamaged},
		"zeros":        {make([]byte, 1<<20), disk.ErrDamaged},
		"cut":          {whole[:len(whole)/2], disk.ErrDamaged},
		"cut short":    {whole[:100], disk.ErrDamaged},
		"no data":      {slices.Concat(whole[:8192], bytes.Repeat([]byte{0xa5}, len(whole)-8192)), disk.ErrDamaged},
		"of others":    {foreign(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err }), disk.ErrDamaged},
		"bad format":   {version("x"), disk.ErrDamaged},
		"no buckets":   {version("1"), disk.ErrDamaged},
		"newer format": {version("3"), disk.ErrNewer},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(dbFile(dir), bad.content, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := disk.Open(disk.Options{Dir: dir})
			if err == nil {
				s.Close()
			}
			if !errors.Is(err, bad.want) || !strings.Contains(err.Error(), dbFile(dir)) || !strings.Contains(err.Error(), "move") {
				t.Errorf("error: %v", err)
			}
			if now, err := os.ReadFile(dbFile(dir)); err != nil || !bytes.Equal(now, bad.content) {
				t.Errorf("the file is not what it was (%d bytes of %d, %v)", len(now), len(bad.content), err)
			}
		})
	}
	t.Run("half made", func(t *testing.T) { // by a process that was killed: nothing is lost with it
		dir := t.TempDir()
		if err := os.WriteFile(dbFile(dir)+".new", whole[:5000], 0o600); err != nil {
			t.Fatal(err)
		}
		mustOpen(t, disk.Options{Dir: dir})
	})
}

// TestReadOnlyDirectory cannot have a store.
func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	if os.Getuid() == 0 { // whom permissions do not stop
		mount(t, dir, "tmpfs", "ro")
	} else if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, filepath.Join(dir, "below")} {
		if _, err := disk.Open(disk.Options{Dir: dir}); !errors.Is(err, disk.ErrUnwritable) || !strings.Contains(err.Error(), dir) {
			t.Errorf("store in a read-only directory: %v", err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Open(disk.Options{Dir: file}); !errors.Is(err, disk.ErrUnwritable) {
		t.Errorf("store in a file: %v", err)
	}
}

// mount puts a file system at dir for the test, which needs root.
func mount(t testing.TB, dir, kind, options string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", kind, "-o", options, kind, dir).CombinedOutput(); err != nil {
		t.Skipf("needs to be root and to mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}

// TestFullFileSystem is TestFullDisk on a real one, from its very start on.
func TestFullFileSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mount(t, dir, "tmpfs", "size=2m")
	ballast := filepath.Join(dir, "ballast")
	s := mustOpen(t, disk.Options{Dir: filepath.Join(dir, "state")})
	n := fill(t, s, "a")
	if err := s.Err(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the fault is %v", err)
	}
	mustRemount(t, dir, "size=16m")
	await.True(t, "the store has recovered", func() bool { return s.Err() == nil })
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 2, a2a.StateCompleted)}))
	mustClose(t, s)
	s = mustOpen(t, disk.Options{Dir: filepath.Join(dir, "state")})
	if got := load(t, s, "a"); len(got.text(t)) != int(n)*1000 {
		t.Errorf("%d bytes of %d chunks are there", len(got.text(t)), n)
	}
	mustClose(t, s)

	if err := os.WriteFile(ballast, make([]byte, 16<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the file system is not full: %v", err)
	}
	if _, err := disk.Open(disk.Options{Dir: filepath.Join(dir, "other")}); !errors.Is(err, disk.ErrUnwritable) {
		t.Errorf("a new store on a full disk: %v", err)
	}
	s = mustOpen(t, disk.Options{Dir: filepath.Join(dir, "state")}) // what is there can be read
	if got := load(t, s, "a"); len(got.text(t)) != int(n)*1000 {
		t.Errorf("%d bytes of %d chunks are there", len(got.text(t)), n)
	}
	mustClose(t, s)
}

func mustRemount(t testing.TB, dir, options string) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,"+options, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestCompact: a file that is mostly empty is written anew at the start, and
// what is in it stays.
func TestCompact(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, disk.Options{Dir: dir})
	write := func(id string, chunks int) {
		c := s.Append(t.Context(), &task.Change{TaskID: id, Head: head(id, 1, a2a.StateWorking), Messages: []*a2a.Message{message(id, "hi")}})
		for i := range chunks {
			c = s.Append(t.Context(), &task.Change{TaskID: id, Event: chunk(id, uint64(i+1), strings.Repeat("x", 60_000))})
		}
		mustWait(t, c)
	}
	write("small", 20)
	write("large", 400)
	mustClose(t, s)
	large := fileSize(t, dir)

	s = mustOpen(t, disk.Options{Dir: dir})
	if size := fileSize(t, dir); size != large {
		t.Errorf("a full file was compacted: %d bytes of %d", size, large)
	}
	s.Forget("large")
	await.True(t, "the rows are cleared away", func() bool { return disk.Rows(s) == 21 })
	mustClose(t, s)

	var log await.Log
	s = mustOpen(t, disk.Options{Dir: dir, Log: log.Logger()})
	if size := fileSize(t, dir); size > 4<<20 {
		t.Errorf("%d bytes for one of %d", size, 20*60_000)
	}
	if got := load(t, s, "small"); len(got.text(t)) != 20*60_000 || len(got.History) != 1 {
		t.Errorf("%d bytes are left, %d messages", len(got.text(t)), len(got.History))
	}
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "small", Event: chunk("small", 21, "x"), Messages: []*a2a.Message{message("small", "more")}}))
	if got := load(t, s, "small"); len(got.events) != 21 || len(got.History) != 2 || got.History[1].ID != "m-more" {
		t.Errorf("%d events and messages %v", len(got.events), got.History)
	}
	if _, err := os.Stat(dbFile(dir) + ".new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file in the making is left: %v", err)
	}
}
