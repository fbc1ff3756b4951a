package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// strict takes {"city": string} and nothing else.
const strict = `{"name":"acme.strict","description":"d","inputSchema":{"type":"object","properties":{"city":{"type":"string"}},` +
	`"required":["city"],"additionalProperties":false}}`

func TestOutcomeTable(t *testing.T) {
	for _, row := range []struct {
		outcome call.Outcome
		state   a2a.TaskState
		status  int
		retry   bool
	}{
		{call.Outcome{Case: call.Final}, a2a.StateCompleted, 200, false},
		{call.Outcome{Case: call.Truncated}, a2a.StateCompleted, 200, false},
		{call.Outcome{Case: call.Artifact}, a2a.StateCompleted, 200, false},
		{call.Outcome{Case: call.Redacted}, a2a.StateCompleted, 200, false},
		{call.Outcome{Case: call.Synthetic}, a2a.StateCompleted, 200, false},
		{call.Outcome{Case: call.Partial, Reason: call.Canceled}, a2a.StateCanceled, 200, false},
		{call.Outcome{Case: call.Partial, Reason: call.TimedOut}, a2a.StateFailed, 200, false},
		{call.Outcome{Case: call.Failed}, a2a.StateFailed, 502, false},
		{call.Outcome{Case: call.InvalidArguments}, a2a.StateFailed, 422, false},
		{call.Outcome{Case: call.UnknownTool}, a2a.StateRejected, 404, false},
		{call.Outcome{Case: call.Denied}, a2a.StateRejected, 403, false},
		{call.Outcome{Case: call.Rejected}, a2a.StateRejected, 403, false},
		{call.Outcome{Case: call.Busy}, a2a.StateRejected, 429, true},
		{call.Outcome{Case: call.Unavailable}, a2a.StateFailed, 503, true},
		{call.Outcome{Case: call.TimedOut}, a2a.StateFailed, 504, false},
		{call.Outcome{Case: call.Canceled}, a2a.StateCanceled, 409, false},
	} {
		o := row.outcome
		if o.State() != row.state || o.HTTPStatus() != row.status || (o.RetryAfter() > 0) != row.retry {
			t.Errorf("%s: %s, %d, retry after %d", o, o.State(), o.HTTPStatus(), o.RetryAfter())
		}
	}
}

func TestExecOutcomes(t *testing.T) {
	r := newRig(t, strings.Join([]string{
		execTool("acme.cat", "", "tool:cat"),
		execTool("acme.text", `,"effects":"read"`, "tool:say", "42"),
		strings.Replace(execTool("acme.astext", "", "tool:say", "42"), `"command"`, `"output":"text","command"`, 1),
		strings.Replace(execTool("acme.asjson", "", "tool:say", "not json"), `"command"`, `"output":"json","command"`, 1),
		execTool("acme.plain", "", "tool:say", "plain words\n"),
		execTool("acme.fail", "", "tool:fail"),
		execTool("acme.killed", "", "tool:killed"),
		execTool("acme.silent", `,"timeout":"100ms"`, "tool:silent"),
		execTool("acme.chatty", `,"timeout":"2s"`, "tool:chatty"),
		execTool("acme.large", `,"maxOutput":"1KB"`, "tool:large", "1"),
		execTool("acme.binary", "", "tool:binary"),
		tool("acme.missing", `{"bridge":{"exec":{"command":["/no/such/program"]}}}`),
		tool("acme.agent", `{}`),
		strict,
	}, ","), nil, withHost(t))

	t.Run("final: json is parsed", func(t *testing.T) {
		r.run("acme.cat", ` {"a": [1, 2.50],  "b":"<ü>"} `).is("final", a2a.StateCompleted, 200).data(`{"a":[1,2.50],"b":"<ü>"}`)
	})
	t.Run("final: empty arguments are an object", func(t *testing.T) { r.run("acme.cat", "").is("final", a2a.StateCompleted, 200).data(`{}`) })
	t.Run("final: text that is JSON", func(t *testing.T) { r.run("acme.text", `{}`).is("final", a2a.StateCompleted, 200).data(`42`) })
	t.Run("final: declared text", func(t *testing.T) { r.run("acme.astext", `{}`).is("final", a2a.StateCompleted, 200).data(`"42"`) })
	t.Run("final: plain text", func(t *testing.T) {
		r.run("acme.plain", `{}`).is("final", a2a.StateCompleted, 200).data(`"plain words\n"`)
	})
	t.Run("failed: declared json that is none", func(t *testing.T) {
		r.run("acme.asjson", `{}`).is("failed", a2a.StateFailed, 502).says("the output is not JSON as declared: invalid character").data(`"not json"`)
	})
	t.Run("failed: exit code, stderr, and what it printed", func(t *testing.T) {
		e := r.run("acme.fail", `{}`).is("failed", a2a.StateFailed, 502).says("exit status 3", "boom: no such thing").data(`"half of it"`)
		if got := e.artifact("stderr").Text; got != "boom: no such thing\n" {
			t.Errorf("stderr artifact %q", got)
		}
	})
	t.Run("failed: a signal is named", func(t *testing.T) { r.run("acme.killed", `{}`).is("failed", a2a.StateFailed, 502).says("SIGKILL") })
	t.Run("timed_out", func(t *testing.T) {
		r.run("acme.silent", `{}`).is("timed_out", a2a.StateFailed, 504).says("100ms")
	})
	t.Run("partial: timed out with output", func(t *testing.T) {
		e := r.run("acme.chatty", `{}`).is("partial", a2a.StateFailed, 200).data(`"so far"`)
		if e.env.Metadata.Reason != "timed_out" {
			t.Errorf("reason %q", e.env.Metadata.Reason)
		}
	})
	t.Run("truncated", func(t *testing.T) {
		e := r.run("acme.large", `{}`).is("truncated", a2a.StateCompleted, 200)
		var data struct{ Head string }
		if err := json.Unmarshal(e.env.Data, &data); err != nil || len(data.Head) != 1000 && len(data.Head) != 1024 || !e.env.Metadata.Truncated {
			t.Errorf("head of %d bytes, truncated %t, %v", len(data.Head), e.env.Metadata.Truncated, err)
		}
	})
	t.Run("artifact: bytes that are no text", func(t *testing.T) {
		e := r.run("acme.binary", `{}`).is("artifact", a2a.StateCompleted, 200)
		if p := e.artifact("output"); p.Kind != a2a.PartRaw || string(p.Raw) != "\x01\x00\x02\xff\x03" {
			t.Errorf("artifact output: %+v", p)
		}
		e.data(`{"artifact_id":"output","media_type":"application/octet-stream","bytes":5}`)
	})
	t.Run("unavailable: no such program", func(t *testing.T) {
		r.run("acme.missing", `{}`).is("unavailable", a2a.StateFailed, 503).says("acme.missing", "/no/such/program")
	})
	t.Run("unavailable: no agent", func(t *testing.T) { r.run("acme.agent", `{}`).is("unavailable", a2a.StateFailed, 503) })
	t.Run("unknown_tool, with a suggestion", func(t *testing.T) {
		r.run("acme.strct", `{}`).is("unknown_tool", a2a.StateRejected, 404).says("acme.strct", "acme.strict")
	})
	t.Run("invalid_arguments", func(t *testing.T) {
		for _, tc := range []struct{ args, says string }{
			{`{`, "cannot be read"},
			{`[]`, "must be an object, not an array"},
			{`null`, "not null"},
			{`"x"`, "not a string"},
			{`{"city":"a"} {}`, "something follows"},
			{`{"city":"a","city":"b"}`, "/city cannot be read"},
			{`{"city":{"x":[{"y~/z":1},{"y~/z":1,"y~/z":2}]}}`, "/city/x/1/y~0~1z"},
			{"{\"city\":\"\xff\"}", "UTF-8"},
			{`{"city":7}`, "/city"},
			{`{}`, "city"},
		} {
			r.run("acme.strict", tc.args).is("invalid_arguments", a2a.StateFailed, 422).says(tc.says)
		}
	})
	t.Run("invalid_arguments: the call's id", func(t *testing.T) {
		for _, id := range []string{"a b", "a\x00", strings.Repeat("x", 129), "é"} {
			e := r.ended(r.p.Start(call.Request{ID: id, Tool: "acme.cat"}))
			e.is("invalid_arguments", a2a.StateFailed, 422).says("/id")
		}
	})
}

func TestDecidedOutcomes(t *testing.T) {
	t.Run("denied by a rule", func(t *testing.T) {
		r := newRig(t, tool("acme.x", `{}`), nil, deciding(policy.Deny))
		r.run("acme.x", `{}`).is("denied", a2a.StateRejected, 403).says("may not", "the test says so")
	})
	t.Run("denied is not unknown", func(t *testing.T) {
		r := newRig(t, tool("acme.x", `{}`), nil, deciding(policy.Deny))
		r.run("acme.y", `{}`).is("unknown_tool", a2a.StateRejected, 404)
	})
	t.Run("denied when headless", func(t *testing.T) {
		r := newRig(t, tool("acme.x", `{}`), nil, deciding(policy.Ask), func(o *call.Options) { o.Headless = true })
		r.run("acme.x", `{}`).is("denied", a2a.StateRejected, 403).says("nobody can be asked")
	})
	t.Run("denied when nobody answers", func(t *testing.T) {
		r := newRig(t, tool("acme.x", `{}`), nil, deciding(policy.Ask), func(o *call.Options) { o.AskTimeout = 20 * time.Millisecond })
		r.run("acme.x", `{}`).is("denied", a2a.StateRejected, 403).says("nobody answered")
	})
}

func TestAgentOutcomes(t *testing.T) {
	tools := tool("acme.agent", `{}`) + "," + tool("acme.prompt", `{"bridge":{"prompt":"look at {x}"}}`)
	tools = strings.Replace(tools, `"inputSchema":{"type":"object"},"x-sidecar":{"bridge"`, `"inputSchema":{"type":"object","properties":{"x":{"type":"string"}}},"x-sidecar":{"bridge"`, 1)
	for _, tc := range []struct {
		name, outcome string
		state         a2a.TaskState
		status        int
		agent         agentFunc
		check         func(e ended)
	}{
		{"final: structured", "final", a2a.StateCompleted, 200, func(context.Context, driver.Call) (driver.CallResult, error) {
			return driver.CallResult{Output: []byte("words"), Structured: json.RawMessage(`{"a": 1}`)}, nil
		}, func(e ended) { e.data(`{"a":1}`) }},
		{"final: streamed only", "final", a2a.StateCompleted, 200, func(_ context.Context, c driver.Call) (driver.CallResult, error) {
			c.Output([]byte("one "))
			c.Output([]byte("two"))
			return driver.CallResult{}, nil
		}, func(e ended) { e.data(`"one two"`) }},
		{"failed: the agent says so", "failed", a2a.StateFailed, 502, func(context.Context, driver.Call) (driver.CallResult, error) {
			return driver.CallResult{Output: []byte("cannot"), IsError: true}, nil
		}, func(e ended) { e.says("cannot") }},
		{"failed: exit", "failed", a2a.StateFailed, 502, func(context.Context, driver.Call) (driver.CallResult, error) {
			res := driver.CallResult{Exit: &proc.Exit{Code: 9}}
			res.Stderr.Add([]byte("oh \x1b[31mno\x1b[0m"))
			return res, nil
		}, func(e ended) { e.says("exit status 9", "oh no") }},
		{"failed: error", "failed", a2a.StateFailed, 502, func(context.Context, driver.Call) (driver.CallResult, error) {
			return driver.CallResult{}, errors.New("lost")
		}, func(e ended) { e.says("lost") }},
		{"failed: panic", "failed", a2a.StateFailed, 502, func(context.Context, driver.Call) (driver.CallResult, error) {
			panic("secret")
		}, func(e ended) {
			if strings.Contains(e.text(), "secret") {
				e.t.Errorf("a panic's text is not the caller's: %s", e.text())
			}
		}},
		{"busy", "busy", a2a.StateRejected, 429, func(context.Context, driver.Call) (driver.CallResult, error) {
			return driver.CallResult{}, fmt.Errorf("turn: %w", a2a.ErrBusy)
		}, nil},
		{"unavailable", "unavailable", a2a.StateFailed, 503, func(context.Context, driver.Call) (driver.CallResult, error) {
			return driver.CallResult{}, a2a.ErrUnavailable
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, tools, nil, withAgent(tc.agent))
			e := r.run("acme.agent", `{}`).is(tc.outcome, tc.state, tc.status)
			e.t = t
			if tc.check != nil {
				tc.check(e)
			}
		})
	}
	t.Run("prompt: placeholders", func(t *testing.T) {
		r := newRig(t, tools, nil, withAgent(func(_ context.Context, c driver.Call) (driver.CallResult, error) {
			return driver.CallResult{Output: []byte(c.Prompt)}, nil
		}))
		r.run("acme.prompt", `{"x":"the log"}`).is("final", a2a.StateCompleted, 200).data(`"look at the log"`)
		r.run("acme.agent", `{}`).is("final", a2a.StateCompleted, 200).data(`""`)
	})
	t.Run("stopped, with what was said and not streamed", func(t *testing.T) {
		for _, name := range []string{"acme.agent", "acme.prompt"} {
			began := make(chan struct{})
			r := newRig(t, tools, nil, withAgent(func(ctx context.Context, _ driver.Call) (driver.CallResult, error) {
				close(began)
				<-ctx.Done()
				return driver.CallResult{Output: []byte("half of it")}, context.Cause(ctx)
			}))
			inv := r.p.Start(call.Request{Tool: name, Arguments: json.RawMessage(`{"x":"1"}`)})
			<-began
			inv.Task().Cancel(errCanceled)
			r.ended(inv).is("partial", a2a.StateCanceled, 200).data(`"half of it"`)
		}
	})
	t.Run("canceled, and partial", func(t *testing.T) {
		for _, said := range []string{"", "some"} {
			began := make(chan struct{})
			r := newRig(t, tools, nil, withAgent(func(ctx context.Context, c driver.Call) (driver.CallResult, error) {
				c.Output([]byte(said))
				close(began)
				<-ctx.Done()
				return driver.CallResult{}, context.Cause(ctx)
			}))
			inv := r.p.Start(call.Request{Tool: "acme.agent"})
			<-began
			inv.Task().Cancel(errCanceled)
			if said == "" {
				r.ended(inv).is("canceled", a2a.StateCanceled, 409)
				continue
			}
			r.ended(inv).is("partial", a2a.StateCanceled, 200).data(`"some"`)
		}
	})
}

func TestHandlerOutcomes(t *testing.T) {
	reg := manifest.NewRegistry()
	handler(t, reg, "go.echo", manifest.EffectsRead, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil })
	handler(t, reg, "go.nothing", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil })
	handler(t, reg, "go.wrong", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"a"`), nil
	})
	handler(t, reg, "go.error", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, errors.New("no luck")
	})
	handler(t, reg, "go.panic", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("secret") })
	handler(t, reg, "go.large", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`"` + strings.Repeat("ü", 1000) + `"`), nil
	})
	r := newRig(t, "", reg, func(o *call.Options) { o.MaxOutput = 100 })

	r.run("go.echo", `{"a": 1}`).is("final", a2a.StateCompleted, 200).data(`{"a":1}`)
	r.run("go.nothing", `{}`).is("final", a2a.StateCompleted, 200).data(`null`)
	r.run("go.wrong", `{}`).is("failed", a2a.StateFailed, 502).says("not JSON")
	r.run("go.error", `{}`).is("failed", a2a.StateFailed, 502).says("no luck")
	if e := r.run("go.panic", `{}`).is("failed", a2a.StateFailed, 502); strings.Contains(e.text(), "secret") {
		t.Errorf("a panic's text is not the caller's: %s", e.text())
	}
	if len(r.log.Lines("secret")) == 0 {
		t.Error("a panic's text belongs in the log")
	}
	var data struct{ Head string }
	e := r.run("go.large", `{}`).is("truncated", a2a.StateCompleted, 200)
	if err := json.Unmarshal(e.env.Data, &data); err != nil || data.Head != `"`+strings.Repeat("ü", 49) {
		t.Errorf("a head of 100 bytes at a rune boundary, not %q (%v)", data.Head, err)
	}
	r.run("go.echo", `{}`).is("final", a2a.StateCompleted, 200) // nothing else went down
}

func TestEnvelopeBytes(t *testing.T) {
	r := newRig(t, tool("acme.x", `{}`), nil, withAgent(func(context.Context, driver.Call) (driver.CallResult, error) {
		return driver.CallResult{Structured: json.RawMessage(`{"z": 1, "a": 2}`)}, nil
	}))
	good := r.ended(r.p.Start(call.Request{ID: "c-1", Tool: "acme.x"})).inv.Envelope()
	bad := r.ended(r.p.Start(call.Request{ID: "c-2", Tool: "acme.x", Arguments: json.RawMessage("1")})).inv.Envelope()
	duration := regexp.MustCompile(`"duration_ms":\d+`)
	for _, tc := range []struct {
		got  []byte
		want string
	}{
		{good, `{"type":"output","data":{"z":1,"a":2},"metadata":{"call_id":"c-1","tool":"acme.x","duration_ms":N,"outcome":"final"}}`},
		{bad, `{"type":"error","error_text":"invalid arguments: they must be an object, not a number","metadata":{"call_id":"c-2","tool":"acme.x","duration_ms":N,"outcome":"invalid_arguments"}}`},
	} {
		if got := duration.ReplaceAllString(string(tc.got), `"duration_ms":N`); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

func TestOneLogLinePerCallWithoutArguments(t *testing.T) {
	r := newRig(t, strict, nil, withAgent(func(context.Context, driver.Call) (driver.CallResult, error) {
		return driver.CallResult{Output: []byte("private answer")}, nil
	}))
	r.ended(r.p.Start(call.Request{ID: "c-1", Tool: "acme.strict", Door: "http", Arguments: json.RawMessage(`{"city":"private words"}`)}))
	r.ended(r.p.Start(call.Request{ID: "c-2", Tool: "acme.strict", Arguments: json.RawMessage(`{"private words":1}`)}))
	lines := r.log.Lines("tool call ended")
	if len(lines) != 2 || !strings.Contains(lines[1], "outcome=invalid_arguments") {
		t.Fatalf("the log has %q", lines)
	}
	for _, attr := range []string{"task=", "tool=acme.strict", "call=c-2", "duration_ms="} {
		if !strings.Contains(lines[1], attr) {
			t.Errorf("no %s in %s", attr, lines[1])
		}
	}
	if lines := r.log.Lines("private"); len(lines) != 0 {
		t.Errorf("arguments or output in the log: %q", lines)
	}
}
