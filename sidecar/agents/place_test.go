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
type place struct{ home, work, tmp, run string }

func newPlace(t *testing.T, a agent, model string) place {
	t.Helper()
	dir, err := os.MkdirTemp("", "a") // short: a socket's path must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := place{filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(dir, "tmp"), filepath.Join(dir, "run")}
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

// left lists what is below TMPDIR, the files and sockets in the runtime
// directory (claude leaves empty folders there), and what is in /tmp now and was
// not before, but for what two agents are known to put there whatever TMPDIR
// says.
func (p place) left(before []string) []string {
	var left []string
	for _, dir := range []string{p.tmp, p.run} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && path != dir && !(d.IsDir() && dir == p.run) {
				left = append(left, path)
			}
			return nil
		})
	}
	for _, name := range listTmp() {
		if !slices.Contains(before, name) && !strings.HasPrefix(name, "claude-") && !strings.HasPrefix(name, "codex-") {
			left = append(left, "/tmp/"+name)
		}
	}
	return left
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

// marked lists the processes that have mark in their environment, however they
// got away, as pid and command line.
func marked(mark string) []string {
	var found []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(env, []byte(mark+"\x00")) {
			continue
		}
		pid := filepath.Base(filepath.Dir(path))
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, pid+" "+strings.ReplaceAll(string(line), "\x00", " "))
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
