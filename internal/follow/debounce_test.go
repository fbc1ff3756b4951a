package follow

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fake is a Follower of one file with the fake clock of a bubble: its events are
// what the test sends.
type fake struct {
	*Follower
	file   string
	events chan fsnotify.Event
	lost   chan error
	begun  time.Time
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{file: filepath.Join(t.TempDir(), "file"), events: make(chan fsnotify.Event), lost: make(chan error), begun: time.Now()}
	f.write(t, "one", -time.Hour)
	w := newWatch(nil, nil, 0, slog.New(slog.DiscardHandler))
	w.files, w.events, w.lost, w.names = []string{f.file}, f.events, f.lost, map[string]bool{f.file: true}
	f.Follower = start(Options{Debounce: 10 * time.Millisecond, Poll: time.Second, Log: slog.New(slog.DiscardHandler)}, w)
	<-f.Changed()
	return f
}

// write gives the file a content that was written so long after now.
func (f *fake) write(t *testing.T, text string, after time.Duration) {
	t.Helper()
	if err := os.WriteFile(f.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(after)
	if err := os.Chtimes(f.file, at, at); err != nil {
		t.Fatal(err)
	}
}

func (f *fake) event() { f.events <- fsnotify.Event{Name: f.file} }

// told waits until the time after the beginning at which a change is told.
func (f *fake) told(t *testing.T, want time.Duration) {
	t.Helper()
	select {
	case <-f.Changed():
		if got := time.Since(f.begun); got != want {
			t.Errorf("a change was told after %v, want %v", got, want)
		}
	case <-time.After(time.Hour):
		t.Errorf("no change was told, want one after %v", want)
	}
}

// silent makes sure that nothing is told for so long.
func (f *fake) silent(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-f.Changed():
		t.Errorf("a change was told after %v", time.Since(f.begun))
	case <-time.After(d):
	}
}

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, f *fake)
	}{
		{"a change is told when the file is left alone", func(t *testing.T, f *fake) {
			f.event()
			time.Sleep(9 * time.Millisecond)
			f.event()
			f.told(t, 19*time.Millisecond)
			f.silent(t, time.Minute)
		}},
		{"a file that is never left alone is told now and then", func(t *testing.T, f *fake) {
			for range 10 {
				f.event()
				time.Sleep(6 * time.Millisecond)
			}
			if len(f.Changed()) != 1 {
				t.Errorf("nothing was told in %v", time.Since(f.begun))
			}
			f.told(t, 60*time.Millisecond) // it has waited since 50 ms
			f.told(t, 64*time.Millisecond) // of the last event
			f.silent(t, time.Minute)
		}},
		{"changes that are not taken are one", func(t *testing.T, f *fake) {
			for range 3 {
				f.event()
				time.Sleep(100 * time.Millisecond)
			}
			f.told(t, 300*time.Millisecond)
			f.silent(t, time.Minute)
		}},
		{"an event about another file is none", func(t *testing.T, f *fake) {
			f.events <- fsnotify.Event{Name: f.file + "~"}
			f.silent(t, time.Minute)
		}},
		{"lost events may have been changes", func(t *testing.T, f *fake) {
			f.lost <- fsnotify.ErrEventOverflow
			f.told(t, 10*time.Millisecond)
		}},
		{"without an event a change is told after a poll", func(t *testing.T, f *fake) {
			f.silent(t, 1500*time.Millisecond)
			f.write(t, "three", -time.Hour)
			f.told(t, 2010*time.Millisecond)
			f.silent(t, time.Minute)
		}},
		{"a mode is a change", func(t *testing.T, f *fake) {
			if err := os.Chmod(f.file, 0o640); err != nil {
				t.Fatal(err)
			}
			f.told(t, 1010*time.Millisecond)
			f.silent(t, time.Minute)
		}},
		{"a file goes and comes back", func(t *testing.T, f *fake) {
			if err := os.Remove(f.file); err != nil {
				t.Fatal(err)
			}
			f.told(t, 1010*time.Millisecond)
			f.silent(t, 490*time.Millisecond)
			f.write(t, "one", -time.Hour)
			f.told(t, 2010*time.Millisecond)
			f.silent(t, time.Minute)
		}},
		{"what was written just now may be written again within the clock's grain", func(t *testing.T, f *fake) {
			f.write(t, "two", 0)
			f.told(t, 1010*time.Millisecond)
			f.told(t, 2010*time.Millisecond) // two seconds are over
			f.silent(t, time.Minute)
		}},
		{"a file of another machine's clock is not always new", func(t *testing.T, f *fake) {
			f.write(t, "two", 24*time.Hour)
			f.told(t, 1010*time.Millisecond)
			f.silent(t, time.Hour)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				defer f.Close()
				c.test(t, f)
			})
		})
	}
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	info := func(name string) fs.FileInfo {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	one, other := info("a"), info("b")
	for _, c := range []struct {
		a, b fs.FileInfo
		want bool
	}{{one, one, true}, {nil, nil, true}, {one, nil, false}, {nil, one, false}, {one, other, false}} {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("Same(%v, %v) = %t", c.a, c.b, got)
		}
	}
}
