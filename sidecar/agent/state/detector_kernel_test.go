package state_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// watched is a bench whose program is looked at: what a look sees, what it costs, and when the
// looks were.
type watched struct {
	*bench
	see   waits.Look
	took  time.Duration
	looks []time.Time
	moves bool // the caller makes its screen change all the time
}

var (
	reads   = waits.Look{Kind: waits.Reads, PID: 7, Switches: 1}
	polls   = waits.Look{Kind: waits.Polls, PID: 7, Switches: 1}
	watches = waits.Look{Kind: waits.Watches, PID: 7, Switches: 1}
	sleeps  = waits.Look{Kind: waits.Busy, PID: 7, Doing: waits.Sleeps}
	hidden  = waits.Look{Kind: waits.Hidden, Why: "a test"}
)

func newWatched(t *testing.T, name string) *watched {
	t.Helper()
	return newWatchedOf(t, load(t, name))
}

func newWatchedOf(t *testing.T, p *profile.Profile) *watched {
	t.Helper()
	w := &watched{bench: newBenchOf(t, p)}
	w.s.CursorShown, w.tty.Canonical, w.tty.Echo = true, true, true
	w.d.Looks(true)
	return w
}

// pass lets time pass, and looks when the detector wants to know.
func (w *watched) pass(d time.Duration) {
	w.t.Helper()
	end := w.now.Add(d)
	for range 100_000 {
		next := end
		if _, recheck := w.d.Verdict(w.now); recheck > 0 && w.now.Add(recheck).Before(next) {
			next = w.now.Add(recheck)
		}
		wait, wanted := w.d.Due(w.now)
		if wanted && wait <= 0 {
			w.looks = append(w.looks, w.now)
			w.now = w.now.Add(w.took)
			l := w.see
			l.Cost = w.took
			w.d.Looked(l, w.now)
			continue
		}
		if wanted && w.now.Add(wait).Before(next) {
			next = w.now.Add(wait)
		}
		if next.After(w.now) { // a look may have taken longer than what is left
			w.now = next
		}
		if !w.now.Before(end) {
			w.d.Verdict(w.now)
			return
		}
	}
	w.t.Fatal("the detector wants looks without an end")
}

// answers is a program that was at its prompt, has got a line, and shows rows after it.
func (w *watched) answers(prompt, line string, rows ...string) {
	w.t.Helper()
	w.see = reads
	w.show("", prompt)
	w.pass(time.Second)
	w.is(profile.Ready, w.source())
	w.d.Submitted(w.now)
	w.d.Entered(w.see, w.now)
	w.looks = nil
	w.now = w.now.Add(time.Millisecond)
	w.show("", append([]string{prompt + line}, rows...)...)
}

func (w *watched) source() string {
	v, _ := w.d.Verdict(w.now)
	return v.Source
}

// woken is a look at a program that has taken its line and waits again.
func woken(l waits.Look) waits.Look {
	l.Switches++
	return l
}

// TestKernelWorks: a program that shows a prompt and does not read is at work, until it reads.
func TestKernelWorks(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("> ", "one", "> ")
	w.see = sleeps
	w.never(profile.Ready, 0, nil)
	w.pass(20 * time.Second)
	if v := w.is(profile.Working, state.SourceKernel); !strings.Contains(v.Rule, "it sleeps") || v.Confidence != 0.8 {
		t.Errorf("%+v", v)
	}
	w.see = woken(reads)
	w.show("", "> one", "> answer", "> ")
	w.pass(100 * time.Millisecond)
	w.is(profile.Ready, state.SourceKernel)
}

// TestKernelReady: what may stand before the cursor of a program that waits for its next line.
func TestKernelReady(t *testing.T) {
	for _, c := range []struct{ name, prompt, row string }{
		{"the same prompt", "you> ", "you> "},
		{"without its blank", "you> ", "you>"},
		{"a prompt that counts", "irb(main):009:0> ", "irb(main):010:0> "},
		{"a prompt that no rule knows", "In [3]: ", "In [4]: "},
		{"after output without a newline", "In [3]: ", "42In [4]: "},
		{"another prompt of the kind", "root@vm /work# ", "root@vm /tmp# "},
		{"no prompt", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWatched(t, "generic")
			w.answers(c.prompt, "go", "out", c.row)
			w.see = woken(polls)
			w.pass(40 * time.Millisecond)
			w.is(profile.Ready, state.SourceKernel)
		})
	}
}

// TestKernelAsks: a program that reads behind another text in the middle of a turn asks, and
// the question is what it wrote after the line.
func TestKernelAsks(t *testing.T) {
	for _, c := range []struct {
		name string
		rows []string
		want string
	}{
		{"a text", []string{"Enter a value: "}, "Enter a value:"},
		{"with the rows above", []string{"Which colour?", " red", " green", "#? "}, "Which colour?\n red\n green\n#?"},
		{"up to a blank row", []string{"out", "", "overwrite b? "}, "overwrite b?"},
		{"a word alone", []string{"X = a "}, "X = a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWatched(t, "generic")
			w.answers("$ ", "go", c.rows...)
			w.see = woken(reads)
			w.pass(40 * time.Millisecond)
			v := w.is(profile.Asking, state.SourceKernel)
			if v.Message != c.want || v.Kind != profile.KindQuestion {
				t.Errorf("%q (%s), want %q", v.Message, v.Kind, c.want)
			}
			looks := len(w.looks)
			w.pass(time.Hour)
			w.is(profile.Asking, state.SourceKernel)
			if len(w.looks) != looks {
				t.Errorf("%d looks while it asks", len(w.looks)-looks)
			}
			// The answer is typed, and the program asks the same again.
			w.d.Replied(w.see, w.now)
			w.is(profile.Working, state.SourceSubmit)
			w.pass(100 * time.Millisecond)
			w.is(profile.Working, state.SourceSubmit) // it has not woken
			w.see = woken(w.see)
			w.pass(300 * time.Millisecond)
			w.is(profile.Asking, state.SourceKernel)
		})
	}
}

// TestKernelReadsWithoutText: a program with a prompt that reads without any asks too, but not
// at once: it may be about to write one.
func TestKernelReadsWithoutText(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("$ ", "cat", "")
	w.see = woken(reads)
	w.pass(900 * time.Millisecond)
	w.is(profile.Working, state.SourceSubmit)
	w.pass(200 * time.Millisecond)
	w.is(profile.Asking, state.SourceKernel)
}

// TestKernelNotWoken: a program that has not taken its line yet waits for the same as before.
func TestKernelNotWoken(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("> ", "one", "> ")
	w.pass(900 * time.Millisecond)
	if !w.d.Unlooked(w.now) {
		t.Error("its row is believed")
	}
	w.is(profile.Working, state.SourceSubmit)
	w.see = woken(reads)
	w.pass(500 * time.Millisecond)
	w.is(profile.Ready, state.SourceKernel)
}

// TestKernelUnlooked: what a row looks like is not believed before the kernel was asked.
func TestKernelUnlooked(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("> ", "one", "> ")
	if !w.d.Unlooked(w.now) {
		t.Error("before the first look")
	}
	w.see = watches
	if w.pass(100 * time.Millisecond); w.d.Unlooked(w.now) {
		t.Error("a look that says nothing holds the others up")
	}
	w.show("", "> one", "more", "> ")
	if !w.d.Unlooked(w.now) {
		t.Error("after new output")
	}
	w.d.Looks(false)
	if w.d.Unlooked(w.now) {
		t.Error("where nobody looks")
	}
}

// TestKernelSaysNothing: what cannot be seen, and what waits for other things too, leaves the
// decision to the other sources; a question that only the kernel knew of is over.
func TestKernelSaysNothing(t *testing.T) {
	for _, see := range []waits.Look{hidden, watches, {Kind: waits.Gone}} {
		w := newWatched(t, "generic")
		w.answers("$ ", "go", "Name, please ")
		w.see = woken(reads)
		w.pass(100 * time.Millisecond)
		w.is(profile.Asking, state.SourceKernel)
		w.see = see
		w.show("", "$ go", "Name, please bob", "out")
		w.pass(100 * time.Millisecond)
		w.is(profile.Working, state.SourceSubmit)
	}
}

// TestKernelWatchedRowAsks: a program with an event loop that has shown a row that asks, and
// nothing else for a second, asks.
func TestKernelWatchedRowAsks(t *testing.T) {
	w := newWatched(t, "generic")
	w.tty.Canonical = false
	w.answers("1> ", "io:get_line(x).", "Enter a value: ")
	w.see = woken(watches)
	w.pass(900 * time.Millisecond)
	w.is(profile.Working, state.SourceSubmit)
	w.pass(400 * time.Millisecond)
	if v := w.is(profile.Asking, state.SourceKernel); v.Confidence >= 0.8 || v.Message != "Enter a value:" {
		t.Errorf("%+v", v)
	}
}

// TestKernelScreens: an agent that draws its screen waits for keys while it works, so its waits
// say nothing; a full-screen program that a shell runs waits for keys too, and that is a question.
func TestKernelScreens(t *testing.T) {
	claude := newWatched(t, "claude")
	claude.show("", "x")
	if _, wanted := claude.d.Due(claude.now); wanted {
		t.Error("a look at an agent with a profile of its screen")
	}
	drawn := newWatched(t, "generic")
	drawn.answers("> ", "go", "out", "> ")
	drawn.d.SetDrawing(true)
	drawn.see = watches
	drawn.pass(time.Second)
	if drawn.source() == state.SourceKernel {
		t.Error("the kernel's source speaks of an agent that draws its screen")
	}
	less := newWatched(t, "generic")
	less.answers("$ ", "less x", "")
	less.see = woken(reads)
	less.tty.ChildForeground, less.tty.Canonical, less.s.Alternate = true, false, true
	less.show("", "1", "2", ":")
	less.pass(100 * time.Millisecond)
	if v := less.is(profile.Asking, state.SourceKernel); v.Rule != state.RuleFullScreen {
		t.Errorf("%+v", v)
	}
}

// TestKernelSecret: a line without echo is the line editor's to tell.
func TestKernelSecret(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("$ ", "go")
	w.tty.Echo = false
	w.see = woken(reads)
	w.show("", "$ go", "Password: ")
	w.pass(time.Second)
	if v := w.is(profile.Asking, state.SourceReadline); v.Kind != profile.KindAuth {
		t.Errorf("%+v", v)
	}
}

// TestKernelStarts: a program that starts is ready as soon as it reads, and not while it does
// something else, whatever it shows.
func TestKernelStarts(t *testing.T) {
	w := newWatched(t, "generic")
	w.see = sleeps
	w.show("", "loading", "> ")
	w.pass(time.Minute)
	w.is(profile.Starting, state.SourceKernel)
	w.see = reads
	w.pass(300 * time.Millisecond)
	w.is(profile.Ready, state.SourceKernel)
}

// TestKernelPerson: a program that a person uses between two turns is looked at, too: it is
// not ready because it was.
func TestKernelPerson(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("$ ", "go", "$ ")
	w.see = woken(reads)
	w.pass(time.Second)
	w.is(profile.Ready, state.SourceKernel)
	w.see = sleeps
	w.show("", "$ go", "$ sleep 9", "")
	w.pass(time.Second)
	w.is(profile.Working, state.SourceKernel)
}

// TestKernelEnded: a turn that its driver has ended is over, whatever was seen before.
func TestKernelEnded(t *testing.T) {
	w := newWatched(t, "generic")
	w.answers("$ ", "go", "out")
	w.see = sleeps
	w.pass(time.Second)
	w.is(profile.Working, state.SourceKernel)
	w.d.Ended("test", "it is over", 1, w.now)
	w.pass(4 * time.Second)
	w.is(profile.Ready, "test")
}

// TestLookTimes: looks begin after a pause of LookFirst, become rarer up to LookMost, and end with a
// wait that has lasted for LookHold.
func TestLookTimes(t *testing.T) {
	const ms = time.Millisecond
	w := newWatched(t, "generic")
	w.answers("$ ", "go", "out")
	began := w.now
	w.see = sleeps
	w.pass(900 * ms)
	var at []time.Duration
	for _, l := range w.looks {
		at = append(at, l.Sub(began)/ms)
	}
	if want := []time.Duration{10, 20, 40, 80, 160, 320, 570, 820}; !equal(at, want) {
		t.Errorf("looks after %v ms, want %v", at, want)
	}
	w.show("", "$ go", "out", "$ ")
	w.looks, w.see = nil, woken(reads)
	w.pass(29 * ms)
	w.is(profile.Working, state.SourceKernel)
	w.pass(2 * ms)
	w.is(profile.Ready, state.SourceKernel)
	looks := len(w.looks)
	if w.pass(time.Hour); len(w.looks) != looks || looks != 2 {
		t.Errorf("%d looks at an idle program, after %d", len(w.looks)-looks, looks)
	}
}

// TestLooksShare: all looks together take less than half a percent of a processor, whatever one
// costs, while the program prints all the time. The looks before each Enter count too.
func TestLooksShare(t *testing.T) {
	for _, cost := range []time.Duration{50 * time.Microsecond, time.Millisecond, 30 * time.Millisecond} {
		w := newWatched(t, "generic")
		w.answers("$ ", "go", "out")
		w.see, w.took = sleeps, cost
		began, enters := w.now, 0
		for i := range 4000 {
			if w.show("", "$ go", "out", "$ "); i%1000 == 999 {
				l := w.see
				l.Cost = cost
				w.d.Entered(l, w.now)
				enters++
			}
			w.pass(30 * time.Millisecond)
		}
		const pause = 12 * time.Second // the last looks are still to be paid for
		share := 100 * float64(len(w.looks)+enters) * float64(cost) / float64(w.now.Sub(began)+pause)
		if share > 0.5 || len(w.looks) < 10 {
			t.Errorf("%d looks of %v in %v: %.2f %%", len(w.looks), cost, w.now.Sub(began), share)
		}
	}
}

// TestLooksBlind: looks that can see nothing become as rare as one in five seconds. When there is
// new output, the next one comes at once.
func TestLooksBlind(t *testing.T) {
	for _, see := range []waits.Look{hidden, {Kind: waits.Gone}} {
		w := newWatched(t, "generic")
		w.answers("$ ", "go", "out")
		w.mark("C") // it says that it works
		w.see = see
		w.pass(10 * time.Second)
		w.looks = nil
		if w.pass(time.Hour); len(w.looks) > 3600/5+1 || len(w.looks) < 3600/5-1 {
			t.Errorf("%v: %d looks in an hour", see.Kind, len(w.looks))
		}
		w.show("", "$ go", "out", "more")
		w.looks = nil
		if w.pass(100 * time.Millisecond); len(w.looks) < 3 {
			t.Errorf("%v: %d looks after new output", see.Kind, len(w.looks))
		}
	}
}

func equal(a, b []time.Duration) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestKernelInnerBusy: the row of a program that only relays another terminal asks while the program
// on that terminal waits, and not while it is busy.
func TestKernelInnerBusy(t *testing.T) {
	for _, busy := range []bool{true, false} {
		w := newWatched(t, "generic")
		w.answers("$ ", "go", "The name: ")
		w.see = woken(watches)
		w.see.InnerBusy = busy
		w.pass(3 * time.Second)
		if v, _ := w.d.Verdict(w.now); (v.State == profile.Asking) == busy {
			t.Errorf("the inner program is busy: %v, and the verdict is %+v", busy, v)
		}
	}
}
