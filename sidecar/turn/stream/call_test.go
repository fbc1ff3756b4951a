package stream

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// calls begins a call, which the agent gets.
func (r *rig) calls(c *driver.Call, want string) (*fakeTurn, *prompt) {
	r.t.Helper()
	u := r.turn("a", "")
	c.Task, u.call, u.message = u.task, c, nil
	go func() {
		res, err := r.d.Call(u.ctx, u)
		u.result <- called{res, err}
	}()
	p := <-r.agent.prompts
	if p.message.Text != want || len(p.message.Parts) != 1 || p.message.Parts[0].Text != want {
		r.t.Errorf("the agent got %+v", p.message)
	}
	return u, p
}

// TestCall is put in words and answered in words; its task tells nothing else of what the agent does.
func TestCall(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		var heard strings.Builder
		c := &driver.Call{ID: "c1", Tool: "acme.echo", Arguments: []byte(`{"x":1}`), Output: func(chunk []byte) { heard.Write(chunk) }}
		const asked = `{"toolCall":{"id":"c1","name":"acme.echo","arguments":{"x":1}}}`
		u, p := r.calls(c, asked)
		p.on.Think("hm")
		p.on.Tool(peer.Tool{ID: "1", Status: peer.Running})
		p.on.Plan([]peer.PlanEntry{{Content: "x"}})
		p.on.Usage(peer.Usage{Model: "m"})
		p.on.Say(`{"a":`)
		p.on.Say("1}")
		p.ok()
		if got := <-u.result; got.err != nil || string(got.Structured) != `{"a":1}` || heard.String() != `{"a":1}` || got.IsError {
			t.Errorf("%+v, heard %q", got, heard.String())
		}
		if n := len(u.updates(t)); n > 0 || string(u.task.Snapshot(nil, false).Metadata["sv.model"]) != `"m"` {
			t.Errorf("%d updates", n)
		}

		u, p = r.calls(c, asked)
		p.on.Say("Here it is:\n" + `{"toolResult":{"id":"c1","content":"yes","isError":true}}` + "\nDone.")
		p.ok()
		if got := <-u.result; got.err != nil || string(got.Output) != "yes" || !got.IsError {
			t.Errorf("%+v", got)
		}

		r.d.o.ToolPrompt = "do {name} with {arguments.x}"
		u, p = r.calls(c, "do acme.echo with 1")
		p.on.Say("half")
		p.ends(peer.Ending{Reason: "no credit"})
		if got := <-u.result; got.err == nil || got.err.Error() != "the agent: no credit" || string(got.Output) != "half" {
			t.Errorf("%+v", got)
		}

		c.Prompt = "in words"
		u, p = r.calls(c, "in words")
		u.cancel(task.ErrCanceled)
		if got := <-u.result; got.err != task.ErrCanceled {
			t.Errorf("%+v", got)
		}
		p.ends(peer.Ending{Canceled: true})
	})
}

// TestCallAnsweredInParts: they are lines of the answer.
func TestCallAnsweredInParts(t *testing.T) {
	var c driver.Capture
	c.Write([]byte("see"))
	c.Part(a2a.Part{Kind: a2a.PartURL, URL: "https://example.com/"})
	c.Part(a2a.Part{Kind: a2a.PartRaw, Raw: []byte{1}, MediaType: "image/png"})
	if got := string(c.Result().Output); got != "see\nhttps://example.com/\n[file image/png]\n" {
		t.Errorf("%q", got)
	}
}
