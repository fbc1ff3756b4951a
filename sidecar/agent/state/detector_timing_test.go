package state_test

import (
	"reflect"
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

func TestDurations(t *testing.T) {
	tested := map[string]bool{"LookFirst": true, "LookMost": true, "LookHold": true, "LookRest": true, // by TestLookTimes
		"StartHold": true, "StartMost": true, "PageHold": true, // by the tests of the start, and of pages
		"QuietTimes": true, "QuietMost": true} // by TestRhythm of the driver
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
