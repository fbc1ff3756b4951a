package task_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// nothing is private.
func nothing(string) bool { return false }

// openOutbox makes a directory with so many entries of no use.
func openOutbox(t testing.TB, entries int) *os.File {
	t.Helper()
	dir := t.TempDir()
	for i := range entries {
		if err := os.Symlink("nowhere", filepath.Join(dir, fmt.Sprintf("%07d", i))); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenFile(dir, task.OutboxFlags, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestOutboxOfManyFilesIsReadInPieces(t *testing.T) {
	const most = 2 << 20
	root := openOutbox(t, 30_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, skipped := task.ReadOutbox(root, nothing)
	runtime.ReadMemStats(&after)
	if len(found) != 0 || skipped == 0 {
		t.Errorf("%d files found, %d skipped", len(found), skipped)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("reading an outbox of 30,000 entries took %d bytes, at most %d are enough", took, most)
	}
}

func TestOutboxIsReadInTheOrderOfNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"c/2", "c/1", "b", "a/x/y", "d"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	deep := filepath.Join(dir, "e/1/2/3/4/5/6/7/8/9")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "late"), []byte("too deep"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, skipped := readOutbox(t, dir)
	var names []string
	for _, f := range found {
		names = append(names, f.Name)
		if f.Part.Text != f.Name {
			t.Errorf("%s holds %q", f.Name, f.Part.Text)
		}
	}
	if got, want := fmt.Sprint(names), "[a/x/y b c/1 c/2 d]"; got != want || skipped != 1 {
		t.Errorf("found %s, skipped %d; want %s and 1", got, skipped, want)
	}
}

// Of more files than are taken the first by name are, and the others are counted.
func TestOutboxTakesAHundredFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range 103 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, skipped := readOutbox(t, dir)
	if len(found) != 100 || skipped != 3 || found[99].Name != "099" {
		t.Errorf("%d found, %d skipped", len(found), skipped)
	}
}

// A name says nothing to a terminal, nor hides anything from who reads it.
func TestOutboxNamesAreFitToBeShown(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a\x1b]0;x\a\u202eb.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenFile(dir, task.OutboxFlags, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	found, _ := task.ReadOutbox(root, nothing)
	if len(found) != 1 || found[0].Name != "a_]0;x__b.txt" || found[0].Part.Filename != found[0].Name {
		t.Errorf("%+v", found)
	}
}

// TestOutboxWhoseDirectoriesBecomePipes: what a process that stays swaps a directory
// for between two looks must not hold the reader.
func TestOutboxWhoseDirectoriesBecomePipes(t *testing.T) {
	const names = 60
	dir := t.TempDir()
	inside, aside := filepath.Join(dir, "in"), filepath.Join(dir, "aside")
	for i := range names {
		if err := os.MkdirAll(filepath.Join(inside, fmt.Sprint(i)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(aside, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(aside, fmt.Sprint(i)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stop, swapped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for held := filepath.Join(dir, "held"); ; {
			for i := range names {
				in, out := filepath.Join(inside, fmt.Sprint(i)), filepath.Join(aside, fmt.Sprint(i))
				_, _, _ = os.Rename(in, held), os.Rename(out, in), os.Rename(held, out)
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		for range 300 {
			dir, err := os.OpenFile(inside, task.OutboxFlags, 0)
			if err != nil {
				t.Error(err)
				return
			}
			task.ReadOutbox(dir, nothing)
			dir.Close()
		}
	}()
	select {
	case <-read:
	case <-time.After(20 * time.Second):
		t.Error("the reader hangs")
	}
	close(stop)
	<-swapped
	for i := range names { // who hangs goes on
		for _, at := range []string{inside, aside} {
			if f, err := os.OpenFile(filepath.Join(at, fmt.Sprint(i)), os.O_RDWR|syscall.O_NONBLOCK, 0); err == nil {
				f.Close()
			}
		}
	}
}

func readOutbox(t *testing.T, dir string) (found []task.Left, skipped int) {
	t.Helper()
	root, err := os.OpenFile(dir, task.OutboxFlags, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	return task.ReadOutbox(root, nothing)
}
