package manifest

import (
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
