package state_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// FuzzDetector gives a detector anything in any order: it always has a verdict,
// the same when it is asked twice, and comes to rest when nothing happens.
func FuzzDetector(f *testing.F) {
	f.Add("claude", []byte{0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220, 240})
	f.Add("bash", []byte("pPpPsSmMcCaAdDzZ"))
	f.Add("generic", []byte{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233})
	states := []profile.State{profile.Ready, profile.Working, profile.Asking, state.Failed, profile.Starting, profile.Exited, ""}
	told := []string{"idle", "working", "blocked", "done", "error", "clear", "nonsense"}
	screens := [][]string{box(""), box("hello"), busy("● Hi"), asks("● Hi"), {"$ "}, {"total", ">>> "}, {}, {"Continue? [y/N] "}, {"name? "}}
	f.Fuzz(func(t *testing.T, name string, ops []byte) {
		if _, err := agent.Load(name); err != nil || len(ops) > 200 {
			t.Skip()
		}
		b := newBench(t, name)
		for i, op := range ops {
			arg := int(op) / 12
			switch op % 12 {
			case 0:
				b.status(term.Status{State: told[arg%len(told)], Kind: profile.KindAuth})
			case 1:
				b.mark(string("ABCDX"[arg%5]))
			case 2:
				b.paste(arg % 2)
			case 3:
				b.event(term.Event{Kind: term.EventProgress, Code: arg % 6})
			case 4:
				b.event(term.Event{Kind: term.EventNotify, Text: "Approval requested: x"})
			case 5:
				b.d.Report(state.Report{State: states[arg%len(states)], Final: arg%2 == 0}, b.now)
			case 6:
				b.d.Report(state.Report{Source: state.SourceChannel, State: states[arg%len(states)]}, b.now)
			case 7, 8:
				b.show("", screens[arg%len(screens)]...)
			case 9:
				b.d.Submitted(b.now)
			case 10:
				b.tty = state.TTY{Canonical: arg&1 != 0, Echo: arg&2 != 0, ChildForeground: arg&4 != 0}
			case 11:
				b.after(time.Duration(arg) * 100 * time.Millisecond)
			}
			v, recheck := b.d.Verdict(b.now)
			again, _ := b.d.Verdict(b.now)
			if v.State == "" || v.Source == "" || v.State == profile.Exited || recheck < 0 || v.Confidence <= 0 || v.Confidence > 1 {
				t.Fatalf("after %d steps: %+v, %s", i+1, v, recheck)
			}
			if v.State != again.State || v.Kind != again.Kind {
				t.Fatalf("after %d steps: %+v, and asked again %+v", i+1, v, again)
			}
		}
		b.after(time.Hour)
		if v, recheck := b.d.Verdict(b.now); recheck != 0 {
			t.Errorf("after an hour: %+v, and to be asked again in %s", v, recheck)
		}
		b.d.Exited(b.now)
		b.is(profile.Exited, state.SourceExit)
	})
}
