package call_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// withOutputs keeps side files of at most limit bytes.
func withOutputs(t testing.TB, limit int64) func(*call.Options) {
	t.Helper()
	s, err := output.NewStore(output.Options{Dir: t.TempDir(), Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return func(o *call.Options) { o.Outputs, o.OutputPath = s, "/a2a/outputs/" }
}

// head is the text of a result that was cut.
func (e ended) head() string {
	e.t.Helper()
	var data struct{ Head *string }
	if err := json.Unmarshal(e.env.Data, &data); err != nil || data.Head == nil || !e.env.Metadata.Truncated {
		e.t.Fatalf("no head in %.300s", e.inv.Envelope())
	}
	return *data.Head
}

// rest is the content of the side file.
func (e ended) rest() string {
	e.t.Helper()
	m := e.env.Metadata
	content, err := os.ReadFile(m.OutputPath)
	if err != nil || m.OutputURL != "/a2a/outputs/"+e.task.ID {
		e.t.Fatalf("output_path %q, output_url %q: %v", m.OutputPath, m.OutputURL, err)
	}
	if info, err := os.Stat(m.OutputPath); err != nil || info.Mode() != 0o600 {
		e.t.Errorf("the side file: %v, %v", info.Mode(), err)
	}
	return string(content)
}

func TestRestIsInASideFile(t *testing.T) {
	whole := strings.Repeat("0123456789abcde\n", 2*4096)
	tools := execTool("acme.large", `,"maxOutput":"1KB"`, "tool:large", "2") + "," + execTool("acme.exact", `,"maxOutput":"64KiB"`, "tool:large", "1")
	t.Run("text", func(t *testing.T) {
		r := newRig(t, tools, nil, withHost(t), withOutputs(t, 1<<20))
		e := r.run("acme.large", `{}`).is("truncated", a2a.StateCompleted, 200)
		if e.head() != whole[:1000] || e.rest() != whole {
			t.Errorf("a head of %d bytes and a side file of %d", len(e.head()), len(e.rest()))
		}
	})
	t.Run("none for what fits", func(t *testing.T) {
		r := newRig(t, tools, nil, withHost(t), withOutputs(t, 1<<20))
		if m := r.run("acme.exact", `{}`).is("final", a2a.StateCompleted, 200).env.Metadata; m.OutputPath != "" || m.OutputURL != "" || m.Truncated {
			t.Errorf("%+v", m)
		}
	})
	t.Run("no place for it", func(t *testing.T) {
		r := newRig(t, tools, nil, withHost(t))
		e := r.run("acme.large", `{}`).is("truncated", a2a.StateCompleted, 200)
		if m := e.env.Metadata; e.head() != whole[:1000] || m.OutputPath != "" || m.OutputURL != "" {
			t.Errorf("%+v", m)
		}
	})
	t.Run("JSON", func(t *testing.T) {
		reg := manifest.NewRegistry()
		array := `[` + strings.Repeat(`"0123456789",`, 50_000) + `0]`
		handler(t, reg, "acme.array", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(array), nil
		})
		r := newRig(t, "", reg, withOutputs(t, 1<<20))
		e := r.run("acme.array", `{}`).is("truncated", a2a.StateCompleted, 200)
		if e.head() != array[:200_000] || e.rest() != array {
			t.Errorf("a head of %d bytes and a side file of %d", len(e.head()), len(e.rest()))
		}
	})
	t.Run("the agent's answer in place of what it streamed", func(t *testing.T) {
		r := newRig(t, tool("acme.ask", `{"maxOutput":"10B"}`), nil, withOutputs(t, 1<<20), withAgent(
			func(_ context.Context, c driver.Call) (driver.CallResult, error) {
				c.Output([]byte("what it said meanwhile"))
				return driver.CallResult{Output: []byte("what it answered")}, nil
			}))
		e := r.run("acme.ask", `{}`).is("truncated", a2a.StateCompleted, 200)
		if e.head() != "what it an" || e.rest() != "what it answered" {
			t.Errorf("head %q, rest %q", e.head(), e.rest())
		}
	})
	t.Run("bytes that are no text", func(t *testing.T) {
		r := newRig(t, execTool("acme.binary", `,"maxOutput":"2B"`, "tool:binary"), nil, withHost(t), withOutputs(t, 1<<20))
		e := r.run("acme.binary", `{}`).is("artifact", a2a.StateCompleted, 200)
		if e.rest() != "\x01\x00\x02\xff\x03" || string(e.artifact("output").Raw) != "\x01\x00" {
			t.Errorf("artifact %q, rest %q", e.artifact("output").Raw, e.rest())
		}
	})
	t.Run("partial", func(t *testing.T) {
		r := newRig(t, execTool("acme.slow", `,"timeout":"2s","maxOutput":"1KB"`, "tool:large-chatty"), nil, withHost(t), withOutputs(t, 1<<20))
		e := r.run("acme.slow", `{}`).is("partial", a2a.StateFailed, 200)
		if e.head() != whole[:1000] || e.rest() != whole[:64<<10] || e.env.Metadata.Reason != "timed_out" {
			t.Errorf("a head of %d bytes and a side file of %d: %+v", len(e.head()), len(e.rest()), e.env.Metadata)
		}
	})
	t.Run("partial: canceled", func(t *testing.T) {
		r := newRig(t, execTool("acme.slow", `,"maxOutput":"1KB"`, "tool:large-chatty"), nil, withHost(t), withOutputs(t, 1<<20))
		inv, f := r.follow(call.Request{Tool: "acme.slow"})
		f.next(func(e *a2a.Event) bool { u := toolCall(t, e); return u != nil && u.Live != "" })
		inv.Task().Cancel(nil)
		e := r.ended(inv)
		if e.is("partial", a2a.StateCanceled, 200); e.env.Metadata.Reason != "canceled" || len(e.head()) != 1000 || !strings.HasPrefix(whole, e.rest()) {
			t.Errorf("%+v", e.env.Metadata)
		}
	})
}

func TestOutputWithoutEndIsStopped(t *testing.T) {
	const limit = 1 << 20
	r := newRig(t, execTool("acme.endless", `,"maxOutput":"1KB"`, "tool:endless"), nil, withHost(t), withOutputs(t, limit))
	e := r.run("acme.endless", `{}`).is("partial", a2a.StateFailed, 200)
	if e.env.Metadata.Reason != "too_large" || len(e.head()) != 1000 || len(e.rest()) != limit {
		t.Errorf("a head of %d bytes and a side file of %d: %+v", len(e.head()), len(e.rest()), e.env.Metadata)
	}
	if m := e.task.Status.Message; m == nil || !strings.Contains(m.Parts[0].Text, "the output has reached the limit of 1MiB") {
		t.Errorf("the task says %+v", m)
	}
	t.Run("a handler's result", func(t *testing.T) {
		reg := manifest.NewRegistry()
		handler(t, reg, "acme.huge", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`"` + strings.Repeat("x", limit) + `"`), nil
		})
		r := newRig(t, "", reg, withOutputs(t, limit))
		if e := r.run("acme.huge", `{}`).is("partial", a2a.StateFailed, 200); e.env.Metadata.Reason != "too_large" || len(e.rest()) != limit {
			t.Errorf("%+v", e.env.Metadata)
		}
	})
}

const token = "s3cr3t-t0ken/of-acme"

// leaking is a rig whose tool says the secret that it is given, in every way.
func leaking(t *testing.T, declared, variable, extra string, args ...string) *rig {
	t.Helper()
	dir := t.TempDir()
	s, err := channel.Listen(channel.Options{RuntimeDir: dir, UID: -1, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	leak := strings.Replace(execTool("acme.leak", extra, append([]string{"tool:leak", variable}, args...)...), `"command"`, `"env":["`+declared+`","ACME_TOKEN"],"command"`, 1)
	return newRig(t, leak, nil, withHost(t), withOutputs(t, 1<<20), func(o *call.Options) {
		o.Channel, o.RuntimeDir = s, dir
		o.Env = append(slices.Clone(o.Env), "ACME_TOKEN="+token, "ACME_REGION=eu-central-1")
	})
}

func TestSecretsOfATool(t *testing.T) {
	const leaked = "[redacted] [redacted]==\n"
	t.Run("everywhere", func(t *testing.T) {
		r := leaking(t, "ACME_TOKEN", "ACME_TOKEN", "")
		inv, f := r.follow(call.Request{Tool: "acme.leak", Arguments: json.RawMessage(`{"token":"` + token + `"}`)})
		events := f.all()
		e := r.ended(inv).is("redacted", a2a.StateCompleted, 200)
		if !e.env.Metadata.Redacted || e.env.Metadata.Truncated {
			t.Errorf("%+v", e.env.Metadata)
		}
		var data, live string
		if err := json.Unmarshal(e.env.Data, &data); err != nil || !strings.HasPrefix(data, "[redacted] [redacted]") {
			t.Errorf("data %s, %v", e.env.Data, err)
		}
		for _, event := range events {
			if u := toolCall(t, event); u != nil {
				live += u.Live
				if string(u.Input) != `{"token":"[redacted]"}` {
					t.Errorf("arguments %s", u.Input)
				}
			}
			if b, err := json.Marshal(event); err != nil || event.Task == nil && bytes.Contains(withoutRaw(event, b), []byte("s3cr3t")) {
				t.Errorf("an event tells the secret (%v): %s", err, b)
			}
		}
		if live != data {
			t.Errorf("shown while it ran: %q, data %q", live, data)
		}
		for id, want := range map[string]string{"stderr": "the token is [redacted]\n", "report.txt": "token=[redacted]", "leaked": "has [redacted]"} {
			if p := e.artifact(id); p.Text+string(p.Raw) != want {
				t.Errorf("artifact %s: %q", id, p.Text+string(p.Raw))
			}
		}
		if p := e.artifact("report.bin"); string(p.Raw) != "\x00"+token {
			t.Errorf("a file that is no text is changed: %q", p.Raw)
		}
	})
	t.Run("a name that is no secret's", func(t *testing.T) {
		r := leaking(t, "ACME_REGION", "ACME_REGION", "")
		if e := r.run("acme.leak", `{}`); !strings.Contains(string(e.env.Data), "eu-central-1") {
			t.Errorf("data %s", e.env.Data)
		}
	})
	t.Run("a failure", func(t *testing.T) {
		r := leaking(t, "ACME_TOKEN", "ACME_TOKEN", "", "fail")
		e := r.run("acme.leak", `{}`).is("failed", a2a.StateFailed, 502).says("the token is [redacted]")
		if !e.env.Metadata.Redacted || strings.Contains(r.log.String(), "s3cr3t") {
			t.Errorf("%+v, log %s", e.env.Metadata, r.log)
		}
	})
	t.Run("also cut", func(t *testing.T) {
		r := leaking(t, "ACME_TOKEN", "ACME_TOKEN", `,"maxOutput":"5B"`)
		e := r.run("acme.leak", `{}`).is("truncated", a2a.StateCompleted, 200)
		if !e.env.Metadata.Redacted || e.head() != "[reda" || strings.Contains(e.rest(), "s3cr3t") || !strings.HasPrefix(e.rest(), "[redacted] ") {
			t.Errorf("head %q, rest %q of %q", e.head(), e.rest(), leaked)
		}
	})
}

// withoutRaw drops the files that are no text from an event.
func withoutRaw(e *a2a.Event, b []byte) []byte {
	if e.Artifact != nil && e.Artifact.Artifact.ID == "report.bin" {
		return nil
	}
	return b
}

func TestRulesOfTheOperator(t *testing.T) {
	rules := func(o *call.Options) {
		r, err := output.NewRedactor(output.Rules{Patterns: []string{`acme-\d{4}`}, Values: []output.Value{{Name: "N", Secret: "12345678"}}})
		if err != nil {
			panic(err)
		}
		o.Secrets = func() *output.Redactor { return r }
	}
	reg := manifest.NewRegistry()
	handler(t, reg, "acme.get", manifest.EffectsRead, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil })
	say := func(name, format, text string) string {
		return strings.Replace(execTool(name, "", "tool:say", text), `"command"`, `"output":"`+format+`","command"`, 1)
	}
	checked := strings.Replace(say("acme.checked", "json", `{"n":"acme-1234"}`), `"x-sidecar"`,
		`"outputSchema":{"type":"object","properties":{"n":{"pattern":"^acme-"}}},"x-sidecar"`, 1)
	r := newRig(t, say("acme.say", "json", `{"n":12345678}`)+","+say("acme.clean", "json", `{"n":1}`)+","+checked+","+say("acme.begun", "text", "so acme-12"), reg, withHost(t), rules)

	r.run("acme.get", `{"a":"is acme-1234"}`).is("redacted", a2a.StateCompleted, 200).data(`{"a":"is [redacted]"}`)
	// What only began like a secret is told at the end, as it runs too.
	inv, f := r.follow(call.Request{Tool: "acme.begun"})
	live := ""
	for _, event := range f.all() {
		if u := toolCall(t, event); u != nil {
			live += u.Live
		}
	}
	if r.ended(inv).is("final", a2a.StateCompleted, 200).data(`"so acme-12"`); live != "so acme-12" {
		t.Errorf("shown while it ran: %q", live)
	}
	// What is no JSON any more is still the result.
	r.run("acme.get", `{"a":12345678}`).is("redacted", a2a.StateCompleted, 200).data(`"{\"a\":[redacted]}"`)
	r.run("acme.say", `{}`).is("redacted", a2a.StateCompleted, 200).data(`"{\"n\":[redacted]}"`)
	// The schema was promised for what the tool had said.
	r.run("acme.checked", `{}`).is("redacted", a2a.StateCompleted, 200).data(`{"n":"[redacted]"}`)
	if m := r.run("acme.clean", `{}`).is("final", a2a.StateCompleted, 200).data(`{"n":1}`).env.Metadata; m.Redacted {
		t.Errorf("%+v", m)
	}
}

func TestSyntheticResult(t *testing.T) {
	reg := manifest.NewRegistry()
	handler(t, reg, "acme.ask", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, call.SyntheticText("nobody can be asked here")
	})
	r := newRig(t, "", reg)
	r.run("acme.ask", `{}`).is("synthetic", a2a.StateCompleted, 200).data(`"nobody can be asked here"`)
}
