package profile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestFaults: everything that is wrong is told at once, each with its place.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"not JSON", "{\n  \"name\": \"x\",,\n}", `
p.json:2:15: expected a key in double quotes, found ","`},
		{"a bad value", "{\"tui\": tru }", `
p.json:1:9: /tui: "tru" is not JSON; hint: strings stand in double quotes`},
		{"cut off", `{"signs":[`, `
p.json:1:11: /signs/0: the document ends too early: expected a value; hint: it may be half written, or a bracket is not closed`},
		{"two documents", "{}\n{}", `
p.json:2:1: something follows the end of the document; hint: remove everything after it`},
		{"no object", `[]`, `
p.json:1:1: this is an array, where an object belongs; hint: put it in { }`},
		{"fields", `{
  "nmae": "x",
  "tui": "yes",
  "name": 1,
  "commands": "claude",
  "hook": "cluade",
  "zzz": {},
  "submit": {"settleMs": 5, "pasted": 1},
  "busy": "wait",
  "busy": "queue"
}`, `
p.json:2:3: /nmae: there is no field "nmae"; hint: did you mean "name"?
p.json:3:10: /tui: this is a string, where a boolean belongs; hint: give a boolean
p.json:4:11: /name: this is a number, where a string belongs; hint: give a string
p.json:5:15: /commands: this is a string, where a list belongs; hint: put it in [ ]
p.json:6:11: /hook: "cluade" is not known here; hint: give one of claude, codex, gemini, opencode
p.json:7:3: /zzz: there is no field "zzz"; hint: fields here are name, about, unsure, extends, commands, alone, tui, hook, start, dialogs, questions, signs, prompt, submit, linePrompt, toolPrompt, commandChars, commandWords, commandEscapes, interrupt, clear, quit, busy, answer, timing, tests
p.json:8:26: /submit/settleMs: 5 ms is out of bounds; hint: give 100 to 2000
p.json:8:29: /submit/pasted: there is no field "pasted"; hint: did you mean "paste"?
p.json:10:3: /busy: the key "busy" is here twice; hint: keep one of them`},
		{"timing", `{"timing": {"showLimit": 0, "typeTries": 0, "keyGap": "1s", "goneHold": 1.5, "drawLimit": 100001, "showlimit": 1}}`, `
p.json:1:26: /timing/showLimit: 0 is out of bounds; hint: give at least 1, or leave it out
p.json:1:42: /timing/typeTries: 0 is out of bounds; hint: give at least 1, or leave it out
p.json:1:55: /timing/keyGap: this is a string, where a number belongs; hint: give a number
p.json:1:73: /timing/goneHold: 1.5 is not a whole number from 0 to 100000; hint: give such a number
p.json:1:91: /timing/drawLimit: 100001 is not a whole number from 0 to 100000; hint: give such a number
p.json:1:99: /timing/showlimit: there is no field "showlimit"; hint: did you mean "showLimit"?`},
		{"tests", `{"tests": [{"recording": "", "states": [{"at": -5, "state": "ready"}, {"at": 1e300, "state": "done"}]}, {"recording": "x.cast"}]}`, `
p.json:1:26: /tests/0/recording: this is missing; hint: give the file of an asciicast
p.json:1:48: /tests/0/states/0/at: -5 is not a number from 0 to 100000000; hint: give such a number
p.json:1:78: /tests/0/states/1/at: 1e300 is not a number from 0 to 100000000; hint: give such a number
p.json:1:94: /tests/0/states/1/state: "done" is not known here; hint: give one of starting, ready, working, asking, dialog, exited, unknown
p.json:1:105: /tests/1: the test compares nothing; hint: give "states" or "answers"`},
		{"texts", `{"name": "a\u202eb", "about": "x\u001b[2J", "dialogs": [{"rule": "d\u0007", "cursor": "x", "hint": "h\udb40\udc41"}],
  "questions": [{"rule": "q", "kind": "question", "cursor": "y$", "fixed": [{"label": "Y\u0090", "kind": "allow_once", "keys": ["\u001b"]}]}]}`, `
p.json:1:10: /name: the text has "\u202e", which a terminal would obey or hide; hint: leave it out
p.json:1:31: /about: the text has "\x1b", which a terminal would obey or hide; hint: leave it out
p.json:1:66: /dialogs/0/rule: the text has "\a", which a terminal would obey or hide; hint: leave it out
p.json:1:100: /dialogs/0/hint: the text has "\U000e0041", which a terminal would obey or hide; hint: leave it out
p.json:2:87: /questions/0/fixed/0/label: the text has "\u0090", which a terminal would obey or hide; hint: leave it out`},
		{"words", `{"questions": [{"rule": "q", "kind": "question", "cursor": "(?P<yes>y)/n $", "fixed": [
  {"label": "Yes", "kind": "allow_once", "keys": ["{yes}\\r"]},
  {"label": "No", "kind": "reject_once", "keys": ["{no}\\r"]}]}]}`, `
p.json:3:50: /questions/0/fixed/1/keys: the cursor's pattern has no group "no"; hint: name one: (?P<no>…)`},
		{"names", `{"commandChars": "!", "commandEscapes": {"/": " ", "!": " "}, "start": {"env": {"b=~": "", "A": "", "": ""}}}`, `
p.json:1:47: /commandEscapes/~1: "/" is not one of commandChars; hint: give it there, too
p.json:1:88: /start/env/b=~0: "b=~" is no name of a variable; hint: give a name without = and blanks
p.json:1:105: /start/env/: "" is no name of a variable; hint: give a name without = and blanks`},
		{"rules", `{
  "signs": [
    {"rule": "a", "state": "ready"},
    {"rule": "a", "state": "idle", "all": ["(", "[a", ""], "rows": 61},
    {"state": "ready", "prompt": true, "rows": 1.5}
  ],
  "questions": [{"rule": "q", "kind": "permission", "choose": "number", "option": "^x$", "options": [{"kind": "allow"}]}],
  "interrupt": [""],
  "prompt": {"row": "^> "}
}`, `
p.json:3:5: /signs/0: the rule looks at nothing; hint: give title, all, none, cursor, alternate, bracketedPaste, cursorShown or prompt
p.json:4:14: /signs/1/rule: another rule is called "a"; hint: give each its own name
p.json:4:28: /signs/1/state: "idle" is not known here; hint: give one of starting, ready, working, asking, dialog
p.json:4:44: /signs/1/all/0: the pattern does not compile: missing closing ): ` + "`(`" + `; hint: give a regular expression of Go's syntax (RE2); in JSON each \ is written \\
p.json:4:49: /signs/1/all/1: the pattern does not compile: missing closing ]: ` + "`[a`" + `; hint: give a regular expression of Go's syntax (RE2); in JSON each \ is written \\
p.json:4:55: /signs/1/all/2: the pattern does not compile: an empty pattern fits every row; hint: give a regular expression of Go's syntax (RE2); in JSON each \ is written \\
p.json:4:68: /signs/1/rows: 61 rows are too many; hint: look at 60 at most
p.json:5:5: /signs/2/rule: the rule has no name; hint: give "rule": what it looks at, in a few words
p.json:5:48: /signs/2/rows: 1.5 is not a whole number from 0 to 100000; hint: give such a number
p.json:7:83: /questions/0/option: the pattern has no group label; hint: name one: (?P<label>.+)
p.json:7:102: /questions/0/options/0/match: this is missing; hint: give a pattern of the label
p.json:7:111: /questions/0/options/0/kind: "allow" is not known here; hint: give one of allow_once, allow_always, reject_once, reject_always, other
p.json:8:17: /interrupt/0: this key is empty; hint: give what it sends, as "\u001b" for Esc
p.json:9:21: /prompt/row: the pattern has no group; hint: put ( ) around what was typed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := profile.Parse("p.json", []byte(tt.src), "claude", "codex", "gemini", "opencode")
			if _, ok := errors.AsType[jsontree.Faults](err); !ok {
				t.Fatalf("%v", err)
			}
			if got := err.Error(); got != strings.TrimPrefix(tt.want, "\n") {
				t.Errorf("got\n%s\nwant%s", got, tt.want)
			}
		})
	}
}

func TestFaultsAreBounded(t *testing.T) {
	src := "{" + strings.Repeat("\"a\":0,\n", 30_000) + "\"a\":0}"
	_, err := profile.Parse("p.json", []byte(src))
	faults, _ := errors.AsType[jsontree.Faults](err)
	if len(faults) < 100 || len(faults) > 1100 || faults[99].Line != 101 {
		t.Errorf("%d faults", len(faults))
	}
	if _, err := profile.Parse("p.json", []byte(strings.Repeat("[", 1000))); err == nil || !strings.Contains(err.Error(), "nested deeper than") {
		t.Errorf("deep nesting: %v", err)
	}
}

func TestLoadOfFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int) string {
		path := filepath.Join(dir, name)
		src := `{"about": "` + strings.Repeat("x", size) + `"}`
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if p, err := agent.Load(write("mine.json", 1)); err != nil || p.Name != "mine" || p.Submit.Enter != "\r" || p.Submit.Settle() == 0 || p.Busy != profile.BusyRefuse {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := agent.Load(write("large.json", 300<<10)); err == nil || !strings.Contains(err.Error(), "larger than 256 KiB") {
		t.Errorf("large: %v", err)
	}
	if _, err := agent.Load(dir + "/"); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("folder: %v", err)
	}
	if _, err := agent.Load("./none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := agent.Load("cladue"); !errors.Is(err, agent.ErrUnknown) {
		t.Errorf("unknown: %v", err)
	}
}
