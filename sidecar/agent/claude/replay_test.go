package claude_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// TestTranscripts plays claude's part of recorded sessions, and holds what its turns tell to the files beside
// them. What we answer has to be what was answered then.
func TestTranscripts(t *testing.T) {
	golden.Each(t, "testdata/stream-*.jsonl", 2, func(t *testing.T, file string) {
		f := start(t)
		f.settled()
		p := &player{fake: f, permitted: map[string]any{}}
		lines := bufio.NewScanner(strings.NewReader(golden.Read(t, file)))
		lines.Buffer(nil, 1<<20)
		var all []entry
		for lines.Scan() {
			var e entry
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			all = append(all, e)
		}
		for i, e := range all {
			if e.Msg["type"] == "control_response" && e.Dir == "->" {
				p.permitted[fmt.Sprint(e.Msg.path("response", "request_id"))] = all[i].Msg.path("response", "response")
			}
		}
		for _, e := range all {
			p.play(e)
		}
		golden.Same(t, golden.Beside(file, ".told"), p.told.String())
	})
}

type entry struct {
	Dir string `json:"dir"`
	Msg wire   `json:"msg"`
}

// player plays one session.
type player struct {
	*fake
	told      strings.Builder
	permitted map[string]any // what was answered, by request
	asking    string         // the request that is open
	on        *events
	ends      chan ended
}

func (p *player) play(e entry) {
	p.t.Helper()
	switch kind := e.Msg["type"]; {
	case e.Dir == "->" && kind == "user":
		text, isText := e.Msg.path("message", "content").(string)
		if !isText {
			text = e.Msg.path("message", "content").([]any)[0].(map[string]any)["text"].(string)
		}
		p.on = &events{permit: p.permit, asks: func(_ context.Context, q peer.Question) (peer.Reply, error) {
			return peer.Reply{Options: []string{"1"}}, nil
		}}
		p.ends, _ = p.prompt(text, p.on)
		fmt.Fprintf(&p.told, "> %s\n", text)
	case e.Dir == "->" && kind == "control_request" && e.Msg.path("request", "subtype") == "interrupt":
		p.peer.Cancel(session)
		p.request("interrupt")
	case e.Dir == "->" && kind == "control_response":
		p.answered(e.Msg)
	case e.Dir == "->", kind == "control_response": // ours have other ids
	case kind == "control_request":
		p.asking = fmt.Sprint(e.Msg["request_id"])
		p.say(e.Msg)
	case kind == "result":
		p.say(e.Msg)
		end := await(p.t, p.ends)
		fmt.Fprintf(&p.told, "%s\n< ok=%v canceled=%v %q %v\n\n", p.on, end.OK, end.Canceled, end.Reason, end.err)
	default:
		p.say(e.Msg)
	}
}

// permit decides as was decided then.
func (p *player) permit(context.Context, peer.Action) (peer.Answer, error) {
	answer, _ := p.permitted[p.asking].(map[string]any)
	reason, _ := answer["message"].(string)
	return peer.Answer{Allowed: answer["behavior"] == "allow", Reason: reason}, nil
}

// answered expects our answer to be the one that was given.
func (p *player) answered(want wire) {
	p.t.Helper()
	got := p.next()
	g, _ := got.path("response", "response").(map[string]any)
	w, _ := want.path("response", "response").(map[string]any)
	if got.path("response", "request_id") != want.path("response", "request_id") || !maps.EqualFunc(g, w, func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		p.t.Errorf("the answer is\n%v, and was\n%v", got, want)
	}
}
