package sidecar_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

const toolCallURI = "urn:a2a-sidecar:tool-call:v1"

// tools is a manifest with one tool per way in which a call can end.
const tools = `[
  {"name":"test.echo","description":"Returns its arguments.","inputSchema":{"type":"object","required":["value"],"properties":{"value":{"type":"string"}},"additionalProperties":false},
   "x-sidecar":{"bridge":{"exec":{"command":["cat"],"output":"json"}},"effects":"read"}},
  {"name":"test.fail","description":"Fails.","inputSchema":{"type":"object"},
   "x-sidecar":{"bridge":{"exec":{"command":["sh","-c","echo half; echo broken pipe dream >&2; exit 3"]}}}},
  {"name":"test.slow","description":"Takes too long.","inputSchema":{"type":"object"},
   "x-sidecar":{"bridge":{"exec":{"command":["sleep","60"]}},"timeout":"200ms"}},
  {"name":"test.hang","description":"Never ends by itself.","inputSchema":{"type":"object"},
   "x-sidecar":{"bridge":{"exec":{"command":["sleep","6101"],"env":["TEST_RUN"]}}}},
  {"name":"test.talk","description":"Says something, then never ends.","inputSchema":{"type":"object"},
   "x-sidecar":{"bridge":{"exec":{"command":["sh","-c","echo half; exec sleep 62"]}},"timeout":"2s"}},
  {"name":"test.big","description":"Says too much.","inputSchema":{"type":"object"},
   "x-sidecar":{"bridge":{"exec":{"command":["sh","-c","head -c 1000000 /dev/zero | tr '\\0' x"]}},"maxOutput":"10KB","effects":"read"}},
  {"name":"test.agent","description":"Is the wrapped agent's own.","inputSchema":{"type":"object","properties":{"value":{"type":"string"}}}}
]`

func writeManifest(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, path, text)
	return path
}

// outcome is what a caller sees of a call, through any door.
type outcome struct {
	http  int // 0 through the message door
	state a2a.TaskState
	env   envelope
}

// A door is a way to call a tool.
type door struct {
	name string
	call func(r *running, tool, arguments string) outcome
}

var doors = []door{
	{"POST", func(r *running, tool, arguments string) outcome {
		r.t.Helper()
		rep := r.do(http.MethodPost, "/a2a/tools/"+tool, "application/json", arguments)
		var env envelope
		if err := json.Unmarshal([]byte(rep.body), &env); err != nil {
			r.t.Fatalf("%s: %d %s", tool, rep.status, rep.body)
		}
		id := strings.TrimPrefix(rep.header.Get("Location"), "/tasks/")
		return outcome{rep.status, r.get(id).Status.State, env}
	}},
	{"message", func(r *running, tool, arguments string) outcome {
		r.t.Helper()
		result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: toolMessage(tool, arguments)})
		if err != nil {
			r.t.Fatalf("%s: %v", tool, err)
		}
		return outcome{0, result.Task.Status.State, resultOf(r.t, result.Task)}
	}},
}

func toolMessage(tool, arguments string) a2a.Message {
	if arguments == "" {
		arguments = "{}"
	}
	return a2a.Message{
		ID: a2a.NewID(), Role: a2a.RoleUser, Extensions: []string{toolCallURI},
		Parts: []a2a.Part{a2a.DataPart(json.RawMessage(`{"toolCall":{"name":"` + tool + `","arguments":` + arguments + `}}`))},
	}
}

// resultOf reads the envelope that a call's task carries.
func resultOf(t testing.TB, task *a2a.Task) envelope {
	t.Helper()
	var env envelope
	if err := json.Unmarshal([]byte(artifact(task, "result")), &env); err != nil {
		t.Fatalf("task %s (%s: %s) has no result: %v", task.ID, task.Status.State, says(task), err)
	}
	return env
}

var modes = []struct {
	name string
	args []string
}{
	{"oneshot", []string{"--mode", "oneshot", "--", "cat"}},
	{"pty", []string{"--", "sh", "-c", "stty -echo; exec cat"}},
}

// TestToolCalls is the table of outcomes of the topic "tools", through both doors, beside a
// one-shot agent and beside one in a terminal.
func TestToolCalls(t *testing.T) {
	t.Parallel()
	cases := []struct {
		tool, arguments string
		outcome         string
		state           a2a.TaskState
		http            int
		says            string // in the data or the error text
	}{
		{"test.echo", `{"value":"hi"}`, "final", a2a.StateCompleted, 200, `"hi"`},
		{"test.echo", `{"value":1}`, "invalid_arguments", a2a.StateFailed, 422, "/value"},
		{"test.echo", `{"value":"x","extra":true}`, "invalid_arguments", a2a.StateFailed, 422, "extra"},
		{"test.ecko", `{}`, "unknown_tool", a2a.StateRejected, 404, "test.echo"},
		{"test.fail", `{}`, "failed", a2a.StateFailed, 502, "broken pipe dream"},
		{"test.slow", `{}`, "timed_out", a2a.StateFailed, 504, "200ms"},
		{"test.talk", `{}`, "partial", a2a.StateFailed, 200, "half"},
		{"test.big", `{}`, "truncated", a2a.StateCompleted, 200, "xxxx"},
	}
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, append([]string{"--manifest", writeManifest(t, tools)}, m.args...)...)
			for _, d := range doors {
				for _, c := range cases {
					t.Run(d.name+"/"+c.tool+"/"+c.outcome, func(t *testing.T) {
						got := d.call(r, c.tool, c.arguments)
						if got.env.Metadata.Outcome != c.outcome || got.state != c.state || got.http != 0 && got.http != c.http {
							t.Errorf("outcome %s, task %s, HTTP %d; want %s, %s, %d", got.env.Metadata.Outcome, got.state, got.http, c.outcome, c.state, c.http)
						}
						if text := string(got.env.Data) + got.env.ErrorText; !strings.Contains(text, c.says) {
							t.Errorf("says %.300q, want %q in it", text, c.says)
						}
						if ok := c.http == 200; ok != (got.env.Type == "output") {
							t.Errorf("envelope type %q", got.env.Type)
						}
						if c.outcome == "truncated" && (!got.env.Metadata.Truncated || len(got.env.Data) > 11_000) {
							t.Errorf("truncated: %v, %d bytes", got.env.Metadata.Truncated, len(got.env.Data))
						}
					})
				}
			}
		})
	}
}

func TestToolCallNotJSON(t *testing.T) {
	t.Parallel()
	r := run(t, "--manifest", writeManifest(t, tools), "--mode", "oneshot", "--", "cat")
	for _, body := range []string{`{`, `[]`, `null`, `{"value":"a","value":"b"}`, "{\"value\":\"\xff\"}", strings.Repeat("[", 100_000)} {
		rep := r.do(http.MethodPost, "/a2a/tools/test.echo", "text/plain", body)
		if rep.status != 422 || !strings.Contains(rep.body, `"invalid_arguments"`) {
			t.Errorf("%.40q: %d %s", body, rep.status, rep.body)
		}
	}
}

// TestToolCallCanceled cancels a call while its program runs.
func TestToolCallCanceled(t *testing.T) {
	t.Parallel()
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			r := run(t, append([]string{"--manifest", writeManifest(t, tools)}, m.args...)...)
			result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: toolMessage("test.hang", ""), ReturnImmediately: true})
			if err != nil {
				t.Fatal(err)
			}
			await.True(r.t, "the program runs", func() bool {
				return r.get(result.Task.ID).Status.State == a2a.StateWorking && r.processes("sleep", "6101") > 0
			})
			task, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: result.Task.ID})
			if err != nil {
				t.Fatal(err)
			}
			if task.Status.State != a2a.StateCanceled || resultOf(t, task).Metadata.Outcome != "canceled" {
				t.Errorf("task %s, %+v", task.Status.State, resultOf(t, task))
			}
			if n := r.processes("sleep", "6101"); n != 0 {
				t.Errorf("%d programs live on", n)
			}
		})
	}
}

// TestToolCallCanceledOverHTTP: who made the call directly is told by 409.
func TestToolCallCanceledOverHTTP(t *testing.T) {
	t.Parallel()
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			r := run(t, append([]string{"--manifest", writeManifest(t, tools)}, m.args...)...)
			answered := make(chan outcome, 1)
			go func() { answered <- doors[0].call(r, "test.hang", `{}`) }()
			await.True(r.t, "the program runs", func() bool { return r.processes("sleep", "6101") > 0 })
			list, err := r.client().List(r.context(), &a2a.ListRequest{PageSize: 10})
			if err != nil || len(list.Tasks) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			if _, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: list.Tasks[0].ID}); err != nil {
				t.Fatal(err)
			}
			if got := <-answered; got.http != 409 || got.state != a2a.StateCanceled || got.env.Metadata.Outcome != "canceled" {
				t.Errorf("HTTP %d, task %s, outcome %s", got.http, got.state, got.env.Metadata.Outcome)
			}
		})
	}
}

// TestToolCallBusy fills the one place and the queue of none.
func TestToolCallBusy(t *testing.T) {
	t.Parallel()
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			r := run(t, append([]string{"--manifest", writeManifest(t, tools), "--queue", "0"}, m.args...)...)
			first, err := r.client().Send(r.context(), &a2a.SendRequest{Message: toolMessage("test.hang", ""), ReturnImmediately: true})
			if err != nil {
				t.Fatal(err)
			}
			await.True(r.t, "the first runs", func() bool { return r.processes("sleep", "6101") > 0 })
			for _, d := range doors {
				got := d.call(r, "test.hang", `{}`)
				if got.env.Metadata.Outcome != "busy" || got.state != a2a.StateRejected || got.http != 0 && got.http != 429 {
					t.Errorf("%s: outcome %s, task %s, HTTP %d", d.name, got.env.Metadata.Outcome, got.state, got.http)
				}
			}
			if rep := r.do(http.MethodPost, "/a2a/tools/test.hang", "", ""); rep.header.Get("Retry-After") == "" {
				t.Errorf("busy without Retry-After: %d %v", rep.status, rep.header)
			}
			if _, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: first.Task.ID}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestToolCallByAgent: a tool without a bridge is the wrapped agent's, so that
// a plain manifest works in every mode.
func TestToolCallByAgent(t *testing.T) {
	t.Parallel()
	t.Run("oneshot", func(t *testing.T) {
		r := run(t, "--manifest", writeManifest(t, tools), "--mode", "oneshot", "--", "sh", "-c", `printf '{"tool":"%s","got":' "$SIDECAR_TOOL"; cat; printf '}'`)
		for _, d := range doors {
			got := d.call(r, "test.agent", `{"value":"v"}`)
			if got.env.Metadata.Outcome != "final" || string(got.env.Data) != `{"tool":"test.agent","got":{"value":"v"}}` {
				t.Errorf("%s: %+v", d.name, got.env)
			}
		}
	})
	for _, mode := range []string{"pty", "lines"} {
		t.Run(mode, func(t *testing.T) {
			r := run(t, "--mode", mode, "--manifest", "../examples/line-tools/tools.json", "--", "../examples/line-tools/tools.py")
			for _, d := range doors {
				got := d.call(r, "text.reverse", `{"text":"abc"}`)
				if got.env.Metadata.Outcome != "final" || string(got.env.Data) != `"cba"` {
					t.Errorf("%s: %+v", d.name, got.env)
				}
			}
		})
	}
}

// TestToolCallWithoutExtension: without the extension the same part is data
// for the agent.
func TestToolCallWithoutExtension(t *testing.T) {
	t.Parallel()
	r := run(t, "--manifest", writeManifest(t, tools), "--mode", "oneshot", "--", "cat")
	m := toolMessage("test.echo", `{"value":"hi"}`)
	m.Extensions = nil
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m})
	if err != nil {
		t.Fatal(err)
	}
	if got := artifact(result.Task, "response"); !strings.HasPrefix(got, `{"toolCall":`) {
		t.Errorf("the agent got %q", got)
	}
}
