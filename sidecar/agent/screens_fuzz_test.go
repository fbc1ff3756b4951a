package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// busy is a screen of a recording on which the agent's own profile sees it work or ask.
type busy struct {
	cast   string
	own    *profile.Profile
	match  profile.Match
	screen term.Snapshot
}

// busyScreens returns such screens, one for each rule and number of rows of a recording.
func busyScreens(t testing.TB) (screens []busy) {
	for _, cast := range recordings(t) {
		own := profileOf(t, cast)
		seen := map[string]bool{}
		header, events := agenttest.Recording(t, cast)
		s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows, Answers: term.AnswerNone})
		for _, e := range events {
			switch e.Kind {
			case term.CastOutput:
				if _, err := s.Write([]byte(e.Data)); err != nil {
					t.Fatal(err)
				}
			case term.CastResize:
				s.Resize(e.Cols, e.Rows)
			}
			snap := s.Snapshot()
			m, ok := own.Match(snap)
			key := m.Rule + string(rune(len(strings.TrimRight(snap.Text(), "\n"))/200))
			if !ok || seen[key] || m.State != profile.Working && m.State != profile.Asking && m.State != profile.Dialogue {
				continue
			}
			seen[key] = true
			screens = append(screens, busy{cast: cast, own: own, match: m, screen: snap})
		}
	}
	return screens
}

// below are rows that agents draw under a question or a spinner.
var below = []string{
	"", "  ? for shortcuts", " Esc to cancel · Tab to amend", "  ⠏ Waiting for user confirmation...", "  Press enter to confirm or esc to cancel",
	"  esc to interrupt", "  stub-model default · /home/agent/work", " Enter select  Esc cancel",
}

// kept is how many of the last rows of a screen hold what its agent does, and stay: as many
// as any rule looks at for a question.
const kept = 40

// mixed returns a screen with what the agent of b does in its place, and anything else
// around it: rows of another recording above, blank rows or, for a question, hints below, a
// taller terminal, fewer rows at the top.
func mixed(b, other busy, above, cut, blank int, hint string) term.Snapshot {
	s := b.screen
	rows := slices.Clone(s.Lines)
	end := len(rows)
	for end > 0 && rows[end-1].Text == "" {
		end--
	}
	tail := rows[max(0, end-kept):end]
	head := rows[:max(0, end-kept)]
	head = head[min(cut, len(head)):]
	if end > kept {
		head = append(slices.Clone(other.screen.Lines[:min(above, len(other.screen.Lines))]), head...)
	}
	moved := len(head) + len(tail) - end
	rows = append(slices.Clone(head), tail...)
	if hint != "" {
		rows = append(rows, term.Line{}, term.Line{Text: hint})
	}
	for range blank {
		rows = append(rows, term.Line{})
	}
	for len(rows) < s.Rows {
		rows = append(rows, term.Line{})
	}
	s.Lines, s.Rows = rows, len(rows)
	s.CursorRow = min(max(0, s.CursorRow+moved), len(rows)-1)
	return s
}

// FuzzScreens makes screens of those of the recordings, and holds that no rule says ready,
// neither of the agent's own profile nor of the generic one, on a screen that has an agent's
// sign of work or its question in its place.
func FuzzScreens(f *testing.F) {
	screens := busyScreens(f)
	if len(screens) < 50 {
		f.Fatalf("only %d screens", len(screens))
	}
	for i := range screens {
		f.Add(uint16(i), uint16(i+7), uint8(0), uint8(0), uint8(0), uint8(0))
		f.Add(uint16(i), uint16(i*5), uint8(9), uint8(3), uint8(2), uint8(i))
	}
	f.Fuzz(func(t *testing.T, which, other uint16, above, cut, blank, hint uint8) {
		b := screens[int(which)%len(screens)]
		row := ""
		if b.match.State == profile.Asking {
			row = below[int(hint)%len(below)]
		}
		s := mixed(b, screens[int(other)%len(screens)], int(above)%60, int(cut)%60, int(blank)%20, row)
		for _, p := range []*profile.Profile{b.own, profile.Generic()} {
			if m, ok := p.Match(s); ok && m.State == profile.Ready {
				t.Errorf("%s: %q of %s says ready where %q says %s:\n%s", b.cast, m.Rule, p.Name, b.match.Rule, b.match.State, s.Text())
			}
		}
	})
}
