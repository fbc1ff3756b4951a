package console_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// TestLooksCost: looks at real programs cost nothing while the programs are idle, and less than half
// a percent of a processor while they work.
func TestLooksCost(t *testing.T) {
	span := 2 * time.Second
	if testing.Verbose() {
		span = 10 * time.Second
	}
	for _, c := range []struct {
		name, script string
		submitted    bool
		most         uint64 // looks in a second
	}{
		{"idle at its prompt", "printf '> '; cat", false, 0},
		{"asks and waits", "sleep 0.3; printf 'Name, please '; cat", true, 0},
		{"works silently", "sleep 0.1; sleep 100", true, 5},
		{"prints every 30 ms", "while printf 'a line\\n'; do sleep 0.03; done", true, 80},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			con := consoleOf(t, proctest.Shell(c.script))
			if c.submitted {
				con.Submitted("")
				con.Entering()
			}
			wait := time.NewTimer(2 * time.Second)
			<-wait.C
			before := con.Looks()
			wait.Reset(span)
			<-wait.C
			after := con.Looks()
			looks, took := after.Times-before.Times, after.Took-before.Took
			share := 100 * took.Seconds() / span.Seconds()
			t.Logf("%s: %d looks in %v, %v of processor: %.3f %% (%s)", c.name, looks, span, took, share, con.Look().Verdict.State)
			if looks > c.most*uint64(span/time.Second) {
				t.Errorf("%d looks in %v", looks, span)
			}
			edge := 100 * took.Seconds() / float64(max(looks, 1)) / span.Seconds() // the pause after the last look is not over
			if share > 0.5+edge {
				t.Errorf("%.3f %% of a processor", share)
			}
		})
	}
}
