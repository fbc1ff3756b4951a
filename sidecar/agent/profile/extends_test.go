package profile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// files writes files into a folder, and returns it.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExtends holds what a profile takes from the one that it is on top of.
func TestExtends(t *testing.T) {
	dir := files(t, map[string]string{
		"mine.json": `{"extends": "more/base.json", "signs+": [{"rule": "hum", "state": "working", "all": ["~hmm"]}], "clear": ["\u0015"],
			"timing": {"readyHold": 500}, "start": {"env": {"B": "2"}}}`,
		"more/base.json": `{"extends": "./lowest.json", "name": "base", "about": "it", "interrupt": ["\u001b"], "clear": ["\u0003", "\u0003"],
			"timing": {"askingHold": 700}, "signs": [{"rule": "hum", "state": "ready", "all": ["hum"]}, {"rule": "box", "state": "ready", "all": ["^> "]}]}`,
		"more/lowest.json": `{"linePrompt": "lowest> $", "signs": [{"rule": "gone", "state": "asking", "all": ["."]}], "start": {"readyMs": 1000, "env": {"A": "1"}}}`,
	})
	p, err := agent.Load(filepath.Join(dir, "mine.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rules []string
	for _, s := range p.Signs {
		rules = append(rules, s.Rule+" "+string(s.State))
	}
	got := fmt.Sprint(p.Name, p.About, p.Interrupt, len(p.Clear), p.Timing.ReadyHold, p.Timing.AskingHold, p.Start.Env, p.Start.ReadyMS, rules, p.LinePrompt != nil)
	if want := "mine[\x1b] 1 500ms 700ms map[A:1 B:2] 1000 [hum working box ready] true"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestResolvedSaysTheSame holds that the one file that is printed is the profile, and
// stands alone.
func TestResolvedSaysTheSame(t *testing.T) {
	dir := files(t, map[string]string{
		"mine.json": `{"extends": "claude", "name": "claude", "signs+": [{"rule": "hum", "state": "working", "all": ["<~hmm>"]}]}`,
	})
	text, err := agent.Resolved(filepath.Join(dir, "mine.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse("resolved.json", []byte(text), agent.WithHooks()...)
	if err != nil {
		t.Fatal(err)
	}
	s := term.New(term.Options{Cols: 40, Rows: 5, Answers: term.AnswerNone})
	fmt.Fprint(s, "<~hmm>")
	if m, ok := p.Match(s.Snapshot()); !ok || m.Rule != "hum" || !p.TUI || strings.Contains(text, "extends") || !strings.Contains(text, `"<~hmm>"`) {
		t.Errorf("%+v %v of:\n%s", m, ok, text)
	}
}

// TestExtendsFaults: what is wrong is told at its place, in the file where it is.
func TestExtendsFaults(t *testing.T) {
	deep := map[string]string{"p9.json": `{}`}
	for i := range 9 {
		deep[fmt.Sprintf("p%d.json", i)] = fmt.Sprintf(`{"extends": "./p%d.json"}`, i+1)
	}
	for name, c := range map[string]struct {
		texts map[string]string
		file  string
		want  string
	}{
		"a name": {map[string]string{"a.json": `{"extends": "claud"}`}, "a.json",
			`a.json:1:13: /extends: there is no profile "claud": did you mean claude? Give one of bash, claude,`},
		"a cycle of one": {map[string]string{"a.json": `{"extends": "a.json"}`}, "a.json", `a.json:1:13: /extends: the profiles extend one another in a circle: ./a.json → a.json`},
		"a folder":       {map[string]string{"a.json": `{"extends": "./b/"}`, "b/c.json": "{}"}, "a.json", `a.json:1:13: /extends: profile b is not a regular file; hint: give the name`},
		"an empty name":  {map[string]string{"a.json": `{"extends": ""}`}, "a.json", `a.json:1:13: /extends: there is no profile ""`},
		"a file": {map[string]string{"a.json": `{"extends": "./no.json"}`}, "a.json",
			`a.json:1:13: /extends: profile no.json cannot be read: no such file or directory; hint: `},
		"no text": {map[string]string{"a.json": `{"extends": 1}`}, "a.json", `a.json:1:13: /extends: this is a number, where a string belongs`},
		"a cycle": {map[string]string{"a.json": `{"extends": "./b.json"}`, "b.json": `{"extends": "./a.json"}`}, "a.json",
			`b.json:1:13: /extends: the profiles extend one another in a circle: ./a.json → b.json → a.json; hint: let one of them extend a built-in profile, or nothing`},
		"too deep": {deep, "p0.json", `p7.json:1:13: /extends: more than 8 profiles extend one another: ./p0.json → p1.json → `},
		"the base": {map[string]string{"a.json": `{"extends": "./b.json"}`, "b.json": "{\n  \"sings\": []\n}"}, "a.json",
			`b.json:2:3: /sings: there is no field "sings"; hint: did you mean "signs"?`},
		"a rule that is added": {map[string]string{"a.json": `{"extends": "bash", "signs+": [{"rule": "x", "state": "resting", "all": ["x"]}]}`}, "a.json",
			`a.json:1:55: /signs+/0/state: "resting" is not known here`},
		"what both make": {map[string]string{"a.json": `{"extends": "bash", "tui": true, "prompt": {"row": "no group"}}`}, "a.json",
			`a.json:1:52: /prompt/row: the pattern has no group`},
		"more of no list": {map[string]string{"a.json": `{"extends": "bash", "tui+": true}`}, "a.json",
			`a.json:1:29: /tui+: "tui+" adds to a list, and is not possible here; hint: give "tui"`},
		"more of nothing": {map[string]string{"a.json": `{"signs+": []}`}, "a.json", `a.json:1:2: /signs+: there is no field "signs+"; hint: did you mean "signs"?`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(files(t, c.texts))
			_, err := agent.Load("./" + c.file)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}
