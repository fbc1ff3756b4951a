package serverfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

func lookup(name string) (string, bool) {
	v, ok := map[string]string{"TOKEN": "s3cret", "EMPTY": "", "HOST": "mcp.example.com", "BAD": "a\nb"}[name]
	return v, ok
}

func parse(src string) ([]serverfile.Server, error) {
	return serverfile.Parse("mcp.json", []byte(src), serverfile.Options{Lookup: lookup, Reserved: []string{"acme"}})
}

func TestParse(t *testing.T) {
	all, err := parse(`{"mcpServers":{
  "My-Files": {"args":["${EMPTY:-x}","$TOKEN","${EMPTY}"],"command":"files","env":{"A":"1-${TOKEN}"},"cwd":"sub","limits":{"memory":"1MiB"},
     "requires":{"fs":{"read":["{workspace}"]}},"timeout":"2m","idle":"1h","surface":"discoverable","disabled":true,"trustAnnotations":true},
  "remote": {"type":"http","url":"https://${HOST}/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	files, remote := all[0], all[1]
	if got, want := fmt.Sprintf("%q %q %q %q %q", files.Name, files.Slug, files.Command, files.Env, files.Cwd), `"My-Files" "my_files" ["files" "x" "$TOKEN" ""] ["A=1-s3cret"] "sub"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if files.Limits.Memory != 1<<20 || files.Requires.FSRead[0] != "{workspace}" || files.Timeout != 2*time.Minute || files.Idle != time.Hour ||
		files.Surface != "discoverable" || !files.Disabled || !files.TrustAnnotations {
		t.Errorf("%+v", files)
	}
	if remote.URL != "https://mcp.example.com/mcp" || remote.Header.Get("authorization") != "Bearer s3cret" || remote.Command != nil || remote.Requires == nil {
		t.Errorf("%+v", remote)
	}
}

// Each fault has its place, and what was meant. No fault tells the value of a variable.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{`{}`, `mcp.json:1:1: "mcpServers" is missing`},
		{`{"mcpservers":{}}`, `write "mcpServers"`},
		{`{"mcpServers":[]}`, `/mcpServers: must be an object`},
		{`{"mcpServers":{"a":{"command":"x","requiers":{}}}}`, `mcp.json:1:35: /mcpServers/a/requiers: the key "requiers" is unknown here; hint: write "requires"`},
		{`{"mcpServers":{"a":{"command":"x","requires":{"fs":{"raed":[]}}}}}`, `write "read"`},
		{`{"mcpServers":{"a":{"command":"x","limits":{"memory":5}}}}`, `/mcpServers/a/limits/memory: a number is not a size`},
		{`{"mcpServers":{"a":{"command":"x","timeout":"soon"}}}`, `"soon" is not a duration`},
		{`{"mcpServers":{"a":{"command":"x","disabled":"yes"}}}`, `must be true or false, not a string`},
		{`{"mcpServers":{"a":{"command":"${TOKEN}"}}}`, `variables are not replaced in command`},
		{`{"mcpServers":{"a":{"command":""}}}`, `command must name a program`},
		{`{"mcpServers":{"a":{}}}`, `"command" is missing; hint: add "command"`},
		{`{"mcpServers":{"a":{"args":["x"]}}}`, `"command" is missing`},
		{`{"mcpServers":{"a":{"type":"http","command":"x"}}}`, `"url" is missing; hint: add it, or change the type`},
		{`{"mcpServers":{"a":{"url":"https://a.example","command":"x"}}}`, `/mcpServers/a/command: "command" means nothing for a server that has "url"`},
		{`{"mcpServers":{"a":{"type":"sse","url":"https://a.example/sse"}}}`, `/mcpServers/a/type: the transport sse was taken out of MCP`},
		{`{"mcpServers":{"a":{"type":"htpp","url":"https://a.example"}}}`, `write "http"`},
		{`{"mcpServers":{"a":{"command":"x","args":["${NONE}"]}}}`, `/mcpServers/a/args/0: the variable NONE is not set; hint: set it for the sidecar, or write ${NONE:-default}`},
		{`{"mcpServers":{"a":{"command":"x","args":["${TOKEN"]}}}`, `a variable is not closed`},
		{`{"mcpServers":{"a":{"command":"x","args":["${1x}"]}}}`, `"1x" is not the name of a variable`},
		{`{"mcpServers":{"a":{"command":"x","env":{"A-B":"1"}}}}`, `"A-B" is not the name of a variable`},
		{`{"mcpServers":{"a":{"command":"x","env":{"SIDECAR_CHANNEL_TOKEN":"1"}}}}`, `is the sidecar's own`},
		{`{"mcpServers":{"a":{"command":"x","cwd":"../x"}}}`, `cwd leaves the workspace`},
		{`{"mcpServers":{"a":{"url":"ftp://a.example"}}}`, `url must be an address of http or https`},
		{`{"mcpServers":{"a":{"url":"https://u:p@a.example"}}}`, `url has a user name in it`},
		{`{"mcpServers":{"a":{"url":"https://a.example#x"}}}`, `url has a fragment`},
		{`{"mcpServers":{"a":{"url":"https://a.example","headers":{"A b":"x"}}}}`, `is not the name of a header`},
		{`{"mcpServers":{"a":{"url":"https://a.example","headers":{"Host":"x"}}}}`, `belongs to the connection`},
		{`{"mcpServers":{"a":{"url":"https://a.example","headers":{"Mcp-Session-Id":"x"}}}}`, `is set by the protocol`},
		{`{"mcpServers":{"a":{"url":"https://a.example","headers":{"A":"${BAD}"}}}}`, `a line break`},
		{`{"mcpServers":{"my-files":{"command":"x"},"myFiles":{"command":"x"}}}`, `"myFiles" and "my-files" would both name their tools my_files.…`},
		{`{"mcpServers":{"core":{"command":"x"}}}`, `the namespace "core" is reserved`},
		{`{"mcpServers":{"SV":{"command":"x"}}}`, `the namespace "sv" is reserved`},
		{`{"mcpServers":{"acme":{"command":"x"}}}`, `the namespace "acme" is reserved`},
		{`{"mcpServers":{"--":{"command":"x"}}}`, `has neither a letter nor a digit`},
		{`{"mcpServers":{"` + strings.Repeat("a", 33) + `":{"command":"x"}}}`, `is longer than the 32 characters`},
	} {
		_, err := parse(c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.src, err, c.want)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the value of a variable is told: %v", err)
		}
	}
	if _, err := parse(`{"mcpServers":{"a":{"command":"${TOKEN}","x":1},"b":{}}}`); strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not every fault is told: %v", err)
	}
}

func TestMaxServers(t *testing.T) {
	all := map[string]any{}
	for i := range serverfile.MaxServers + 1 {
		all[fmt.Sprintf("s%d", i)] = map[string]string{"command": "x"}
	}
	doc, _ := json.Marshal(map[string]any{"mcpServers": all})
	if _, err := parse(string(doc)); err == nil || !strings.Contains(err.Error(), "there are 101 servers") {
		t.Error(err)
	}
	delete(all, "s0")
	doc, _ = json.Marshal(map[string]any{"mcpServers": all})
	if _, err := parse(string(doc)); err != nil {
		t.Error(err)
	}
}

// A Key changes with everything that is written.
func TestKey(t *testing.T) {
	one := func(more string) string {
		all, err := parse(`{"mcpServers":{"a":{"command":"x"` + more + `}}}`)
		if err != nil {
			t.Fatal(err)
		}
		return all[0].Key()
	}
	if one("") != one("  ") {
		t.Error("white space makes a difference")
	}
	for _, more := range []string{
		`,"timeout":"1s"`, `,"surface":"discoverable"`, `,"idle":"1s"`, `,"trustAnnotations":true`, `,"disabled":true`,
		`,"args":["y"]`, `,"env":{"A":"1"}`, `,"cwd":"y"`, `,"limits":{"cpu":"1s"}`, `,"requires":{"net":{"hosts":["a.example"]}}`,
	} {
		if one(more) == one("") {
			t.Errorf("%s makes no difference", more)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x","args":["${A:-b}"],"env":{"A":"${"},"requires":{"net":{"hosts":["a"]}}}}}`)
	f.Fuzz(func(_ *testing.T, src string) { _, _ = parse(src) })
}
