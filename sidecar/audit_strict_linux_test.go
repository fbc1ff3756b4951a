package sidecar_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// strictTool notes each call in a file.
const strictTool = `[{"name":"test.note","description":"notes","inputSchema":{"type":"object"},"x-sidecar":{"effects":"write",
	"bridge":{"exec":{"command":["sh","-c","echo ran >> notes"],"output":"text"}},"requires":{"fs":{"write":["{workspace}"]}}}}]`

// strict is what --sandbox required takes: a workspace of the agent's user, and the rest of ours.
type strict struct {
	t           *testing.T
	ws, ours    string
	audit, file string
	args        []string
}

func newStrict(t *testing.T) *strict {
	t.Helper()
	confined(t)
	if os.Geteuid() != 0 {
		t.Skip("the agent needs a user of its own")
	}
	ws, err := os.MkdirTemp("", "strict")
	sure(t, err)
	t.Cleanup(func() { os.RemoveAll(ws) })
	give(t, ws)
	s := &strict{t: t, ws: ws, ours: t.TempDir()}
	s.audit = filepath.Join(s.ours, "audit")
	s.file = filepath.Join(s.audit, "audit.ndjson")
	sure(t, os.Mkdir(s.audit, 0o700))
	manifest := filepath.Join(s.ours, "tools.json")
	writeFile(t, manifest, strictTool)
	s.args = []string{"--mode", "oneshot", "--user", fmt.Sprint(beltUser), "--workspace", ws, "--manifest", manifest, "--audit", s.file}
	return s
}

// starts starts a sidecar with a sandbox or without, and more arguments.
func (s *strict) starts(sandbox string, more ...string) *running {
	s.t.Helper()
	return run(s.t, append(append(append(s.args, "--sandbox", sandbox), more...), "--", "cat")...)
}

// refuses checks that a sidecar does not start, and says why.
func (s *strict) refuses(what, says string, more ...string) {
	s.t.Helper()
	args := append([]string{"run", "--port", "0", "--sandbox", "required"}, s.args...)
	out, err := sidecarCommand(append(append(args, more...), "--", "cat")...).CombinedOutput()
	if err == nil || !strings.Contains(string(out), says) {
		s.t.Errorf("%s: %v, %s, want %q", what, err, out, says)
	}
	s.t.Logf("| %s | %s |", what, strings.TrimSpace(string(out)[strings.LastIndexByte(strings.TrimSpace(string(out)), '\n')+1:]))
}

// ran counts how often the tool has run.
func (s *strict) ran() int {
	notes, err := os.ReadFile(filepath.Join(s.ws, "notes"))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return strings.Count(string(notes), "ran")
}

// calls calls the tool, which must be answered with a status, and run only if that is 200.
func (s *strict) calls(r *running, what string, status int, says string) {
	s.t.Helper()
	before := s.ran()
	got := r.do(http.MethodPost, "/a2a/tools/test.note", "application/json", "{}")
	if got.status != status || !strings.Contains(got.body, says) {
		s.t.Errorf("%s: %d %s, want %d %q", what, got.status, got.body, status, says)
	}
	if ran := s.ran() - before; ran != map[bool]int{true: 1}[status == 200] {
		s.t.Errorf("%s: the tool ran %d times", what, ran)
	}
	s.t.Logf("| %s | %d | %s |", what, got.status, got.body)
}

// small makes the audit's directory a file system of 1 MiB, and returns what fills it and what
// makes place again.
func (s *strict) small() (fill, free func()) {
	t := s.t
	t.Helper()
	if err := unix.Mount("tmpfs", s.audit, "tmpfs", 0, "size=1m,mode=700"); err != nil {
		t.Skip("nothing can be mounted here:", err)
	}
	t.Cleanup(func() { sure(t, unix.Unmount(s.audit, unix.MNT_DETACH)) })
	filler := filepath.Join(s.audit, "filler")
	return func() {
		f, err := os.OpenFile(filler, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		sure(t, err)
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		sure(t, f.Close())
	}, func() { sure(t, os.Remove(filler)) }
}

const notRecorded = "because the audit cannot record it"

// With --sandbox required no call is executed that cannot be recorded, and the caller is told
// why; when there is place again, calls go on, and the chain is whole.
func TestStrictAuditOnAFullDisk(t *testing.T) {
	s := newStrict(t)
	fill, free := s.small()
	r := s.starts("required")
	s.calls(r, "there is place", 200, "final")
	fill()
	denied := 0
	for range 200 { // the last page of the file has some place left
		if got := r.do(http.MethodPost, "/a2a/tools/test.note", "application/json", "{}"); got.status != 200 {
			denied = got.status
			break
		}
	}
	if denied != 403 {
		t.Fatalf("calls on a full disk: %d", denied)
	}
	s.calls(r, "the disk is full", 403, notRecorded)
	s.calls(r, "the disk is full", 403, "no space left")
	free()
	s.calls(r, "there is place again", 200, "final")
	r.stop()
	if out, err := sidecarCommand("audit", "verify", s.file).CombinedOutput(); err != nil || !strings.Contains(string(out), "whole, ") {
		t.Errorf("verify: %v, %s", err, out)
	}
}

// A start on a full disk is refused if the audit must be.
func TestStrictAuditThatCannotBegin(t *testing.T) {
	s := newStrict(t)
	for what, c := range map[string]struct{ file, says string }{
		"a directory":         {s.audit, s.audit},
		"no regular file":     {"/dev/full", "/dev/full"},
		"below a file":        {filepath.Join(s.ours, "tools.json", "audit.ndjson"), "not a directory"},
		"the agent's own one": {filepath.Join(s.ws, "audit.ndjson"), s.ws},
	} {
		s.refuses(what, c.says, "--audit", c.file)
	}
	fill, _ := s.small()
	fill()
	s.refuses("a full disk", "no space left")
}

// Without --sandbox required a full disk costs records, not calls, and that is counted.
func TestAuditOnAFullDisk(t *testing.T) {
	s := newStrict(t)
	fill, _ := s.small()
	r := s.starts("auto")
	fill()
	for range 10 {
		s.calls(r, "the disk is full", 200, "final")
	}
	await.True(t, "lost records", func() bool {
		metrics := r.getPath("/metrics").body
		return strings.Contains(metrics, "sidecar_audit_lost_total") && !strings.Contains(metrics, "sidecar_audit_lost_total 0\n")
	})
}

// An audit that is taken away, with its directory or alone, or made another file, denies
// calls; after it was put back they go on.
func TestStrictAuditThatIsTakenAway(t *testing.T) {
	s := newStrict(t)
	r := s.starts("required")
	s.calls(r, "as it was", 200, "final")
	for _, c := range []struct{ what, path string }{{"its directory", s.audit}, {"the file", s.file}} {
		sure(t, os.Rename(c.path, c.path+".away"))
		s.calls(r, c.what+" is away", 403, notRecorded)
		sure(t, os.Rename(c.path+".away", c.path))
		s.calls(r, c.what+" is back", 200, "final")
	}
	sure(t, os.Rename(s.file, s.file+".away"))
	writeFile(t, s.file, "")
	s.calls(r, "another file is there", 403, notRecorded)
	sure(t, os.Rename(s.file+".away", s.file))
	s.calls(r, "the file is back", 200, "final")
}

// With --sandbox required there is no start without a watchdog that can be run and that the
// agent cannot change.
func TestStrictWatchdog(t *testing.T) {
	s := newStrict(t)
	guard := func(dir, name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		writeFile(t, path, "#!/bin/sh\necho '{\"decision\":\"deny\",\"reason\":\"on guard\"}'\n")
		sure(t, os.Chmod(path, mode))
		return path
	}
	theirs := guard(s.ws, "theirs", 0o755)
	give(t, s.ws)
	for what, c := range map[string]struct{ watchdog, says string }{
		"not there":            {filepath.Join(s.ours, "none"), "the watchdog cannot be run"},
		"not executable":       {guard(s.ours, "data", 0o600), "the watchdog cannot be run"},
		"a directory":          {s.ours, "the watchdog cannot be run"},
		"the agent's":          {theirs, "watchdog"},
		"anybody's to write":   {guard(s.ours, "open", 0o777), "watchdog"},
		"in a place of theirs": {guard(s.ws, "ours", 0o755), "watchdog"},
	} {
		s.refuses(what, c.says, "--watchdog", c.watchdog)
	}
	r := s.starts("required", "--watchdog", guard(s.ours, "good", 0o755))
	s.calls(r, "a good one", 403, "on guard")
	sure(t, os.Remove(filepath.Join(s.ours, "good")))
	s.calls(r, "one that has gone", 403, "watchdog")
}
