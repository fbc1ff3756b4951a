package state_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

var updateVerdicts = flag.Bool("update-verdicts", false, "write testdata/verdicts anew: look at every line of the difference")

// TestVerdictsOfRecordings plays every recording of a real agent to a detector,
// with the recording's own clock, and compares what it says of the agent, and
// when, beside what was typed.
func TestVerdictsOfRecordings(t *testing.T) {
	casts, err := filepath.Glob("../../../proc/term/testdata/recordings/*.cast")
	if err != nil || len(casts) < 30 {
		t.Fatalf("%d recordings: %v", len(casts), err)
	}
	for _, cast := range casts {
		name := strings.TrimSuffix(filepath.Base(cast), ".cast")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := replay(t, cast)
			golden := filepath.Join("testdata/verdicts", name+".txt")
			if *updateVerdicts {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("verdicts\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// player is one recording on its way through a screen and a detector.
type player struct {
	t      *testing.T
	d      *state.Detector
	screen *term.Screen
	start  time.Time
	now    time.Time
	last   state.Verdict
	out    strings.Builder
}

// profileOf is the profile for a recording, by its name: some were started by a
// path that tells nothing.
func profileOf(t *testing.T, name string) *profile.Profile {
	t.Helper()
	words := strings.Split(strings.TrimSuffix(filepath.Base(name), ".cast"), "-")
	word := words[0]
	if word == "dumb" || word == "subj" {
		word = words[1]
	}
	return agent.For([]string{strings.TrimRight(word, "0123456789")})
}

func replay(t *testing.T, cast string) string {
	t.Helper()
	f, err := os.Open(cast)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header, events, err := term.ReadCast(f)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{t: t, start: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	p.now = p.start
	p.d = state.NewDetector(profileOf(t, cast), p.now)
	p.screen = term.New(term.Options{
		Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone,
		Event: func(e term.Event) { p.d.Event(e, p.now) }, Now: func() time.Time { return p.now },
	})
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		p.until(p.start.Add(e.At))
		p.play(e)
	}
	if p.screen.Snapshot().Modes.BracketedPaste { // else it has taken its leave
		p.until(p.now.Add(2 * time.Second))
	}
	p.d.Exited(p.now)
	p.look()
	return p.out.String()
}

// play takes one event. Enter sends a message where the agent was ready for
// one, and where the recording shows that it was not swallowed: there the agent
// does something, which is the test.
func (p *player) play(e term.CastEvent) {
	switch e.Kind {
	case term.CastOutput:
		if _, err := p.screen.Write([]byte(e.Data)); err != nil {
			p.t.Fatal(err)
		}
		p.see()
	case term.CastResize:
		p.screen.Resize(e.Cols, e.Rows)
		p.see()
	case term.CastInput:
		if answer(e.Data) {
			return
		}
		fmt.Fprintf(&p.out, "%8.3f   > %.60q\n", e.At.Seconds(), e.Data)
		if strings.HasSuffix(e.Data, "\r") && p.last.State == profile.Ready {
			p.d.Submitted(p.now)
			p.look()
		}
	}
}

// answer says whether input is what a terminal says by itself.
func answer(data string) bool {
	return strings.HasPrefix(data, "\x1b[?") || strings.HasPrefix(data, "\x1b]") || strings.HasPrefix(data, "\x1bP") ||
		strings.HasPrefix(data, "\x1b[") && strings.IndexAny(data, "RtcIO") > 1
}

func (p *player) see() {
	p.d.Screen(p.screen.Snapshot(), state.TTY{}, p.now)
	p.look()
}

// until lets time pass, asking again when the detector said to.
func (p *player) until(end time.Time) {
	for {
		recheck := p.look()
		if recheck == 0 || p.now.Add(recheck).After(end) {
			break
		}
		p.now = p.now.Add(recheck)
	}
	p.now = end
}

// rank takes what is read from the screen for one source: between two frames the
// title and the rows take turns.
func rank(source string) string {
	if source == profile.SourceTitle || source == profile.SourcePrompt {
		return profile.SourceScreen
	}
	return source
}

// look notes the verdict when it is another.
func (p *player) look() time.Duration {
	v, recheck := p.d.Verdict(p.now)
	if v.State != p.last.State || v.Kind != p.last.Kind || rank(v.Source) != rank(p.last.Source) || v.Failed != p.last.Failed {
		what := string(v.State)
		if v.Kind != "" {
			what += " " + v.Kind
		}
		if v.Failed {
			what += " failed"
		}
		fmt.Fprintf(&p.out, "%8.3f %-20s %s: %s", p.now.Sub(p.start).Seconds(), what, v.Source, v.Rule)
		if v.Message != "" {
			p.out.WriteString(" " + strconv.Quote(v.Message))
		}
		p.out.WriteByte('\n')
	}
	p.last = v
	return recheck
}
