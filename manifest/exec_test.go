package manifest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// properties that the commands below put into words.
const argvSchema = `{"type":"object","required":["name"],"properties":{
	"name":{"type":"string"},"note":{"type":"string"},"count":{"type":"number"},"force":{"type":"boolean"},
	"tags":{"type":"array","items":{"type":["string","number","boolean"]}},"any":{},"odd name":{"type":"string"}}}`

// execTool makes the bridge of a tool with this command.
func execTool(t *testing.T, command ...string) *manifest.Exec {
	t.Helper()
	words, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	src := fmt.Sprintf(`[{"name":"acme.x","description":"d","inputSchema":%s,"x-sidecar":{"bridge":{"exec":{"command":%s}}}}]`, argvSchema, words)
	s := mustParse(t, src)
	return s.Tools()[0].Bridge.Exec
}

// argv expands a command with arguments as they came.
func argv(e *manifest.Exec, args string) ([]string, error) {
	read, err := schema.ReadArguments([]byte(args))
	if err != nil {
		return nil, err
	}
	return e.Argv(read)
}

func mustParse(t testing.TB, src string) *manifest.Snapshot {
	t.Helper()
	s, _, err := manifest.Parse("tools.json", []byte(src), manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestArgv(t *testing.T) {
	for _, tc := range []struct {
		name    string
		command []string
		args    string
		want    []string
		err     string
	}{
		{name: "no placeholder", command: []string{"x", "a b", "{", "}", "{}", `{"k":1}`, "{print $1}"}, args: `{"name":"n"}`, want: []string{"x", "a b", "{", "}", "{}", `{"k":1}`, "{print $1}"}},
		{name: "an option of its own behind a flag, absent", command: []string{"git", "--oneline", "--max-count={count}", "{name}"}, args: `{"name":"n","count":null}`, want: []string{"git", "--oneline", "n"}},
		{name: "an option of its own behind a flag", command: []string{"git", "--oneline", "--max-count={count}"}, args: `{"name":"n","count":3}`, want: []string{"git", "--oneline", "--max-count=3"}},
		{name: "inside an element", command: []string{"x", "--name={name}!"}, args: `{"name":"a b"}`, want: []string{"x", "--name=a b!"}},
		{name: "no arguments at all", command: []string{"x", "--note={note}"}, args: ``, want: []string{"x"}},
		{name: "absent is dropped whole", command: []string{"x", "--note={note}", "{name}-{note}", "{name}"}, args: `{"name":"n"}`, want: []string{"x", "n"}},
		{name: "null is absent", command: []string{"x", "--any={any}"}, args: `{"any":null}`, want: []string{"x"}},
		{name: "empty text is there", command: []string{"x", "{name}", "--note={note}"}, args: `{"name":"","note":""}`, want: []string{"x", "", "--note="}},
		{name: "numbers as they were written", command: []string{"x", "--n={count}"}, args: `{"count":9007199254740993}`, want: []string{"x", "--n=9007199254740993"}},
		{name: "no rounding, no rewriting", command: []string{"x", "--n={count}"}, args: `{"count":1.10e+2}`, want: []string{"x", "--n=1.10e+2"}},
		{name: "booleans", command: []string{"x", "{force}"}, args: `{"force":false}`, want: []string{"x", "false"}},
		{name: "array, one element each", command: []string{"x", "--tag={tags}", "{tags}"}, args: `{"tags":["a",1,true]}`, want: []string{"x", "--tag=a", "--tag=1", "--tag=true", "a", "1", "true"}},
		{name: "empty array", command: []string{"x", "{tags}"}, args: `{"tags":[]}`, want: []string{"x"}},
		{name: "escapes are decoded", command: []string{"x", "{name}"}, args: `{"name":"\u00e9\n\"\ud83d\ude00"}`, want: []string{"x", "é\n\"😀"}},
		{name: "a value is not a template", command: []string{"x", "{name}"}, args: `{"name":"{note}","note":"n"}`, want: []string{"x", "{note}"}},
		{name: "a property with an odd name", command: []string{"x", "{odd name}"}, args: `{"odd name":"v"}`, want: []string{"x", "v"}},
		{name: "an argument that nobody declared is no placeholder", command: []string{"x", "{print $1}"}, args: `{"print $1":"v"}`, want: []string{"x", "{print $1}"}},

		{name: "a dash begins an element", command: []string{"x", "{name}"}, args: `{"name":"-rf"}`, err: `/name must not begin with "-"`},
		{name: "a negative number does, too", command: []string{"x", "{count}"}, args: `{"count":-5}`, err: `/count must not begin with "-"`},
		{name: "behind an empty value", command: []string{"x", "{name}{note}"}, args: `{"name":"","note":"-x"}`, err: `/note must not begin with "-"`},
		{name: "behind a lone dash", command: []string{"x", "-{name}"}, args: `{"name":"-exec"}`, err: `/name must not begin with "-"`},
		{name: "an item of an array", command: []string{"x", "{tags}"}, args: `{"tags":["a","-b"]}`, err: `/tags/1 must not begin with "-"`},
		{name: "a dash inside is fine", command: []string{"x", "--name={name}", "a{name}"}, args: `{"name":"-rf"}`, want: []string{"x", "--name=-rf", "a-rf"}},
		{name: "after -- all is fine", command: []string{"x", "--", "{name}", "{tags}"}, args: `{"name":"-rf","tags":["--"]}`, want: []string{"x", "--", "-rf", "--"}},
		{name: "a -- that comes later is too late", command: []string{"x", "{name}", "--"}, args: `{"name":"-rf"}`, err: `/name must not begin with "-"`},
		{name: "a value cannot be the --", command: []string{"x", "{note}", "{name}"}, args: `{"note":"--","name":"-rf"}`, err: `/note must not begin with "-": it would be taken for a flag; /name must not begin`},
		{name: "NUL", command: []string{"x", "{name}"}, args: `{"name":"a\u0000b"}`, err: "/name must not contain a NUL"},
		{name: "an object", command: []string{"x", "{any}"}, args: `{"any":{"a":1}}`, err: "/any must not be an object"},
		{name: "a nested array", command: []string{"x", "{tags}"}, args: `{"tags":["a",["b"]]}`, err: "/tags/1 must be a string, a number or a boolean"},
		{name: "null in an array", command: []string{"x", "{tags}"}, args: `{"tags":[null]}`, err: "/tags/0 must be a string"},
		{name: "a flag left without its value", command: []string{"x", "--name", "{name}"}, args: `{"name":null}`, err: "/name must not be null or empty"},
		{name: "all faults at once", command: []string{"x", "{name}", "{note}", "{name}"}, args: `{"name":"-a","note":"-b"}`, err: "/name must not begin with \"-\": it would be taken for a flag; /note must not"},
		{name: "no JSON", command: []string{"x"}, args: `{`, err: "they cannot be read"},
		{name: "no object", command: []string{"x"}, args: `[1]`, err: "they must be an object, not an array"},
		{name: "one key twice", command: []string{"x", "{name}"}, args: `{"name":"a","name":"b"}`, err: "/name cannot be read"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := argv(execTool(t, tc.command...), tc.args)
			if tc.err != "" {
				wantArguments(t, err, tc.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// wantArguments holds err to an *ArgumentsError that says part.
func wantArguments(t *testing.T, err error, part string) {
	t.Helper()
	var bad *schema.ArgumentsError
	if !errors.As(err, &bad) {
		t.Fatalf("error is %T (%v), not *ArgumentsError", err, err)
	}
	if !strings.Contains(err.Error(), part) {
		t.Errorf("error %q does not say %q", err, part)
	}
}

func TestArgvSize(t *testing.T) {
	e := execTool(t, "x", "--name={name}", "{tags}")
	const limit = 128<<10 - len("--name=") - 1 // the kernel counts the final NUL
	args := func(n int) string { return fmt.Sprintf(`{"name":%q}`, strings.Repeat("v", n)) }
	line, err := argv(e, args(limit))
	if err != nil || len(line[1]) != 128<<10-1 {
		t.Errorf("the longest element: %v", err)
	}
	_, err = argv(e, args(limit+1))
	wantArguments(t, err, "/name is too long")
	if len(err.Error()) > 300 {
		t.Errorf("the error repeats the value: %d bytes", len(err.Error()))
	}
	many := strings.TrimSuffix(strings.Repeat(`"`+strings.Repeat("v", 1000)+`",`, 1100), ",")
	_, err = argv(e, fmt.Sprintf(`{"tags":[%s]}`, many))
	wantArguments(t, err, "they are too long for a command line")
}

// The parts of an Exec that was made by hand are what they look like.
func TestArgvByHand(t *testing.T) {
	e := &manifest.Exec{Command: []string{"x", "--a={a}", "{b}"}}
	got, err := argv(e, `{"a":1}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x", "--a=1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPromptText(t *testing.T) {
	s := mustParse(t, `[{"name":"acme.ask","description":"d",
		"inputSchema":{"type":"object","properties":{"q":{"type":"string"},"n":{},"o":{"type":"object"}}},
		"x-sidecar":{"bridge":{"prompt":"Find {q}, {n} times, with {o}. {\"not\": 1}"}}}]`)
	tool := s.Tools()[0]
	if tool.Bridge.Kind != manifest.BridgePrompt || !strings.Contains(tool.Bridge.Prompt, "{q}") {
		t.Errorf("bridge is %+v", tool.Bridge)
	}
	text := func(args string) string {
		read, err := schema.ReadArguments([]byte(args))
		if err != nil {
			t.Fatal(err)
		}
		return tool.PromptText(read)
	}
	got := text(`{"q":"a {n}\nb", "n": 12345678901234567890, "o": {"k": [1, "a b"]}, "\"not\": 1": "x"}`)
	want := "Find a {n}\nb, 12345678901234567890 times, with {\"k\":[1,\"a b\"]}. {\"not\": 1}"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := text(""); got != `Find ,  times, with . {"not": 1}` {
		t.Errorf("without arguments: %q", got)
	}
}
