package output_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// shelf is a store with limits, and what is asked of it.
type shelf struct {
	*output.Store
	t *testing.T
}

func newShelf(t *testing.T, limit, total int64) shelf {
	t.Helper()
	s, err := output.NewStore(output.Options{Dir: t.TempDir(), Limit: limit, Total: total})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return shelf{s, t}
}

// begin begins a file of a session and writes to it.
func (s shelf) begin(id, session string, bytes int) *output.File {
	s.t.Helper()
	f, err := s.Create(id, session)
	if err != nil {
		s.t.Fatal(err)
	}
	s.add(f, bytes, bytes, nil)
	return f
}

func (s shelf) add(f *output.File, bytes, written int, want error) {
	s.t.Helper()
	if n, err := f.Write([]byte(strings.Repeat("x", bytes))); n != written || !errors.Is(err, want) || want == nil && err != nil {
		s.t.Errorf("%d of %d bytes written: %v", n, bytes, err)
	}
}

func (s shelf) keep(f *output.File) {
	s.t.Helper()
	if err := f.Keep("text/plain"); err != nil {
		s.t.Fatal(err)
	}
}

// has checks which files can be read.
func (s shelf) has(when, want string) {
	s.t.Helper()
	got := ""
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		if r, err := s.Open(id); err == nil {
			got += id
			r.Close()
		}
	}
	if got != want {
		s.t.Errorf("%s: %q can be read, want %q", when, got, want)
	}
}

// The oldest whole files make room for what is written; those that are still written stay, and if
// they are all, the rest has no room.
func TestTotal(t *testing.T) {
	s := newShelf(t, 100, 100)
	b := s.begin("b", "s", 30)
	a := s.begin("a", "s", 30)
	s.keep(a) // the oldest is what was whole first
	s.keep(b)
	c := s.begin("c", "s", 30)
	s.has("all have room", "ab")
	s.add(c, 20, 20, nil)
	s.has("the oldest made room", "b")
	s.add(c, 60, 50, output.ErrLimit) // its own limit is told
	s.has("all made room", "")
	s.add(c, 1, 0, output.ErrLimit)

	d, err := s.Create("d", "s")
	if err != nil {
		t.Fatal(err)
	}
	s.add(d, 1, 0, output.ErrTotal)
	s.keep(c)
	s.add(d, 40, 40, nil) // what is whole now has made room
	s.has("the one that was too long", "")
	d.Discard()
	s.keep(s.begin("e", "s", 100)) // what was removed or discarded takes no room
	s.has("one that takes all", "e")
	s.Forget("e")
	s.keep(s.begin("f", "s", 100))
	s.has("after one was forgotten", "f")

	unbounded := newShelf(t, 100, 0)
	for _, id := range []string{"a", "b", "c"} {
		unbounded.keep(unbounded.begin(id, "s", 100))
	}
	unbounded.has("without a limit", "abc")
}

// The files of a session go with it, but for one that is still written.
func TestSessionEnded(t *testing.T) {
	s := newShelf(t, 100, 100)
	s.keep(s.begin("a", "s1", 10))
	s.keep(s.begin("b", "s2", 10))
	goesOn := s.begin("c", "s1", 10)
	s.SessionEnded("s1")
	s.has("one session has ended", "b")
	s.add(goesOn, 70, 70, nil)
	s.keep(goesOn)
	s.has("a call went on", "bc")
	s.SessionEnded("")
	s.has("every session has ended", "")
	path := s.begin("d", "s1", 100)
	await.True(t, "the files are gone from the disk", func() bool {
		_, err := s.Open("c")
		return err != nil && path.Size() == 100
	})
	var none *output.Store
	none.SessionEnded("s1")
}
