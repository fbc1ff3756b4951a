package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

func TestCommandSources(t *testing.T) {
	tests := []struct {
		name string
		args []string
		env  []string
		want []string
		mode string
	}{
		{"arguments win", []string{"a", "-x"}, []string{"SPRING_AGENT_ARGV=[\"b\"]", "AGENT_CMD=c", "AGENT_ARGS=d"}, []string{"a", "-x"}, "pty"},
		{"argv", nil, []string{`SPRING_AGENT_ARGV=["claude","-p",""]`, "AGENT_CMD=c"}, []string{"claude", "-p", ""}, "oneshot"},
		{"argv, mode given", nil, []string{`SPRING_AGENT_ARGV=["x"]`, "SIDECAR_MODE=pty"}, []string{"x"}, "pty"},
		{"an empty variable is unset", nil, []string{"SPRING_AGENT_ARGV=", "AGENT_CMD=c"}, []string{"c"}, "pty"},
		{"words", nil, []string{`AGENT_CMD=claude --say "it's"`, `AGENT_ARGS='a b' c\ d`}, []string{"claude", "--say", "it's", "a b", "c d"}, "pty"},
		{"arrays", nil, []string{`AGENT_CMD= ["my agent"]`, `AGENT_ARGS=["$HOME",";"]`}, []string{"my agent", "$HOME", ";"}, "pty"},
		{"array and words", nil, []string{`AGENT_CMD=cat`, `AGENT_ARGS=[]`}, []string{"cat"}, "pty"},
	}
	for _, test := range tests {
		loaded, err := config.Load(config.Sources{Args: test.args, Environ: test.env})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, loaded.Config.Command); diff != "" || loaded.Config.Mode != test.mode {
			t.Errorf("%s: mode %s, %s", test.name, loaded.Config.Mode, diff)
		}
	}
}

func TestBadCommands(t *testing.T) {
	tests := []struct{ env, want string }{
		{`SPRING_AGENT_ARGV=claude -p`, `is not a JSON array of strings (invalid character 'c' looking for beginning of value); write one such as ["claude", "-p"]`},
		{`SPRING_AGENT_ARGV=["a"`, "it ends too early"},
		{`SPRING_AGENT_ARGV=["a", 1]`, "it holds a number"},
		{`SPRING_AGENT_ARGV=["a", null]`, "has null as element 2"},
		{`SPRING_AGENT_ARGV=["a"] b`, "goes on after the JSON array"},
		{`SPRING_AGENT_ARGV=[]`, "names no program"},
		{`SPRING_AGENT_ARGV=["", "a"]`, "names no program"},
		{`SPRING_AGENT_ARGV=["a\u0000b"]`, "NUL byte in word 1"},
		{`AGENT_CMD= `, "names no program"},
		{`AGENT_ARGS=x`, "AGENT_ARGS: is set, but AGENT_CMD is not"},
		{`AGENT_CMD=a | b`, "is more than a command and its arguments"},
		{`AGENT_CMD=a; b`, "is more than a command"},
		{`AGENT_CMD=a > b`, "is more than a command"},
		{`AGENT_CMD=a & `, "is more than a command"},
		{`AGENT_CMD=(a)`, "is more than a command"},
		{`AGENT_CMD=a $HOME`, "holds the variable $HOME, and no shell reads it: quote it, write a JSON array"},
		{`AGENT_CMD=a "${X:-y}"`, "holds the variable $X"},
		{"AGENT_CMD=a `b`", "holds a command substitution"},
		{`AGENT_CMD=a "$(b)"`, "holds a command substitution"},
		{`AGENT_CMD=a $((1+1))`, "holds an arithmetic expansion"},
		{`AGENT_CMD=~/bin/a`, `holds "~/bin/a"`},
		{`AGENT_CMD=FOO=1 a`, `begins with the assignment "FOO=1"`},
		{`AGENT_CMD=a 'b`, "ends inside of quotes"},
		{`AGENT_CMD=a "b`, "ends inside of quotes"},
		{`AGENT_CMD=a # b`, "holds # outside of quotes"},
	}
	for _, test := range tests {
		got := load(config.Sources{Environ: []string{test.env}})
		if len(got) == 0 || !strings.Contains(got[0], test.want) {
			t.Errorf("%s: got %q, want %q", test.env, got, test.want)
		}
		if name, _, _ := strings.Cut(test.env, "="); len(got) > 0 && !strings.HasPrefix(got[0], name) {
			t.Errorf("%s: %q does not name the variable", test.env, got[0])
		}
	}
}

// What quoting can say comes through as it is: wildcards, braces and the rest
// mean nothing here.
func TestWordsOfAShell(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{`a  b	c`, []string{"a", "b", "c"}},
		{"a \\\n b", []string{"a", "b"}},
		{"a\nb", []string{"a", "b"}},
		{`a '' ""`, []string{"a", "", ""}},
		{`a 'x'"y"z`, []string{"a", "xyz"}},
		{`a \"b\" \\ \$c`, []string{"a", `"b"`, `\`, "$c"}},
		{`a "\$\"\\\x"`, []string{"a", `$"\\x`}},
		{`a '$HOME;|#'`, []string{"a", "$HOME;|#"}},
		{`a x#y *.go {b,c} --k=v ! [`, []string{"a", "x#y", "*.go", "{b,c}", "--k=v", "!", "["}},
		{`a =x ü 日本`, []string{"a", "=x", "ü", "日本"}},
		{`a b~ c=~/d`, []string{"a", "b~", "c=~/d"}},
	}
	for _, test := range tests {
		loaded, err := config.Load(config.Sources{Environ: []string{"AGENT_CMD=" + test.line}})
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		if diff := cmp.Diff(test.want, loaded.Config.Command); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.line, diff)
		}
	}
}

// FuzzQuotedWords: whatever a program wants to be given can be given, by
// single quotes.
func FuzzQuotedWords(f *testing.F) {
	f.Add("a b", "'")
	f.Add("$(x)", "\\\n#;|")
	f.Add("~", "\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.ContainsAny(a+b, "\x00\r") || !validText(a) || !validText(b) {
			t.Skip()
		}
		line := "prog " + quoted(a) + " " + quoted(b)
		loaded, err := config.Load(config.Sources{Environ: []string{"AGENT_CMD=" + line}})
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if diff := cmp.Diff([]string{"prog", a, b}, loaded.Config.Command); diff != "" {
			t.Errorf("%q: -want +got\n%s", line, diff)
		}
	})
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

// FuzzLine: no line makes the splitter panic, and none is accepted with
// something dropped.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"a b", "a 'b", "a \\", "a $((", "a #b", "a\\\n", "a \xff", "=", "\"\\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		loaded, err := config.Load(config.Sources{Environ: []string{"AGENT_CMD=" + line}})
		if err == nil && len(loaded.Config.Command) == 0 {
			t.Errorf("%q is accepted and names nothing", line)
		}
	})
}

// FuzzFile: no file makes the reader panic or be accepted half.
func FuzzFile(f *testing.F) {
	for _, seed := range []string{`{}`, `{"port":1}`, `{"port":[{}]}`, `{"command":["a"]}`, "\xef\xbb\xbf{}", `{"a":1,}`, `{"\ud800":1}`, `[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		src := fromFile(t, doc)
		src.Args = []string{"cat"}
		_, _ = config.Load(src)
	})
}
