package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// gone is the pid of a process that was, and is no more.
func gone(t *testing.T) int {
	t.Helper()
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return p.Pid
}

// A group that was just made, and whose process is still to come, is not swept: not here, and not by
// another process in another pid namespace. What the dead of our own left is swept at once.
func TestSweep(t *testing.T) {
	const ours, others = 7, 8
	parent, dead := t.TempDir(), gone(t)
	past := time.Now().Add(-groupAge - time.Second)
	recent := time.Now().Add(-groupAge + 10*time.Second)
	stays := map[string]bool{}
	for _, c := range []struct {
		name  string
		made  time.Time
		full  bool
		stays bool
	}{
		{groupName(os.Getpid(), ours, "new"), recent, false, true},
		{groupName(os.Getpid(), ours, "old"), past, false, false},
		{groupName(os.Getpid(), ours, "busy"), past, true, true},
		{groupName(dead, ours, "new"), recent, false, false},
		{groupName(dead, ours, "busy"), recent, true, true},
		{groupName(dead, others, "new"), recent, false, true},
		{groupName(dead, others, "old"), past, false, false},
		{groupPrefix + "other", recent, false, true},
		{fmt.Sprintf("foreign-%d-%d-x", dead, ours), past, false, true},
	} {
		dir := filepath.Join(parent, c.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if c.full {
			if err := os.Mkdir(filepath.Join(dir, "busy"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, c.made, c.made); err != nil {
			t.Fatal(err)
		}
		stays[dir] = c.stays
	}
	sweepGroups(parent, ours)
	for dir, want := range stays {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s stays %t, want %t", filepath.Base(dir), err == nil, want)
		}
	}
}

// A group in which something runs on after its program has gone is forgotten by a later start: a
// program that is started for years does not gather them.
func TestGroupsThatEndLaterAreForgotten(t *testing.T) {
	parent := t.TempDir()
	full := func(name string) *group {
		g := &group{dir: filepath.Join(parent, name)}
		if err := os.MkdirAll(g.file("process"), 0o700); err != nil {
			t.Fatal(err)
		}
		return g
	}
	var all groups
	first, second := &os.Process{Pid: 1}, &os.Process{Pid: 2}
	all.add(first, full("first"))
	all.add(second, full("second"))
	all.ended(first)
	if len(all.of) != 2 {
		t.Fatalf("%d groups are known, and something runs in 2", len(all.of))
	}
	if err := os.Remove(all.of[first].file("process")); err != nil {
		t.Fatal(err)
	}
	all.add(&os.Process{Pid: 3}, full("third"))
	if all.of[first] != nil || all.of[second] == nil || len(all.of) != 2 {
		t.Errorf("these are known: %v", all.of)
	}
}
