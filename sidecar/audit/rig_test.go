package audit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

// open opens an audit in a directory of its own, unless the options name a file.
func open(t testing.TB, o audit.Options) (*audit.Log, string) {
	t.Helper()
	if o.File == "" {
		o.File = filepath.Join(t.TempDir(), "audit", "audit.ndjson")
	}
	l, err := audit.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, o.File
}

// calls records n calls, each with two records, one after the other.
func calls(t testing.TB, l *audit.Log, n int) {
	t.Helper()
	for i := range n {
		r := &audit.Record{Event: audit.EventBefore, Task: fmt.Sprintf("task-%d", i), Call: "c", Tool: "acme.echo", Arguments: l.Stand(`{"a":1}`)}
		if err := l.Before(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		l.After(&audit.Record{Event: audit.EventAfter, Of: r.Seq, Task: r.Task, Call: "c", Tool: r.Tool, Outcome: "final"})
	}
}

// verified fails the test if there is something wrong with the audit.
func verified(t testing.TB, file string) *audit.Report {
	t.Helper()
	r, err := audit.Verify(file)
	if err != nil {
		t.Fatal(err)
	}
	if r.Fault != nil {
		t.Fatal(r.Fault)
	}
	return r
}

// records returns all records of an audit.
func records(t testing.TB, file string) (all []audit.Record) {
	t.Helper()
	for l := range audit.Lines(file) {
		if l.Err != nil || l.Torn {
			t.Fatalf("%s:%d: %v, torn %v", l.File, l.Number, l.Err, l.Torn)
		}
		all = append(all, l.Record)
	}
	return all
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// lines returns the lines of a file with their ends.
func lines(t testing.TB, file string) []string {
	t.Helper()
	all := strings.SplitAfter(read(t, file), "\n")
	return all[:len(all)-1]
}
