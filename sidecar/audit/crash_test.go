package audit_test

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

// What a crash left half written is cut off at the next start, and that is recorded.
func TestTornLine(t *testing.T) {
	l, file := open(t, audit.Options{})
	calls(t, l, 2)
	l.Close()
	whole := read(t, file)
	write(t, file, whole+`{"seq":7,"time":"2026`)
	if r := verified(t, file); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "the last line is not whole") {
		t.Errorf("before the start: %+v", r)
	}
	l, _ = open(t, audit.Options{File: file})
	l.Close()
	verified(t, file)
	if o := records(t, file)[6].Opening; o == nil || o.TornBytes != 21 || o.MissingTo != 0 {
		t.Errorf("the start after it: %+v", o)
	}
	if !strings.HasPrefix(read(t, file), whole) {
		t.Error("more than the torn line was cut off")
	}
}

// Records that the head file knows and the audit has not are named at the next start, and
// stay missing.
func TestStartAfterACut(t *testing.T) {
	l, file := open(t, audit.Options{})
	calls(t, l, 2)
	l.Close()
	write(t, file, strings.Join(lines(t, file)[:3], ""))
	l, _ = open(t, audit.Options{File: file})
	calls(t, l, 1)
	l.Close()
	all := records(t, file)
	if o := all[3].Opening; o == nil || o.MissingFrom != 4 || o.MissingTo != 6 || all[3].Seq != 7 || all[3].Prev != all[2].Hash {
		t.Errorf("the start after it: %+v", all[3])
	}
	r, err := audit.Verify(file)
	if err != nil || r.Fault == nil || r.Fault.Seq != 7 || !strings.Contains(r.Fault.What, "records 4 to 6 are missing before it: when the sidecar was started") {
		t.Errorf("%+v, %v", r, err)
	}
}

// A start after a damaged record goes on, says so, and does not hide it.
func TestStartAfterDamage(t *testing.T) {
	l, file := open(t, audit.Options{})
	calls(t, l, 2)
	l.Close()
	all := lines(t, file)
	all[5] = strings.Replace(all[5], "closed", "opened", 1)
	write(t, file, strings.Join(all, ""))
	l, _ = open(t, audit.Options{File: file})
	calls(t, l, 1)
	l.Close()
	if !strings.Contains(lines(t, file)[6], `"damaged":true`) || !strings.HasPrefix(lines(t, file)[6], `{"seq":7,`) {
		t.Errorf("the start after it: %s", lines(t, file)[6])
	}
	if r, _ := audit.Verify(file); r.Fault == nil || r.Fault.Line != 6 {
		t.Errorf("%+v", r)
	}
}

// fullDisk lets this process make no file longer than size, until the function that it
// returns is called.
func fullDisk(t *testing.T, size int64) func() {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	full := was
	full.Cur = uint64(size)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	return func() {
		syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was)
		signal.Reset(syscall.SIGXFSZ)
	}
}

// A disk that takes half a line only: calls are refused if the audit is strict, and
// otherwise go on, counted. When it takes records again, the next one says how many are
// missing.
func TestFullDisk(t *testing.T) {
	for _, strict := range []bool{false, true} {
		log := new(await.Log)
		l, file := open(t, audit.Options{Strict: strict, Log: log.Logger()})
		calls(t, l, 2)
		await.True(t, "five records", func() bool { return l.Stats().Records == 5 })
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		empty := fullDisk(t, info.Size()+40)
		for range 2 {
			err := l.Before(t.Context(), &audit.Record{Event: audit.EventBefore, Task: "t"})
			if (err != nil) != strict {
				t.Errorf("strict %v: %v", strict, err)
			}
		}
		l.After(&audit.Record{Event: audit.EventRefused, Task: "t"})
		await.True(t, "three lost records", func() bool { return l.Stats().Lost == 3 })
		empty()
		if now, _ := os.Stat(file); now.Size() != info.Size() {
			t.Errorf("strict %v: half a line was left", strict)
		}
		calls(t, l, 1)
		l.Close()
		if r := verified(t, file); r.Lost != 3 || r.Records != 9 {
			t.Errorf("strict %v: %+v", strict, r)
		}
		if lost := records(t, file)[5]; lost.Event != audit.EventLost || lost.Lost != 3 {
			t.Errorf("strict %v: %+v", strict, lost)
		}
		if len(log.Lines("cannot be written")) != 1 || len(log.Lines("written again")) != 1 {
			t.Errorf("strict %v: log %s", strict, log)
		}
	}
}

// A new file that cannot be begun is no reason to lose records: the old one grows.
// Records that nobody would find are lost: whoever removes, replaces or cuts the file while it is written
// to stops calls under a strict audit, and is told of otherwise.
func TestFileThatIsTakenAway(t *testing.T) {
	for name, c := range map[string]struct {
		take func(file string) error
		says string
		back bool // it can be put back
	}{
		"moved": {func(file string) error { return os.Rename(file, file+".moved") }, "removed", true},
		"replaced": {func(file string) error {
			return errors.Join(os.Rename(file, file+".moved"), os.WriteFile(file, nil, 0o600))
		}, "another file", true},
		"cut": {func(file string) error { return os.Truncate(file, 10) }, "was cut from", false},
	} {
		t.Run(name, func(t *testing.T) {
			l, file := open(t, audit.Options{Strict: true})
			calls(t, l, 1)
			if err := c.take(file); err != nil {
				t.Fatal(err)
			}
			r := &audit.Record{Event: audit.EventBefore, Task: "t", Call: "c", Tool: "acme.echo"}
			if err := l.Before(t.Context(), r); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("a record is written: %v", err)
			}
			if !c.back {
				if info, err := os.Stat(file); err != nil || info.Size() != 10 {
					t.Errorf("it was made longer: %v, %v", info.Size(), err)
				}
				return
			}
			if err := os.Rename(file+".moved", file); err != nil {
				t.Fatal(err)
			}
			calls(t, l, 1)
			l.Close()
			if r := verified(t, file); r.Lost == 0 { // the record of the call before may be lost too
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestRotationThatFails(t *testing.T) {
	log := new(await.Log)
	l, file := open(t, audit.Options{MaxBytes: 2_000, Keep: 2, Log: log.Logger()})
	for _, old := range []string{".1", ".2"} { // neither can be moved, nor can a file take its place
		if err := os.MkdirAll(filepath.Join(file+old, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	calls(t, l, 40)
	l.Close()
	os.RemoveAll(file + ".2")
	os.RemoveAll(file + ".1")
	if r := verified(t, file); r.Lost != 0 || r.First != 1 || r.Files != 1 {
		t.Errorf("%+v", r)
	}
	if len(log.Lines("goes on in its old file")) == 0 {
		t.Error("nothing was told")
	}
}

func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "plain"), "")
	if err := os.Symlink(filepath.Join(dir, "plain"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{dir, filepath.Join(dir, "link"), filepath.Join(dir, "fifo"), filepath.Join(dir, "plain", "a")} {
		if l, err := audit.Open(audit.Options{File: file}); err == nil {
			l.Close()
			t.Errorf("%s is taken", file)
		}
	}
}
