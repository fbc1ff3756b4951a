package learn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// played plays a recording. It calls saw with each screen and typed with what is typed.
func played(t *testing.T, cast string, saw func(at time.Duration, s term.Snapshot), typed func(data string, s term.Snapshot)) {
	t.Helper()
	header, events := agenttest.Recording(t, cast)
	var now time.Time
	s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone, Now: func() time.Time { return now }})
	for _, e := range events {
		now = time.Unix(0, 0).Add(e.At)
		switch e.Kind {
		case term.CastOutput:
			_, _ = s.Write([]byte(e.Data))
			saw(e.At, s.Snapshot())
		case term.CastInput:
			typed(e.Data, s.Snapshot())
		}
	}
}

// taught returns a learner that has seen a recording.
func taught(t *testing.T, cast string) *learn.Learner {
	l := &learn.Learner{}
	message, working := "", false
	var last term.Snapshot
	played(t, cast, func(_ time.Duration, s term.Snapshot) {
		if last = s; working {
			l.SeeWorking(s)
		}
	}, func(data string, s term.Snapshot) {
		data = strings.TrimSuffix(strings.TrimPrefix(data, "\x1b[200~"), "\x1b[201~")
		switch {
		case data == "\r" && message != "":
			if !l.Typed(s, message) {
				return // the agent has taken this Enter for text
			}
			message, working = "", true
		case data == "" || data[0] < ' ':
		default:
			if working {
				l.SeeResting(s)
				working = false
			}
			if message == "" {
				l.Before(s)
			}
			message += strings.TrimSuffix(data, "\r")
		}
	})
	if working {
		l.SeeResting(last)
	}
	return l
}

// TestRecordings: on nearly all screens, the profile that is learnt of an agent agrees with the
// agent's own profile about the text in the input and about the state, and it never says that the
// agent is ready while it works. The recording of opencode ends before its first turn does, so
// that it shows no rest to learn from.
func TestRecordings(t *testing.T) {
	for name, share := range map[string]struct{ inputs, states float64 }{
		"claude": {1, 1}, "codex": {1, 0.8}, "gemini": {1, 1}, "opencode": {0.97, 0},
	} {
		t.Run(name, func(t *testing.T) {
			cast := "../" + name + "/testdata/prompt.cast"
			own, err := agent.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			p := taught(t, cast).Profile("learnt")
			if p == nil {
				t.Fatal("nothing was learnt")
			}
			all, inputs, states, early := 0.0, 0.0, 0.0, 0
			played(t, cast, func(at time.Duration, s term.Snapshot) {
				m, known := own.Match(s)
				text, ok := own.Input(s)
				if !known || !ok {
					return
				}
				all++
				if got, _ := p.Input(s); got == text {
					inputs++
				}
				got, _ := p.Match(s)
				if got.State == m.State {
					states++
				}
				if got.State == profile.Ready && m.State == profile.Working {
					early++
				}
			}, func(string, term.Snapshot) {})
			t.Logf("of %v screens the input is right on %v, the state on %v; ready while it works: %d", all, inputs, states, early)
			if inputs < share.inputs*all || states < share.states*all || share.states > 0 && early > 0 {
				t.Errorf("that is too little; it has learnt %s", taught(t, cast).File("x").JSON())
			}
		})
	}
}
