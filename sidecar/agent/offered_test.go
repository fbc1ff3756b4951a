package agent_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestNoOptionsOfAnAgentThatDoesNotAsk: on no frame of an agent's recording do options stand
// while the agent's own profile says that it works or is ready. So a program that nobody has
// described, and that looks like one of these, is not taken for one that asks.
func TestNoOptionsOfAnAgentThatDoesNotAsk(t *testing.T) {
	golden.Each(t, "*/testdata/*.cast", 50, func(t *testing.T, cast string) {
		t.Parallel()
		p := profileOf(t, cast)
		if p.Name == profile.GenericName {
			t.Skip("nothing else tells whether it asks")
		}
		header, events := agenttest.Recording(t, cast)
		var now, since, early = time.Time{}, time.Duration(0), "" // a question may be drawn before the row that its profile looks for
		s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone, Now: func() time.Time { return now }})
		for _, e := range events {
			now = time.Time{}.Add(e.At)
			switch e.Kind {
			case term.CastOutput:
				_, _ = s.Write([]byte(e.Data)) // never fails
			case term.CastResize:
				s.Resize(e.Cols, e.Rows)
			}
			snap := s.Snapshot()
			set, ok := option.Read(snap)
			switch m, known := p.Match(snap); {
			case known && (m.State == profile.Asking || m.State == profile.Dialogue):
				early = ""
			case early != "" && e.At-since > time.Second:
				t.Fatal(early)
			case ok && early == "" && known && (m.State == profile.Working || m.State == profile.Ready):
				since, early = e.At, fmt.Sprintf("at %s %s, and these are options: %+v\n%s", e.At, m.State, set, snap.Text())
			}
		}
		if early != "" {
			t.Error(early)
		}
	})
}
