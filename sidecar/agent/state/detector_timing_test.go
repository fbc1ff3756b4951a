package state_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// durations are the states that the detector believes that long, and not a millisecond
// earlier, after begin.
var durations = []struct {
	field string // of profile.Timing
	agent string
	about string
	lasts time.Duration
	begin func(b *bench)
	want  profile.State
}{
	{"AskingHold", "claude", "a question of an agent at work", 200 * time.Millisecond, func(b *bench) {
		b.works()
		b.show(idleTitle, asks("❯ hello")...)
	}, profile.Asking},
	{"ReadyHold", "claude", "the end of work that was seen", 300 * time.Millisecond, func(b *bench) {
		b.works()
		b.show(idleTitle, box("", "❯ hello", "● fine")...)
	}, profile.Ready},
	{"UnsureHold", "claude", "the end of work that was not seen", time.Second, func(b *bench) {
		b.submits()
		b.show(idleTitle, box("", "❯ hello", "● fine")...)
	}, profile.Ready},
	{"UnsureHold", "claude", "the end of a question", time.Second, func(b *bench) {
		b.works()
		b.show(idleTitle, asks("❯ hello")...)
		b.after(time.Second)
		b.is(profile.Asking, "screen")
		b.show(idleTitle, box("", "❯ hello", "● fine")...)
	}, profile.Ready},
	{"PromptHold", "gdb", "the prompt of a line editor", 100 * time.Millisecond, func(b *bench) {
		b.paste(1)
		b.after(time.Second)
		b.d.Submitted(b.now)
		b.paste(0)
		b.after(time.Second)
		b.paste(1)
	}, profile.Ready},
	{"MarkHold", "bash", "the end of a command without a prompt's mark", 30 * time.Millisecond, func(b *bench) {
		b.mark("A")
		b.show("", "$ ")
		b.after(time.Second)
		b.d.Submitted(b.now)
		b.mark("C")
		b.event(term.Event{Kind: term.EventMark, Text: "D", Code: 0})
	}, profile.Ready},
	{"GenericHold", "claude", "a report before there is an input", 2 * time.Second, func(b *bench) {
		b.d.Report(state.Report{State: profile.Ready}, b.now)
	}, profile.Ready},
	{"GenericHold", "claude", "work on the screen after a question that was never drawn", 2 * time.Second, func(b *bench) {
		b.works()
		b.d.Report(state.Report{State: profile.Asking, Kind: "permission"}, b.now)
		b.is(profile.Asking, "hook")
		b.show(idleTitle, "nothing")
		b.now = b.now.Add(time.Second)
		b.show(busyTitle, busy("❯ hello")...)
	}, profile.Working},
	{"NothingHold", "claude", "a screen that no rule knows", 300 * time.Millisecond, func(b *bench) {
		b.show(idleTitle, box("")...)
		b.after(time.Second)
		b.is(profile.Ready, "screen")
		b.show("x", "something")
	}, profile.Unknown},
	{"OppositeHold", "claude", "an interrupted turn of which no hook reports the end", time.Second, func(b *bench) {
		b.works()
		b.d.Report(state.Report{State: profile.Working}, b.now)
		b.now = b.now.Add(time.Millisecond)
		b.show(idleTitle, box("", "❯ hello", "● fine")...)
	}, profile.Ready},
	{"Silence", "generic", "an unknown program that is quiet", 5 * time.Second, func(b *bench) {
		b.show("", "welcome", "")
	}, profile.Ready},
	{"Silence", "claude", "a message that came to nothing", 5 * time.Second, func(b *bench) {
		b.submits()
		b.show(idleTitle, box("", "❯ hello")...)
	}, profile.Ready},
	{"LongSilence", "generic", "one whose prompt was seen before", 30 * time.Second, func(b *bench) {
		b.show("", "welcome", "acme> ")
		b.after(time.Second)
		b.d.Submitted(b.now)
		b.show("", "welcome", "acme> wait", "")
	}, profile.Ready},
}

// submits is an agent that was ready, and gets a message.
func (b *bench) submits() {
	b.show(idleTitle, box("")...)
	b.after(time.Second)
	b.is(profile.Ready, "screen")
	b.show(idleTitle, box("hello")...)
	b.d.Submitted(b.now)
}

// works is submits up to the agent at work.
func (b *bench) works() {
	b.submits()
	b.now = b.now.Add(time.Millisecond)
	b.show(busyTitle, busy("❯ hello")...)
	b.after(time.Millisecond)
	b.is(profile.Working, "screen")
	b.now = b.now.Add(time.Second)
}

// looked are the durations of which looks at the kernel are a part: like durations, with a program that
// is looked at.
var looked = []struct {
	field string // of profile.Timing
	about string
	lasts func(profile.Timing) time.Duration
	begin func(w *watched)
	done  func(w *watched) bool
}{
	{"LookFirst", "a pause of the output before the first look", func(p profile.Timing) time.Duration { return p.LookFirst }, func(w *watched) {
		w.see = sleeps
		w.show("", "out")
	}, func(w *watched) bool { return len(w.looks) > 0 }},
	{"LookMost", "the longest time between two looks", func(p profile.Timing) time.Duration { return p.LookMost }, func(w *watched) {
		w.answers("$ ", "go", "out")
		w.see = sleeps
		w.pass(20 * time.Second)
		for n := len(w.looks); len(w.looks) == n; {
			w.pass(time.Millisecond)
		}
		w.looks = nil
	}, func(w *watched) bool { return len(w.looks) > 0 }},
	{"ChildHold", "a child that watches the terminal", func(p profile.Timing) time.Duration { return p.ChildHold + p.LookFirst }, func(w *watched) {
		w.answers("$ ", "create")
		w.tty.ChildForeground, w.tty.Canonical, w.tty.Echo = true, false, false
		w.see = watches
		w.show("", "$ create", "Project name ")
	}, func(w *watched) bool { v, _ := w.d.Verdict(w.now); return v.State == profile.Asking }},
	{"LookHold", "a wait for input that lasts", func(p profile.Timing) time.Duration { return p.LookHold }, func(w *watched) {
		w.see = reads
		w.show("", "$ ")
		for len(w.looks) == 0 {
			w.pass(time.Millisecond)
		}
	}, func(w *watched) bool { return w.ready() }},
	{"LookRest", "the pause after a dear look", func(p profile.Timing) time.Duration {
		return time.Duration(p.LookRest) * 20 * time.Millisecond
	}, func(w *watched) {
		w.answers("$ ", "go", "out")
		w.see, w.took = sleeps, 20*time.Millisecond
		for len(w.looks) == 0 {
			w.pass(time.Millisecond)
		}
		w.looks = nil
	}, func(w *watched) bool { return len(w.looks) > 0 }},
	{"StartHold", "what an agent draws at its start rests", func(p profile.Timing) time.Duration { return p.StartHold + p.LookFirst }, func(w *watched) {
		w.draws()
		w.see = watches
		w.show("", "a picture")
	}, func(w *watched) bool { return w.ready() }},
	{"StartMost", "an input on a screen that never rests", func(p profile.Timing) time.Duration { return p.StartMost }, func(w *watched) {
		w.draws()
		w.see = watches
		w.show("", "a picture", "> ")
		w.moves = true
	}, func(w *watched) bool { return w.ready() }},
	{"PageHold", "the screen of a program that waits for a key", func(p profile.Timing) time.Duration { return p.PageHold + p.LookFirst }, func(w *watched) {
		w.draws()
		w.s.Alternate = true
		w.see = reads
		w.show("", "1", ":")
		w.pass(2 * time.Second)
		w.is(profile.Ready, state.SourceKernel)
		w.d.SetDrawing(true)
		w.d.Submitted(w.now)
		w.see = woken(reads)
		w.now = w.now.Add(time.Millisecond)
		w.show("", "2", ":")
	}, func(w *watched) bool { return w.ready() }},
}

// draws makes the program one that draws its screen.
func (w *watched) draws() { w.s.CursorShown, w.tty.Canonical, w.tty.Echo = false, false, false }

func (w *watched) ready() bool {
	v, _ := w.d.Verdict(w.now)
	return v.State == profile.Ready
}

// TestLooked: each of these lasts as long as the profile says, with its default and with other values.
func TestLooked(t *testing.T) {
	for _, c := range looked {
		for _, times := range []int64{1, 2} {
			t.Run(fmt.Sprintf("%s: %s, times %d", c.field, c.about, times), func(t *testing.T) {
				p := *profile.Generic()
				v := reflect.ValueOf(&p.Timing).Elem().FieldByName(c.field)
				v.SetInt(v.Int() * times)
				w := newWatchedOf(t, &p)
				c.begin(w)
				const step = time.Millisecond
				want, took := c.lasts(p.Timing), time.Duration(0)
				for ; !c.done(w) && took < 2*want; took += step {
					if w.pass(step); w.moves && took%(100*step) == 0 {
						w.show("", "a picture "+strings.Repeat("~", int(took/step)/100), "> ")
					}
				}
				if off := took - want; off < -2*step || off > 2*step {
					t.Errorf("it took %v, want %v", took, want)
				}
			})
		}
	}
}

// elsewhere are fields that tests of other packages test: the driver's measure of silence.
var elsewhere = []string{"QuietTimes", "QuietMost"}

func TestDurations(t *testing.T) {
	tested := map[string]bool{}
	for _, field := range elsewhere {
		tested[field] = true
	}
	for _, l := range looked {
		tested[l.field] = true
	}
	for _, d := range durations {
		tested[d.field] = true
		t.Run(d.field+": "+d.about, func(t *testing.T) {
			b := newBench(t, d.agent)
			d.begin(b)
			b.after(d.lasts - time.Millisecond)
			if v, _ := b.d.Verdict(b.now); v.State == d.want {
				t.Fatalf("%s by %s (%s) before %v", v.State, v.Source, v.Rule, d.lasts)
			}
			b.after(time.Millisecond)
			if v, _ := b.d.Verdict(b.now); v.State != d.want {
				t.Errorf("%s by %s (%s) after %v, want %s", v.State, v.Source, v.Rule, d.lasts, d.want)
			}
		})
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[profile.Timing]()) {
		if f.Name == "PasteMode" {
			break // from here on, they are the driver's
		}
		if !tested[f.Name] {
			t.Errorf("%s is not tested", f.Name)
		}
	}
}
