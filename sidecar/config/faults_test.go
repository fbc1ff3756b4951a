package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// load returns the lines of what is wrong.
func load(src config.Sources) []string {
	_, err := config.Load(src)
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

func TestBadValuesSayWhereWhatAndTheFix(t *testing.T) {
	tests := []struct{ env, want string }{
		{"SIDECAR_PORT=abc", `SIDECAR_PORT="abc" is not a whole number from 0 to 65535`},
		{"AGENT_PORT=70000", `AGENT_PORT="70000" is not a whole number from 0 to 65535`},
		{"AGENT_CANCEL_GRACE_MS=5s", `AGENT_CANCEL_GRACE_MS="5s" is not a whole number of milliseconds; write one such as 5000`},
		{"SIDECAR_CANCEL_GRACE=5000", `SIDECAR_CANCEL_GRACE="5000" has no unit; write 5000s or 5000ms`},
		{"SIDECAR_ASK_TIMEOUT=0", `SIDECAR_ASK_TIMEOUT="0" would leave no time at all; write one such as 500ms, 30s or 1h30m`},
		{"SIDECAR_TURN_TIMEOUT=never", `SIDECAR_TURN_TIMEOUT="never" is not a duration; write one such as 500ms, 30s or 1h30m, or none`},
		{"SIDECAR_TURN_TIMEOUT=-1s", `SIDECAR_TURN_TIMEOUT="-1s" is negative; write one such as 500ms, 30s or 1h30m, or none`},
		{"SIDECAR_MAX_BODY=8 megs", `SIDECAR_MAX_BODY="8 megs" is not a size; write one such as 8MiB, 200KB or 1048576`},
		{"SIDECAR_MAX_BODY=1", `SIDECAR_MAX_BODY="1" is out of range; write a size from 1KiB to 1GiB`},
		{"SIDECAR_MAX_BODY=1e9", `SIDECAR_MAX_BODY="1e9" is not a size; write one such as 8MiB, 200KB or 1048576`},
		{"SIDECAR_KEEP_BYTES=99999999999999999999GB", `SIDECAR_KEEP_BYTES="99999999999999999999GB" is not a size; write one such as 8MiB, 200KB or 1048576`},
		{"SIDECAR_HEADLESS=maybe", `SIDECAR_HEADLESS="maybe" is neither true nor false; write one of true, 1, yes, on, false, 0, no, off`},
		{"SIDECAR_MODE=onehsot", `SIDECAR_MODE="onehsot" is not known; did you mean oneshot? (one of pty, lines, oneshot, mcp, acp, stream, auto)`},
		{"SIDECAR_MODE=zzz", `SIDECAR_MODE="zzz" is not known; write one of pty, lines, oneshot, mcp, acp, stream, auto`},
		{"SIDECAR_PROMPT_PATTERN=(", "SIDECAR_PROMPT_PATTERN=\"(\" is not a regular expression of Go's syntax (missing closing ): `(`)"},
		{"SIDECAR_LOG_LEVEL=info+1", `SIDECAR_LOG_LEVEL="info+1" is not a level; write one of debug, info, warn, error`},
		{"SIDECAR_ACCEPT=image", `SIDECAR_ACCEPT="image" "image" is not a media type; write one such as image/png, image/* or */*`},
		{"SIDECAR_ACCEPT=*/png", `SIDECAR_ACCEPT="*/png" "*/png" is not a media type; write one such as image/png, image/* or */*`},
		{"SIDECAR_ALLOWED_HOST=http://a", `SIDECAR_ALLOWED_HOST="http://a" "http://a" is not a host name; write one such as agent.example.com or agent:8999`},
		{"SIDECAR_CORS=*", `SIDECAR_CORS="*" "*" is not an origin; write one such as https://chat.example.com (no path, and not *)`},
		{"SIDECAR_RESERVED_NAMESPACE=Acme", `SIDECAR_RESERVED_NAMESPACE="Acme" "Acme" is not a namespace; write lower-case names such as acme or acme.internal, separated by commas`},
		{"SIDECAR_HOST=localhost:80", `SIDECAR_HOST="localhost:80" holds a port; write the address alone and --port 80`},
		{"SIDECAR_HOST=http://x", `SIDECAR_HOST="http://x" is not an address; write one such as 127.0.0.1, ::1 or 0.0.0.0`},
		{"SIDECAR_USER=5:x", `SIDECAR_USER="5:x" is not a user: gid "x" is not a number from 0 to 4294967294 (id -u NAME prints it)`},
		{"SIDECAR_PUBLIC_URL=agent.example", `SIDECAR_PUBLIC_URL="agent.example" is not a base address; write one such as https://agent.example.com`},
		{"SIDECAR_PUBLIC_URL=http://a:b@c", `SIDECAR_PUBLIC_URL="http://a:b@c" holds a user name, which does not belong there; leave it out`},
		{"SIDECAR_WORKSPACE=/not/there", `SIDECAR_WORKSPACE="/not/there" is not there (no such file or directory)`},
		{"SIDECAR_ROOT=/,/not/there", `SIDECAR_ROOT="/,/not/there" names "/not/there", which is not there (no such file or directory)`},
		{"SIDECAR_ROOT=/dev/null", `SIDECAR_ROOT="/dev/null" names "/dev/null", which is not a directory`},
		{"SIDECAR_CARD=/", `SIDECAR_CARD="/" is a directory; give a file`},
		{"SIDECAR_SIZE=\x1b[2J", sizeFault(`\x1b[2J`)},
		{"SIDECAR_SIZE=120", sizeFault("120")},
		{fmt.Sprint("SIDECAR_SIZE=80x", term.MaxRows+1), sizeFault(fmt.Sprint("80x", term.MaxRows+1))},
		{fmt.Sprintf("SIDECAR_SIZE=%dx24", term.MaxCols+1), sizeFault(fmt.Sprintf("%dx24", term.MaxCols+1))},
	}
	for _, test := range tests {
		got := load(config.Sources{Args: []string{"cat"}, Environ: []string{test.env}})
		if diff := cmp.Diff([]string{test.want}, got); diff != "" {
			t.Errorf("%q: -want +got\n%s", test.env, diff)
		}
	}
}

func sizeFault(text string) string {
	return fmt.Sprintf(`SIDECAR_SIZE="%s" is not the size of a terminal; write COLSxROWS, such as 120x40, of 2 to %d columns and 2 to %d rows`, text, term.MaxCols, term.MaxRows)
}

func TestAllFaultsAtOnce(t *testing.T) {
	src := config.Sources{
		Flags:   map[string][]string{"port": {"x"}, "host": {""}, "config": {tempFile(t, "c.json", "{\n \"queue\": -1,\n \"quue\": 1\n}")}},
		Environ: []string{"SIDECAR_TEE=2", "SPRING_THREAD_ID_ARG_CREATE=--session-id", "AGENT_CMD=cat '"},
	}
	got := load(src)
	for _, part := range []string{`--port="x"`, `--host=""`, "c.json:3:2: quue: is not a setting; did you mean queue?", `c.json:2:11: queue="-1"`, `SIDECAR_TEE="2"`, "--thread-id-arg-resume", `AGENT_CMD="cat '" ends inside of quotes`} {
		if !strings.Contains(strings.Join(got, "\n"), part) {
			t.Errorf("nothing about %s in\n%s", part, strings.Join(got, "\n"))
		}
	}
	if len(got) != 7 {
		t.Errorf("%d faults, want 7:\n%s", len(got), strings.Join(got, "\n"))
	}
}

func TestUsageIsTheCommandLinesFaultAlone(t *testing.T) {
	tests := []struct {
		src   config.Sources
		usage bool
	}{
		{config.Sources{}, true},
		{config.Sources{Args: []string{""}}, true},
		{config.Sources{Args: []string{"cat"}, Flags: map[string][]string{"thread-id-arg-create": {"--x"}}}, true},
		{config.Sources{Args: []string{"cat"}, Environ: []string{"SPRING_THREAD_ID_ARG_RESUME=--x"}}, false},
		{config.Sources{Args: []string{"cat"}, Flags: map[string][]string{"port": {"x"}}}, true},
		{config.Sources{Args: []string{"cat"}, Environ: []string{"SIDECAR_PORT=x"}}, false},
		{config.Sources{Flags: map[string][]string{"port": {"x"}}, Environ: []string{"SIDECAR_TEE=x"}}, false},
	}
	for i, test := range tests {
		_, err := config.Load(test.src)
		var faults config.Faults
		if !errors.As(err, &faults) || faults.Usage() != test.usage {
			t.Errorf("%d: %v: usage is not %v", i, err, test.usage)
		}
	}
}

func TestCommandThatIsNone(t *testing.T) {
	tests := []struct {
		src  config.Sources
		want string
	}{
		{config.Sources{Args: []string{"", "x"}}, `command="\"\" x" names no program`},
		{config.Sources{Environ: []string{"AGENT_ARGS=x"}}, "AGENT_ARGS: is set, but AGENT_CMD is not"},
	}
	for _, test := range tests {
		if diff := cmp.Diff([]string{test.want}, load(test.src)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestFileIsStrict(t *testing.T) {
	tests := []struct{ doc, want string }{
		{``, "1:1: the file is empty; write at least {}"},
		{`[]`, `1:1: the file must hold one JSON object, such as {"port": 8999}`},
		{"{\n  \"port\": 8999,\n}", "2:15: a comma before the closing }; hint: remove the comma"},
		{"{\"port\": 1} {}", "1:13: something follows the end of the document; hint: remove everything after it"},
		{"{\"name\": \"\xff\"}", "1:11: a byte that is not UTF-8; hint: save the file as UTF-8"},
		{`{"port": 1, "port": 2}`, `1:13: /port: the key "port" is here twice; hint: keep one of them`},
		{`{"max_body": 1024}`, "1:2: max_body: is not a setting; did you mean max-body?"},
		{`{"config": "x"}`, "1:2: config: is not a setting of the file; see sidecar help settings for their names"},
		{"{\"name\": \"ü\", \"tee\": 3}", `1:22: tee="3" is neither true nor false; write one of true, 1, yes, on, false, 0, no, off`},
		{`{"port": null}`, "1:10: port: is null; leave the key out for the default"},
		{`{"port": [1]}`, "1:10: port: must be one value, not a list or an object"},
		{`{"reserved-namespace": [1]}`, "1:24: reserved-namespace: must be a list of strings"},
		{`{"command": "cat -n"}`, `1:13: command: is not a JSON array of strings (it holds a string); write one such as ["claude", "-p"]`},
		{`{"command": []}`, "1:13: command: names no program"},
	}
	for _, test := range tests {
		src := fromFile(t, test.doc)
		src.Args = []string{"cat"}
		want := src.Flags["config"][0] + ":" + test.want
		if diff := cmp.Diff([]string{want}, load(src)); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.doc, diff)
		}
	}
}

func TestFileThatIsNotThere(t *testing.T) {
	got := load(config.Sources{Args: []string{"cat"}, Environ: []string{"SIDECAR_CONFIG=/not/there"}})
	want := []string{`SIDECAR_CONFIG="/not/there" cannot be read (no such file or directory); give the path of a JSON file`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What to wrap may be in the file that could not be read: it is not also missing.
func TestFileThatHoldsTheCommandMaybe(t *testing.T) {
	for _, text := range []string{"", "{", "[]"} {
		if got := load(fromFile(t, text)); len(got) != 1 || strings.Contains(got[0], "no command") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestFileValuesOfEveryKind(t *testing.T) {
	src := fromFile(t, "\xef\xbb\xbf{\"command\": [\"cat\", \"\"], \"port\": 1, \"tee\": true, \"reserved-namespace\": [\"a\", \"b.*\"], \"max-body\": 4096}")
	loaded, err := config.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	c := loaded.Config
	if diff := cmp.Diff([]any{[]string{"cat", ""}, 1, true, []string{"a", "b"}, int64(4096)}, []any{c.Command, c.Port, c.Tee, c.ReservedNamespace, c.MaxBody}); diff != "" {
		t.Error(diff)
	}
}
