package audit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

// A record that is changed, left out, moved, repeated or exchanged is found, wherever it
// stands, and so is an end that was cut off.
func TestVerifyFindsWhatWasDone(t *testing.T) {
	var foreign []string
	{
		l, file := open(t, audit.Options{})
		calls(t, l, 10)
		l.Close()
		foreign = lines(t, file)
	}
	for _, tc := range []struct {
		name string
		edit func(all []string) []string
		line int
		what string
	}{
		{"a word is changed", func(all []string) []string {
			all[4] = strings.Replace(all[4], "final", "faked", 1)
			return all
		}, 5, "its hash does not fit"},
		{"a number is changed", func(all []string) []string {
			all[3] = strings.Replace(all[3], `"seq":4`, `"seq":3`, 1)
			return all
		}, 4, "its hash does not fit"},
		{"the hash is changed", func(all []string) []string {
			at := len(all[2]) - 4
			c := "0"
			if all[2][at] == '0' {
				c = "1"
			}
			all[2] = all[2][:at] + c + all[2][at+1:]
			return all
		}, 3, "its hash does not fit"},
		{"the hash is gone", func(all []string) []string {
			all[2] = all[2][:strings.LastIndex(all[2], `,"hash"`)] + "}\n"
			return all
		}, 3, "no hash at its end"},
		{"one is left out", func(all []string) []string { return slices.Delete(all, 5, 6) }, 6, "record 6 is missing before it"},
		{"three are left out", func(all []string) []string { return slices.Delete(all, 5, 8) }, 6, "records 6 to 8 are missing before it"},
		{"the first is left out", func(all []string) []string { return all[1:] }, 0, ""},
		{"two are exchanged", func(all []string) []string { all[5], all[6] = all[6], all[5]; return all }, 6, "record 6 is missing before it"},
		{"one is repeated", func(all []string) []string { return slices.Insert(all, 5, all[4]) }, 6, "it stands after record 5"},
		{"one of another audit", func(all []string) []string { all[5] = foreign[5]; return all }, 6, "it does not follow the record 5"},
		{"an empty line", func(all []string) []string { return slices.Insert(all, 3, "\n") }, 4, "no hash at its end"},
		{"a line of another kind", func(all []string) []string { return slices.Insert(all, 3, "{}\n") }, 4, "no hash at its end"},
		{"the last is cut off", func(all []string) []string { return all[:len(all)-1] }, 0, "the audit ends with record 21 and the head file knows record 22"},
		{"half of it is cut off", func(all []string) []string { return all[:11] }, 0, "the audit ends with record 11 and the head file knows record 22"},
		{"everything is cut off", func([]string) []string { return nil }, 0, "the audit ends with record 0"},
		{"all of it is another", func([]string) []string { return foreign }, 22, "not the record that the head file knows"},
		{"one is added", func(all []string) []string { return append(all, foreign[21]) }, 23, "it stands after record 22"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, file := open(t, audit.Options{})
			calls(t, l, 10)
			l.Close()
			verified(t, file)
			write(t, file, strings.Join(tc.edit(lines(t, file)), ""))
			r, err := audit.Verify(file)
			if err != nil {
				t.Fatal(err)
			}
			if tc.what == "" { // that older records were removed is told, not found
				if r.Fault != nil || r.First != 2 || len(r.Notes) == 0 {
					t.Fatalf("%+v", r)
				}
				return
			}
			if r.Fault == nil || r.Fault.Line != tc.line || !strings.Contains(r.Fault.What, tc.what) {
				t.Fatalf("fault %+v", r.Fault)
			}
		})
	}
}

func TestVerifyWithoutItsHead(t *testing.T) {
	l, file := open(t, audit.Options{})
	calls(t, l, 1)
	l.Close()
	write(t, file+".head", "")
	if r, err := audit.Verify(file); err != nil || r.Fault == nil || !strings.Contains(r.Fault.What, "head file is not there or empty") {
		t.Errorf("an empty head: %+v, %v", r, err)
	}
	os.Remove(file + ".head")
	if r, err := audit.Verify(file); err != nil || r.Fault == nil || !strings.Contains(r.Fault.Error(), "audit.ndjson.head: the head file is not there") {
		t.Errorf("no head: %+v, %v", r, err)
	}
	write(t, file+".head", "garbage")
	if _, err := audit.Verify(file); err == nil {
		t.Error("a head of garbage is read")
	}
	if _, err := audit.Verify(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "there is no audit") {
		t.Errorf("no audit: %v", err)
	}
}

// Cut between files: an old file that is missing in the middle, and one that was cut.
func TestVerifyOldFiles(t *testing.T) {
	l, file := open(t, audit.Options{MaxBytes: 3_000, Keep: 100})
	calls(t, l, 40)
	l.Close()
	verified(t, file)
	all := lines(t, file+".3")
	whole := strings.Join(all, "")
	write(t, file+".3", strings.Join(all[:len(all)-1], ""))
	if r, _ := audit.Verify(file); r.Fault == nil || r.Fault.File != file+".2" || r.Fault.Line != 1 || !strings.Contains(r.Fault.What, "missing before it") {
		t.Errorf("an old file without its last record: %+v", r.Fault)
	}
	write(t, file+".3", whole[:len(whole)-5])
	if r, _ := audit.Verify(file); r.Fault == nil || r.Fault.File != file+".3" || r.Fault.Line != len(all) || !strings.Contains(r.Fault.What, "has no end") {
		t.Errorf("an old file without its last bytes: %+v", r.Fault)
	}
}

// A sidecar may write while the audit is read.
func TestVerifyWhileItIsWritten(t *testing.T) {
	l, file := open(t, audit.Options{})
	written := make(chan struct{})
	go func() { defer close(written); calls(t, l, 500) }()
	for done := false; !done; {
		select {
		case <-written:
			done = true
		default:
		}
		if r, err := audit.Verify(file); err != nil || r.Fault != nil {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	l.Close()
}
