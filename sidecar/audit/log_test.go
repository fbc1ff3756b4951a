package audit_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

func TestRecordsOfACall(t *testing.T) {
	l, file := open(t, audit.Options{Version: "1.2"})
	exit := 0
	began := time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC)
	before := audit.Record{
		Event: audit.EventBefore, Task: "t1", Call: "c1", Parent: "t0", Context: "x", Caller: "ann", Agent: true, Door: "a2a",
		Tool: "acme.deploy", Source: "manifest", Definition: "sha256:aa", Effects: "write", Arguments: l.Stand(`{"env":"prod"}`),
		Uses:     []audit.Use{{Capability: "fs.write", Pointer: "/path", Value: "/srv/a\n<b>"}, {Capability: "shell.run", Value: "git push", Argv: []string{"git", "push"}}},
		Decision: &audit.Decision{Verdict: "allow", Kind: "rule", Scope: "manifest", Rule: "acme.* allow", File: "/etc/policy.json", Line: 7, Revision: "sha256:bb"},
		Watchdog: &audit.Watchdog{Verdict: "allow", TookMS: 3}, Approval: &audit.Approval{ID: "a1", Option: "once", By: "bob"},
		Admitted: began, Began: began.Add(time.Second), Sandbox: []string{"landlock", "seccomp"},
	}
	sent := before
	if err := l.Before(t.Context(), &before); err != nil || before.Seq != 2 {
		t.Fatalf("seq %d, %v", before.Seq, err)
	}
	after := audit.Record{Event: audit.EventAfter, Of: 2, Task: "t1", Call: "c1", Outcome: "final", DurationMS: 9, ExitCode: &exit, Bytes: 100,
		Egress: []audit.Egress{{Host: "example.com:443", Address: "93.184.216.34", Allowed: true, Count: 2}}}
	l.After(&after)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all := records(t, file)
	if len(all) != 4 || all[0].Event != audit.EventOpened || all[0].Opening.Why != "start" || all[0].Opening.Version != "1.2" || all[3].Event != audit.EventClosed {
		t.Fatalf("records %+v", all)
	}
	got := all[1]
	if got.Prev != all[0].Hash || time.Since(got.Time) > time.Minute || got.Time.Location() != time.UTC {
		t.Errorf("its place %+v", got)
	}
	sent.Seq, sent.Time, sent.Prev, sent.Hash = got.Seq, got.Time, got.Prev, got.Hash
	if g, w := fmt.Sprintf("%+v", plain(got)), fmt.Sprintf("%+v", plain(sent)); g != w {
		t.Errorf("read\n%s\nwant\n%s", g, w)
	}
	if a := all[2]; a.Of != 2 || *a.ExitCode != 0 || a.Egress[0].Count != 2 || a.Prev != got.Hash {
		t.Errorf("after %+v", a)
	}
	if text := read(t, file); strings.Contains(text, "prod") {
		t.Error("the arguments are in the audit")
	}
}

// plain lays a record's pointers out so that it can be printed.
func plain(r audit.Record) []any {
	all := []any{*r.Arguments, *r.Decision, *r.Watchdog, *r.Approval}
	r.Arguments, r.Decision, r.Watchdog, r.Approval = nil, nil, nil, nil
	return append(all, r)
}

// Equal arguments have equal hashes, over restarts too, and nobody can try which they are
// without the key.
func TestArgumentsAreKeyed(t *testing.T) {
	l, file := open(t, audit.Options{})
	one, same, other := l.Stand(`{"pin":1234}`), l.Stand(`{"pin":1234}`), l.Stand(`{"pin":1235}`)
	l.Close()
	l, _ = open(t, audit.Options{File: file})
	if again := l.Stand(`{"pin":1234}`); *one != *same || one.HMAC == other.HMAC || *one != *again || one.Bytes != 12 {
		t.Errorf("%+v %+v %+v %+v", one, same, other, again)
	}
	elsewhere, _ := open(t, audit.Options{})
	if elsewhere.Stand(`{"pin":1234}`).HMAC == one.HMAC {
		t.Error("two audits have one key")
	}
	for _, ending := range []string{"", ".key", ".head"} {
		if info, err := os.Stat(file + ending); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v %v", ending, info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v %v", info.Mode(), err)
	}
	l.Close()
	write(t, file+".key", "short")
	if _, err := audit.Open(audit.Options{File: file}); err == nil || !strings.Contains(err.Error(), "does not hold a key") {
		t.Errorf("a bad key: %v", err)
	}
}

func TestOneWriterOnly(t *testing.T) {
	l, file := open(t, audit.Options{})
	if _, err := audit.Open(audit.Options{File: file}); !errors.Is(err, audit.ErrInUse) {
		t.Errorf("a second writer: %v", err)
	}
	calls(t, l, 1)
	l.Close()
	second, _ := open(t, audit.Options{File: file})
	second.Close()
	verified(t, file)
}

// Many calls at once make one chain, across the rotations that they cause.
func TestManyWritersAndRotation(t *testing.T) {
	const callers, each, keep = 20, 30, 1000
	l, file := open(t, audit.Options{MaxBytes: 20_000, Keep: keep})
	var all sync.WaitGroup
	for range callers {
		all.Go(func() { calls(t, l, each) })
	}
	all.Wait()
	l.Close()
	r := verified(t, file)
	if r.Files < 10 || r.Records != 2*callers*each+2+r.Files-1 || r.First != 1 || r.Last != uint64(r.Records) || r.Lost != 0 {
		t.Errorf("%+v", r)
	}
	seen := map[uint64]string{}
	for _, rec := range records(t, file) {
		switch rec.Event {
		case audit.EventBefore:
			seen[rec.Seq] = rec.Task
		case audit.EventAfter:
			if seen[rec.Of] != rec.Task {
				t.Fatalf("record %d is of %d, which is %q and not %q", rec.Seq, rec.Of, seen[rec.Of], rec.Task)
			}
		}
	}
	first := strings.SplitN(read(t, file), "\n", 2)[0]
	if !strings.Contains(first, `"event":"opened","opening":{"why":"rotation"`) {
		t.Errorf("a new file begins with %s", first)
	}
}

func TestOldFilesAreRemoved(t *testing.T) {
	l, file := open(t, audit.Options{MaxBytes: 2_000, Keep: 3})
	calls(t, l, 100)
	l.Close()
	names, _ := filepath.Glob(file + ".[0-9]*")
	if len(names) != 3 {
		t.Errorf("old files: %v", names)
	}
	r := verified(t, file)
	if r.First == 1 || r.Files != 4 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "older files were removed") {
		t.Errorf("%+v", r)
	}
}

// After a restart the chain goes on, also when the new file had not been begun.
func TestChainGoesOnAfterARestart(t *testing.T) {
	l, file := open(t, audit.Options{})
	calls(t, l, 2)
	l.Close()
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	l, _ = open(t, audit.Options{File: file})
	calls(t, l, 2)
	l.Close()
	if r := verified(t, file); r.Records != 12 || r.Files != 2 {
		t.Errorf("%+v", r)
	}
}

func TestStatsCountSyncs(t *testing.T) {
	l, _ := open(t, audit.Options{Strict: true})
	calls(t, l, 3)
	await.True(t, "seven records", func() bool { return l.Stats().Records == 7 })
	if s := l.Stats(); s.Syncs != 3 {
		t.Errorf("a strict audit: %+v; want one sync for each call", s)
	}
	relaxed, _ := open(t, audit.Options{})
	began := time.Now()
	calls(t, relaxed, 500)
	if s := relaxed.Stats(); s.Syncs > 1+uint64(time.Since(began)/time.Second) {
		t.Errorf("an audit that is not strict: %+v; want at most one sync a second", s)
	}
	await.True(t, "the disk to have the records", func() bool { return relaxed.Stats().Syncs > 0 })
}

func TestRecordsAfterClose(t *testing.T) {
	for _, strict := range []bool{false, true} {
		l, file := open(t, audit.Options{Strict: strict})
		l.Close()
		if err := l.Before(t.Context(), &audit.Record{Event: audit.EventBefore}); (err != nil) != strict {
			t.Errorf("strict %v: %v", strict, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("closed again: %v", err)
		}
		verified(t, file)
	}
}
