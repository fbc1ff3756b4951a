package manifest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A bad content may be half of a good one: it is believed when it is seen
// twice, or when somebody asked.
func TestDoubt(t *testing.T) {
	s, err := Open("", Options{Debounce: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	r := &reloader{Source: s, again: idleTimer(), gone: idleTimer()}
	look := func(text string, force bool) error {
		r.judge(reading{data: []byte(text), settled: true}, force)
		return s.Last()
	}
	for _, step := range []struct {
		text  string
		force bool
		bad   bool
	}{
		{`[{`, false, false}, {`[{"na`, false, false}, {`[]`, false, false}, // it was being written
		{`[{`, false, false}, {`[{`, false, true}, // it was not
		{`[]`, false, false},
		{`{}`, true, true},
	} {
		if err := look(step.text, step.force); (err != nil) != step.bad {
			t.Fatalf("after %s: %v", step.text, err)
		}
	}
}

// Compiled schemas are kept for the tools that were called last, no more.
func TestValidatorsBounded(t *testing.T) {
	var v validators
	first := v.get("acme.t0", nil)
	for i := range 3 * validatorsKept {
		v.get(fmt.Sprintf("acme.t%d", i), nil)
		v.get("acme.t0", nil)
	}
	if len(v.byTool) != validatorsKept || v.recent.Len() != validatorsKept {
		t.Errorf("%d and %d are kept, want %d", len(v.byTool), v.recent.Len(), validatorsKept)
	}
	if v.get("acme.t0", nil) != first {
		t.Error("the one that is always in use was dropped")
	}
}

// A schema that compiled is not compiled again, until a good file is without
// it. The schema here would not compile, so that it shows.
func TestKnownSchemas(t *testing.T) {
	const schema = `{"type":"object","minProperties":-1}`
	file := func(schema string) []byte {
		return fmt.Appendf(nil, `[{"name":"acme.x","description":"d","inputSchema":%s}]`, schema)
	}
	known := newKnownSchemas()
	load := func(data []byte) error {
		_, _, err := parse("t", data, Options{}, loading{known: known})
		known.turn(err == nil)
		return err
	}
	known.add(sha256.Sum256([]byte(schema)))
	for range 2 {
		if err := load(file(schema)); err != nil {
			t.Fatalf("compiled again: %v", err)
		}
	}
	if err := load([]byte(`[`)); err == nil {
		t.Fatal("a bad file is good")
	}
	if err := load(file(schema)); err != nil {
		t.Errorf("forgotten over a bad file: %v", err)
	}
	if err := load(file(`{"type":"object"}`)); err != nil {
		t.Fatal(err)
	}
	if err := load(file(schema)); err == nil {
		t.Error("still known after a good file without it")
	}
}

// What was written just now may be in the middle of being written.
func TestReadSettles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(path, []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := readFile(path, time.Hour); r.settled || string(r.data) != "[]" {
		t.Errorf("an hour's quiet after no time: %+v", r)
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	if r := readFile(path, time.Hour); !r.settled {
		t.Error("a file of two hours ago is not settled")
	}
	ahead := time.Now().Add(2 * time.Hour) // another machine's clock
	if err := os.Chtimes(path, ahead, ahead); err != nil {
		t.Fatal(err)
	}
	if r := readFile(path, time.Hour); !r.settled {
		t.Error("a file from the future is never settled")
	}
}
