package acp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestSessionGetsTheToolsAndTheDirectory(t *testing.T) {
	a := newAgent(t)
	var params string
	a.on("session/new", func(m message) {
		params = string(m.Params)
		a.reply(m, `{"sessionId":"s1"}`)
	})
	if err := a.peer.Start(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	tools := &peer.Server{Name: "sidecar", Argv: []string{"/bin/sidecar", "mcp"}, Env: []string{"A=b=c"}}
	if _, err := a.peer.Open(await.Context(t), peer.Conversation{Tools: tools}); err != nil {
		t.Fatal(err)
	}
	want := `{"cwd":"/work","mcpServers":[{"args":["mcp"],"command":"/bin/sidecar","env":[{"name":"A","value":"b=c"}],"name":"sidecar"}]}`
	if params != want {
		t.Errorf("got  %s\nwant %s", params, want)
	}
}

// TestResume: resume first, load second, a new session last; what is replayed is told to nobody.
func TestResume(t *testing.T) {
	const replay = `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"of old"}}`
	for _, test := range []struct {
		name, can   string
		resume, all string // what is answered: "" for an error
		want        string
		calls       string
	}{
		{"resume", `"loadSession":true,"sessionCapabilities":{"resume":{}}`, `{}`, `{}`, "old", "session/resume"},
		{"resume fails", `"loadSession":true,"sessionCapabilities":{"resume":{}}`, "", `{}`, "old", "session/resume session/load"},
		{"load", `"loadSession":true,"sessionCapabilities":{"resume":null}`, "", `null`, "old", "session/load"},
		{"load fails", `"loadSession":true`, "", "", "new", "session/load session/new"},
		{"neither", `"loadSession":false`, "", "", "new", "session/new"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t)
			var calls []string
			answer := func(result string) func(m message) {
				return func(m message) {
					calls = append(calls, m.Method)
					a.updateIn("old", replay)
					if result == "" {
						a.fail(m, -32603, "No previous sessions found for this project.")
						return
					}
					a.reply(m, result)
					a.updateIn("old", replay) // late
				}
			}
			a.on("initialize", func(m message) { a.reply(m, `{"protocolVersion":1,"agentCapabilities":{`+test.can+`}}`) })
			a.on("session/resume", answer(test.resume))
			a.on("session/load", answer(test.all))
			a.on("session/new", answer(`{"sessionId":"new"}`))
			if err := a.peer.Start(await.Context(t)); err != nil {
				t.Fatal(err)
			}
			id, err := a.peer.Open(await.Context(t), peer.Conversation{ID: "old"})
			if err != nil || id != test.want || strings.Join(calls, " ") != test.calls {
				t.Errorf("%q %v after %v", id, err, calls)
			}
			if test.want == "new" {
				a.good("new")
			}
			if resumes := a.peer.About().Resumes; resumes != (test.name != "neither") {
				t.Errorf("About says %v", resumes)
			}
		})
	}
}

func TestASessionWithoutAnIDIsNone(t *testing.T) {
	for _, result := range []string{`{}`, `null`, `{"sessionId":7}`, `{"sessionId":"` + strings.Repeat("x", 1<<20) + `"}`} {
		a := newAgent(t)
		a.on("session/new", func(m message) { a.reply(m, result) })
		if err := a.peer.Start(await.Context(t)); err != nil {
			t.Fatal(err)
		}
		if _, err := a.peer.Open(await.Context(t), peer.Conversation{}); err == nil || !strings.Contains(err.Error(), "without an id") || len(err.Error()) > 4<<10 {
			t.Errorf("%.100s: %v", result, err)
		}
	}
}

// offers is what newer agents answer to session/new, with the older ways next to it.
const offers = `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"legacy"}]},
"models":{"currentModelId":"m1","availableModels":[{"modelId":"m1"},{"modelId":"m2"}]},
"configOptions":[{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask"},{"value":"code"}]},
{"id":"effort","type":"select","currentValue":"low","options":[{"group":"g","name":"G","options":[{"value":"low"},{"value":"high"}]}]},
{"id":"fast","type":"boolean","currentValue":false},{"type":"select"},5]}`

func TestAgentOptions(t *testing.T) {
	for _, test := range []struct {
		options []peer.Option
		sent    string // the requests
		fault   string
	}{
		{nil, "", ""},
		{[]peer.Option{{Key: "mode", Value: "ask"}}, "", ""}, // is it already
		{[]peer.Option{{Key: "mode", Value: "code"}}, `session/set_config_option {"configId":"mode","sessionId":"s1","value":"code"}`, ""},
		{[]peer.Option{{Key: "effort", Value: "high"}, {Key: "fast", Value: "true"}},
			`session/set_config_option {"configId":"effort","sessionId":"s1","value":"high"} session/set_config_option {"configId":"fast","sessionId":"s1","type":"boolean","value":true}`, ""},
		{[]peer.Option{{Key: "model", Value: "m2"}}, `session/set_model {"modelId":"m2","sessionId":"s1"}`, ""},
		{[]peer.Option{{Key: "colour", Value: "red"}}, "", `--agent-option colour=red: the agent has no option "colour"; it has mode, effort, fast, model`},
		{[]peer.Option{{Key: "mode", Value: "legacy"}}, "", `--agent-option mode=legacy: the agent has no such value; it has ask, code`},
		{[]peer.Option{{Key: "fast", Value: "yes"}}, "", `--agent-option fast=yes: the agent has no such value; it has true, false`},
	} {
		t.Run(fmt.Sprint(test.options), func(t *testing.T) {
			a := newAgent(t, test.options...)
			var sent []string
			a.on("session/new", func(m message) { a.reply(m, offers) })
			for _, method := range []string{"session/set_config_option", "session/set_model", "session/set_mode"} {
				a.on(method, func(m message) {
					sent = append(sent, m.Method+" "+string(m.Params))
					a.reply(m, `{}`)
				})
			}
			if err := a.peer.Start(await.Context(t)); err != nil {
				t.Fatal(err)
			}
			_, err := a.peer.Open(await.Context(t), peer.Conversation{})
			if got := strings.Join(sent, " "); got != test.sent {
				t.Errorf("sent %s", got)
			}
			if (err != nil) != (test.fault != "") || err != nil && !strings.Contains(err.Error(), test.fault) {
				t.Errorf("%v", err)
			}
			for _, want := range test.options {
				if err == nil && value(a.peer, want.Key) != want.Value {
					t.Errorf("About says %+v", a.peer.About().Options)
				}
			}
		})
	}
}

// value returns what an option is now.
func value(p peer.Peer, key string) string {
	for _, c := range p.About().Options {
		if c.Key == key {
			return c.Value
		}
	}
	return ""
}

func TestOlderModesAreSetInTheirWay(t *testing.T) {
	a := newAgent(t, peer.Option{Key: "mode", Value: "legacy"})
	a.on("session/new", func(m message) {
		a.reply(m, `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"},{"id":"legacy"}]}}`)
	})
	var params json.RawMessage
	a.on("session/set_mode", func(m message) {
		params = m.Params
		a.reply(m, `null`)
	})
	a.open()
	if string(params) != `{"modeId":"legacy","sessionId":"s1"}` || value(a.peer, "mode") != "legacy" {
		t.Errorf("%s %+v", params, a.peer.About())
	}
}

func TestAnOptionThatTheAgentRefuses(t *testing.T) {
	a := newAgent(t, peer.Option{Key: "mode", Value: "code"})
	a.on("session/new", func(m message) { a.reply(m, offers) })
	a.on("session/set_config_option", func(m message) { a.fail(m, -32602, "not today") })
	if err := a.peer.Start(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.peer.Open(await.Context(t), peer.Conversation{}); err == nil || err.Error() != "--agent-option mode=code: the agent refuses it: not today" {
		t.Errorf("%v", err)
	}
}

// TestOptionsAreAppliedToAResumedSession, and About follows what the agent says of them.
func TestOptionsAreKeptUpToDate(t *testing.T) {
	a := newAgent(t, peer.Option{Key: "mode", Value: "code"})
	set := 0
	a.on("session/resume", func(m message) { a.reply(m, offers) })
	a.on("session/set_config_option", func(m message) {
		set++
		a.reply(m, `{"configOptions":[{"id":"mode","type":"select","currentValue":"code","options":[{"value":"ask"},{"value":"code"}]}]}`)
	})
	if err := a.peer.Start(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	if id, err := a.peer.Open(await.Context(t), peer.Conversation{ID: "s1"}); err != nil || id != "s1" || set != 1 {
		t.Fatalf("%q %v, set %d times", id, err, set)
	}
	if keys := keysOf(a.peer); keys != "model mode" {
		t.Errorf("options %s", keys)
	}
	a.onPrompt("end_turn", func() {
		a.updateIn("another", `{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`)
		a.update(`{"sessionUpdate":"current_mode_update","currentModeId":"ask"}`)
		a.update(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"depth","type":"select","currentValue":"3","options":[{"value":"3"}]}]}`)
		a.update(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`)
	})
	_, on := a.prompt("s1", "x")
	if keys := keysOf(a.peer); keys != "model depth" || on.text() != "note agentMode=ask\n" {
		t.Errorf("options %s, told %q", keys, on.text())
	}
}

func keysOf(p peer.Peer) string {
	var keys []string
	for _, c := range p.About().Options {
		keys = append(keys, c.Key)
	}
	return strings.Join(keys, " ")
}

func TestOffersAreBounded(t *testing.T) {
	var all, values []string
	for i := range 5000 {
		values = append(values, fmt.Sprintf(`{"value":"v%d"}`, i))
	}
	for i := range 200 {
		list := "[]"
		if i == 0 {
			list = "[" + strings.Join(values, ",") + "]"
		}
		all = append(all, fmt.Sprintf(`{"id":"o%d","type":"select","currentValue":"a","options":%s}`, i, list))
	}
	a := newAgent(t, peer.Option{Key: "o0", Value: "none"})
	a.on("session/new", func(m message) { a.reply(m, `{"sessionId":"s1","configOptions":[`+strings.Join(all, ",")+`]}`) })
	if err := a.peer.Start(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	_, err := a.peer.Open(await.Context(t), peer.Conversation{})
	if err == nil || !strings.HasSuffix(err.Error(), "v38, v39 and 2008 more") {
		t.Errorf("%v", err)
	}
	options := a.peer.About().Options
	if len(options) != 64 || len(options[0].Values) != 2048 {
		t.Errorf("%d options, %d values", len(options), len(options[0].Values))
	}
	if !slices.Contains(options[0].Values, "v2047") {
		t.Error("the first values are kept")
	}
}
