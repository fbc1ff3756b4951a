package profile_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

func everyProfile(t testing.TB) []*profile.Profile {
	var all []*profile.Profile
	for _, name := range agent.Names() {
		all = append(all, load(t, name))
	}
	return all
}

// FuzzMatch: no screen makes a rule panic, and what is read of a question can be
// answered.
func FuzzMatch(f *testing.F) {
	for _, name := range golden.Files(f, "../*/testdata/*.screen", 20) {
		f.Add(golden.Read(f, name), "✳ Claude Code", 3, 5, true)
	}
	for _, text := range lookalikes {
		f.Add(text, "", 0, 0, false)
	}
	f.Add("Go on?\n", "", -86, -1, true) // no such place is on a screen
	f.Add("Go on?\n", "", 99, 999, true)
	all := everyProfile(f)
	f.Fuzz(func(t *testing.T, text, title string, row, col int, shown bool) {
		if len(text) > 64<<10 {
			return
		}
		s := screen(text)
		s.Title, s.CursorRow, s.CursorCol, s.CursorShown = title, row, col, shown
		for _, p := range all {
			p.Match(s)
			p.Input(s)
			q, ok := p.Question(s)
			if !ok {
				continue
			}
			if q.ID == "" || q.Kind == "" || len(q.Options) > 20 || len(q.Detail) > 8<<10 || utf8.ValidString(text) && !utf8.ValidString(q.Text+q.Detail) {
				t.Errorf("%s: %+v", p.Name, q)
			}
			for _, o := range q.Options {
				if o.ID == "" || o.Kind == "" || len(o.Keys) == 0 && o.Type == "" && q.Axis == option.Typed {
					t.Errorf("%s: option %+v", p.Name, o)
				}
			}
		}
	})
}

// FuzzParse: a profile is loaded or refused with a place for each fault.
func FuzzParse(f *testing.F) {
	for _, a := range agent.Known() {
		f.Add([]byte(a.Profile))
	}
	f.Add([]byte(`{"signs":[{"rule":"x","state":"ready","all":["("]}],"signs":null}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := profile.Parse("f.json", src, agent.WithHooks()...)
		if err == nil {
			p.Match(screen("❯ 1. Yes\n  2. No"))
			p.Question(screen("❯ 1. Yes\n  2. No"))
			p.Input(screen("❯ x"))
			p.Args([]string{"x", "--", "y"}, false)
			return
		}
		faults, ok := err.(jsontree.Faults)
		if !ok || len(faults) == 0 {
			t.Fatalf("%v", err)
		}
		for _, fault := range faults {
			if fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
				t.Errorf("%+v", fault)
			}
		}
	})
}

// TestRulesAreQuickOnHugeScreens holds the time that the largest screen takes,
// filled with what patterns have to look at longest.
func TestRulesAreQuickOnHugeScreens(t *testing.T) {
	for _, fill := range []string{"a", "  ┃  ", "│ ● 1. x │", "· esc to "} {
		row := strings.Repeat(fill, 1000/max(1, utf8.RuneCountInString(fill)))
		s := term.Snapshot{Cols: 1000, Rows: 500, CursorRow: 499, CursorCol: 999}
		for range 500 {
			s.Lines = append(s.Lines, term.Line{Text: row})
		}
		for _, name := range []string{"claude", "gemini", "opencode", profile.GenericName} {
			p := load(t, name)
			best := time.Hour
			for range 3 { // the machine has others to serve
				start := time.Now()
				p.Match(s)
				p.Question(s)
				p.Input(s)
				if best = min(best, time.Since(start)); best < 100*time.Millisecond {
					break
				}
			}
			if best > time.Second { // a tenth of it without the race detector
				t.Errorf("%s took %v on a screen of %q", name, best, fill)
			}
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, name := range []string{"claude/permission.ask-write", "claude/328-seen.ready", "codex/permission.ask-shell", "gemini/permission.ask-write", "opencode/permission.ask-write"} {
		of, step, _ := strings.Cut(name, "/")
		p, s := load(b, of), readScreen(b, of, step)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p.Match(s)
			}
		})
	}
	p, s := load(b, "claude"), screen(strings.Repeat("  and so on\n", 30)+strings.Repeat("─", 120)+"\n❯\u00a0\n"+strings.Repeat("─", 120)+"\n  esc to interrupt\n")
	b.Run("claude-working", func(b *testing.B) {
		for b.Loop() {
			p.Match(s)
		}
	})
}
