package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

func TestForCommand(t *testing.T) {
	for command, want := range map[string]string{
		"claude":                            "claude",
		"/opt/x/bin/claude --model m":       "claude",
		"npx @anthropic-ai/claude-code":     "claude",
		"npx -y @google/gemini-cli@0.61.0":  "gemini",
		"node /usr/lib/gemini.js -m x":      "gemini",
		"node --no-warnings /opt/codex.mjs": "codex",
		"opencode":                          "opencode",
		"codex exec x":                      "codex",
		"bash --norc -i":                    "bash",
		"bash script.sh":                    "generic",
		"bash -c claude":                    "generic",
		"python3 -q":                        "python",
		"python3.11":                        "python",
		"python3 agent.py":                  "generic",
		"node":                              "node",
		"node agent.js":                     "generic",
		"sqlite3 my.db":                     "sqlite3",
		"gdb -q ./prog":                     "gdb",
		"psql -h x db":                      "psql",
		"env claude":                        "generic",
		"cat":                               "generic",
		"":                                  "generic",
	} {
		if got := agent.For(strings.Fields(command)).Name; got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range [][3]string{
		{"codex", "codex", "codex --no-daemon"},
		{"codex", "codex -m x prompt", "codex --no-daemon -m x prompt"},
		{"codex", "codex --no-daemon", "codex --no-daemon"},
		{"codex", "codex --disable y -- --no-daemon", "codex --no-daemon --disable y -- --no-daemon"},
		{"codex", "node --x /opt/codex.js resume", "node --x /opt/codex.js --no-daemon resume"},
		{"codex", "npx codex", "npx codex --no-daemon"},
		{"claude", "claude -c", "claude -c"},
		{"generic", "", ""},
	} {
		argv := strings.Fields(tt[1])
		before := slices.Clone(argv)
		if got := strings.Join(load(t, tt[0]).Args(argv, true), " "); got != tt[2] {
			t.Errorf("%s: %q, want %q", tt[1], got, tt[2])
		}
		if !slices.Equal(argv, before) {
			t.Errorf("%s: the command itself was changed", tt[1])
		}
	}
	for command, want := range map[string]string{
		"codex -m x":                      "codex --no-daemon --no-alt-screen -m x",
		"codex --no-alt-screen":           "codex --no-daemon --no-alt-screen",
		"codex -c tui.alternate_screen=x": "codex --no-daemon -c tui.alternate_screen=x",
	} {
		if got := strings.Join(load(t, "codex").Args(strings.Fields(command), false), " "); got != want {
			t.Errorf("%s, nobody there: %q, want %q", command, got, want)
		}
	}
	gdb := load(t, "gdb")
	if got := gdb.Args([]string{"gdb", "-q"}, false); !slices.Equal(got, []string{"gdb", "-iex", "set pagination off", "-q"}) {
		t.Errorf("gdb: %q", got)
	}
	if got := gdb.Args([]string{"gdb", "--batch"}, false); len(got) != 2 {
		t.Errorf("gdb in a batch: %q", got)
	}
	p, err := profile.Parse("x.json", []byte(`{"start":{"flags":[{"add":["--color","never"],"unless":["--color","--no-color"]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"x a":             "x a --color never",
		"x a -- b":        "x a --color never -- b",
		"x --color=auto":  "x --color=auto",
		"x --no-color a":  "x --no-color a",
		"x -- --no-color": "x --color never -- --no-color",
	} {
		if got := strings.Join(p.Args(strings.Fields(given), false), " "); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestEnviron(t *testing.T) {
	t.Setenv("GEMINI_CLI_NO_RELAUNCH", "")
	if got := load(t, "gemini").Environ(); len(got) != 0 {
		t.Errorf("over what the user set: %q", got)
	}
	t.Setenv("PAGER", "") // restored after the test, whatever it was
	p, err := profile.Parse("x.json", []byte(`{"start":{"env":{"SIDECAR_TEST_B":"2","SIDECAR_TEST_A":"1","PAGER":"cat"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Environ(); !slices.Equal(got, []string{"SIDECAR_TEST_A=1", "SIDECAR_TEST_B=2"}) {
		t.Errorf("%q", got)
	}
}

// TestEscape: what was seen to make text of a command, and nothing else.
func TestEscape(t *testing.T) {
	for _, tt := range [][3]string{
		{"claude", "!ls", " "}, {"claude", " \n!ls", " "}, {"claude", "/cost", ""}, {"claude", "@file", ""},
		{"codex", "/status", " "}, {"codex", "!ls", " "}, {"codex", "@file", ""},
		{"gemini", "!ls", " "}, {"gemini", "/stats", ""},
		{"opencode", "/status", " "}, {"opencode", "!ls", " "},
		{"generic", "/x", ""}, {"generic", "", ""}, {"claude", "hello", ""},
	} {
		if got := load(t, tt[0]).Escape(tt[1]); got != tt[2] {
			t.Errorf("%s %q: %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestSafeOption(t *testing.T) {
	once := profile.Option{ID: "2", Kind: profile.RejectOnce}
	always := profile.Option{ID: "3", Kind: profile.RejectAlways}
	allow := profile.Option{ID: "1", Kind: profile.AllowOnce}
	for _, tt := range []struct {
		q    profile.Question
		want string
	}{
		{profile.Question{Options: []profile.Option{allow, always, once}, Cancel: []string{"\x1b"}}, "2"},
		{profile.Question{Options: []profile.Option{allow, always}}, "3"},
		{profile.Question{Options: []profile.Option{allow}, Cancel: []string{"\x1b"}}, "cancel"},
		{profile.Question{Options: []profile.Option{allow}}, ""},
	} {
		if o, ok := tt.q.Safe(); o.ID != tt.want || ok != (tt.want != "") {
			t.Errorf("%+v, %v, want %q", o, ok, tt.want)
		}
	}
}

// TestIdentity: a question is the same while the marker moves and the window
// changes its width, and another once anything else differs.
func TestIdentity(t *testing.T) {
	ask := func(command, marker1, marker2 string) string {
		q, ok := load(t, "claude").Question(screen(strings.Repeat("─", 20) + "\n Bash command\n\n   " + command +
			"\n\n Do you want to proceed?\n " + marker1 + " 1. Yes\n " + marker2 + " 2. No\n\n Esc to cancel · Tab to amend"))
		if !ok {
			t.Fatal("no question")
		}
		return q.ID
	}
	first := ask("touch a", "❯", " ")
	if ask("touch a", " ", "❯") != first || ask("touch  a", "❯", " ") != first {
		t.Error("the same question got another id")
	}
	if ask("touch b", "❯", " ") == first {
		t.Error("another question has the same id")
	}
}

// TestUntypable: an agent that is started in a mode in which nobody can type a
// message to it is known by its command line.
func TestUntypable(t *testing.T) {
	for _, tt := range []struct {
		profile, argv, env string
		want               bool
	}{
		{"claude", "claude --ax-screen-reader", "", true},
		{"claude", "npx claude --ax-screen-reader=true -c", "", true},
		{"claude", "claude", "CLAUDE_AX_SCREEN_READER=1", true},
		{"gemini", "gemini --screen-reader", "", true},
		{"claude", "claude -c", "HOME=/x", false},
		{"claude", "claude -- --ax-screen-reader", "", false},
		{"codex", "codex --screen-reader", "", false},
	} {
		if why := load(t, tt.profile).Untypable(strings.Fields(tt.argv), []string{tt.env}); (why != "") != tt.want {
			t.Errorf("%s with %q: %q", tt.argv, tt.env, why)
		}
	}
}
