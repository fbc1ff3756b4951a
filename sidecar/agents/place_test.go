package agents_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// needAgents skips the test where the agents are not installed, and where they
// would see a network: some look up hosts whatever their switches say.
func needAgents(t *testing.T) {
	t.Helper()
	if os.Getenv("SIDECAR_AGENTS_DIR") == "" || os.Getenv("SIDECAR_BIN") == "" {
		t.Skip("the real agents are driven by .ci/agents, which installs them")
	}
	all, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback == 0 {
			t.Fatalf("there is a network (%s): .ci/agents runs the agents where there is none", i.Name)
		}
	}
}

// place is where one agent lives.
type place struct {
	home, work, tmp, run string
	excused              map[string]bool // paths that what was killed has left
}

func newPlace(t *testing.T, a agent, model string) place {
	t.Helper()
	dir, err := os.MkdirTemp("", "a") // short: a socket's path must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := place{filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(dir, "tmp"), filepath.Join(dir, "run"), map[string]bool{}}
	for _, d := range []string{p.home, p.work, p.tmp, p.run} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range a.files(p, model) {
		path := filepath.Join(p.home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// environ is all that the sidecar and its agent get.
func (p place) environ(a agent, model string) []string {
	return append(a.env(model), "HOME="+p.home, "TMPDIR="+p.tmp, "XDG_RUNTIME_DIR="+p.run, "PATH="+os.Getenv("PATH"), "LANG=C.UTF-8", "USER=agent", "SHELL=/bin/bash")
}

// presence is what there was before a sidecar started.
type presence struct {
	processes map[string]string
	tmp       []string
}

func present() presence { return presence{processes(), listTmp()} }

// left lists the processes that were not there before, what is below TMPDIR, the files and sockets in the runtime
// directory (claude leaves empty folders there), and what is in /tmp now and was
// not before, but for what two agents are known to put there whatever TMPDIR
// says.
func (p place) left(before presence) []string {
	var left []string
	for pid, line := range processes() {
		if _, old := before.processes[pid]; !old {
			left = append(left, "process "+pid+": "+line)
		}
	}
	for _, dir := range []string{p.tmp, p.run} {
		if dir == "" {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && path != dir && !(d.IsDir() && dir == p.run) && !p.excused[path] {
				left = append(left, path)
			}
			return nil
		})
	}
	for _, name := range listTmp() {
		if !slices.Contains(before.tmp, name) && !strings.HasPrefix(name, "claude-") && !strings.HasPrefix(name, "codex-") {
			left = append(left, "/tmp/"+name)
		}
	}
	return left
}

// excuse excuses what is there now of a program that had no chance to tidy up; own is the beginning of the names of
// what somebody who lives on will.
func (p place) excuse(own string) {
	for _, dir := range []string{p.tmp, p.run} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && own != "" && strings.HasPrefix(d.Name(), own) {
				return filepath.SkipDir
			}
			p.excused[path] = true
			return nil
		})
	}
}

func listTmp() []string {
	entries, err := os.ReadDir("/tmp")
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// processes are all that there are but zombies: pid to command line. .ci/agents
// gives the tests a process namespace of their own.
func processes() map[string]string {
	found := map[string]string{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" Z")) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found[filepath.Base(filepath.Dir(path))] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	return found
}

// resident is the memory of a process in KiB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib
}
