package changes_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// deadly keeps a change, and then the process is killed.
type deadly struct{ j *changes.Journal }

func (d deadly) Limit() int64 { return d.j.Limit() }

func (d deadly) Record(c *files.Change) (func(), error) {
	f := &changes.File{Path: c.Path, Before: c.Before.FileState, After: c.After.FileState, Old: c.Before.Bytes, New: c.After.Bytes}
	if _, err := d.j.Record(by("t"), f); err != nil {
		return nil, err
	}
	return nil, syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// killed changes a file, and is killed between the record and the rename.
func killed(dir string) {
	j, err := changes.Open(changes.Options{Dir: dir + "/changes", Total: 1 << 20, File: 1 << 20})
	if err != nil {
		panic(err)
	}
	f, err := files.New(files.Options{Roots: []string{dir}, Dir: dir, Reads: []string{dir + "/a"}, Writes: []string{dir + "/a"}, Journal: deadly{j}})
	if err != nil {
		panic(err)
	}
	err = f.Run(func(all tool.FS) {
		info, err := all.Stat("a")
		if err != nil {
			panic(err)
		}
		fmt.Println(all.Replace("a", []byte("new"), info))
	})
	panic(err)
}

func TestKilledBeforeTheChange(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.WriteFile(dir+"/a", []byte("old"), 0o644)
	}
	self, exeErr := os.Executable()
	if err := errors.Join(err, exeErr); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "TEST_KILLED_IN="+dir)
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%v: %s", err, said)
	}
	if now, err := os.ReadFile(dir + "/a"); err != nil || string(now) != "old" {
		t.Errorf("%q %v", now, err)
	}
	j := open(t, changes.Options{Dir: dir + "/changes"})
	if got := listed(j, changes.Query{}); !slices.Equal(got, []string{"t changed a +1-1"}) {
		t.Error(got)
	}
	if s := step(t, j, changes.Query{Task: "t"}, dir+"/a", "old"); !s.Same {
		t.Errorf("%+v", s)
	}
	// What came after the kill is taken back all the same.
	record(t, j, by("t"), change(dir+"/a", "old", "newer"))
	if s := step(t, j, changes.Query{Task: "t"}, dir+"/a", "newer"); string(s.Content) != "old" {
		t.Errorf("%+v", s)
	}
}
