package profile_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

var updateMatches = flag.Bool("update-matches", false, "write testdata/matches anew: look at every line of the difference")

// TestMatchOfRecordings shows each recording and run to its profile, byte for
// byte as it was, and compares what the rules say of the screen, and when.
func TestMatchOfRecordings(t *testing.T) {
	recordings, _ := filepath.Glob("../../../proc/term/testdata/recordings/*.cast")
	runs, _ := filepath.Glob("testdata/runs/*.cast")
	if len(recordings) < 30 || len(runs) < 8 {
		t.Fatalf("%d recordings, %d runs", len(recordings), len(runs))
	}
	for _, cast := range append(recordings, runs...) {
		name := strings.TrimSuffix(filepath.Base(cast), ".cast")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := matches(t, cast, recorded(name))
			golden := filepath.Join("testdata/matches", name+".txt")
			if *updateMatches {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// recorded is the profile for a recording, by its name.
func recorded(name string) *profile.Profile {
	word, rest, _ := strings.Cut(name, "-")
	if word == "dumb" || word == "subj" {
		word, _, _ = strings.Cut(rest, "-")
	}
	return agent.For([]string{strings.TrimSuffix(word, "2328")})
}

// matches is each change of what the profile says of the screen.
func matches(t *testing.T, cast string, p *profile.Profile) string {
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
	var now time.Time
	s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone, Now: func() time.Time { return now }})
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", p.Name)
	last := ""
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		now = time.Time{}.Add(e.At)
		switch e.Kind {
		case term.CastOutput:
			if _, err := s.Write([]byte(e.Data)); err != nil {
				t.Fatal(err)
			}
		case term.CastResize:
			s.Resize(e.Cols, e.Rows)
		}
		if line := describe(p, s.Snapshot()); line != last {
			fmt.Fprintf(&out, "%8.3f %s\n", e.At.Seconds(), line)
			last = line
		}
	}
	return out.String()
}

func describe(p *profile.Profile, s term.Snapshot) string {
	m, ok := p.Match(s)
	if !ok {
		return "-"
	}
	line := fmt.Sprintf("%-9s %s (%s)", m.State, m.Rule, m.Source)
	if m.Generic {
		line += " (any agent)"
	}
	if m.Kind != "" {
		line += ", " + m.Kind
	}
	if m.Message != "" && m.Message != m.Rule {
		line += fmt.Sprintf(" %.60q", m.Message)
	}
	if in, ok := p.Input(s); ok && in != "" {
		line += fmt.Sprintf(" input %.40q", in)
	}
	return line
}
