package opencode_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// What a real server told in turns of each kind, what is told of them, and what the server is told. A recording goes on
// where it waited for us when we have said the same.
func TestTurnsOfARealServer(t *testing.T) {
	golden.Each(t, "testdata/serve/*.sse", 15, func(t *testing.T, file string) {
		f := startFake(t)
		p := f.connect()
		lines := strings.Split(golden.Read(t, file), "\n\n")
		var text string
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[0], ": ")), &text); err != nil {
			t.Fatal(err)
		}
		on := &told{permit: answerAs(file), answer: func(q peer.Question) (peer.Reply, error) { return peer.Reply{Options: []string{q.Options[1].ID}}, nil }}
		g, id := f.prompted(p, "ses_main", text, on)
		var requests []string
		for _, line := range lines[1:] {
			line = strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(line), "data: "), "MESSAGE", id)
			var e struct {
				Type       string
				Properties struct {
					RequestID string
					Error     struct{ Name string }
				}
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			var path string
			switch {
			case e.Type == "permission.replied":
				path = "/permission/" + e.Properties.RequestID + "/reply"
			case e.Type == "question.replied":
				path = "/question/" + e.Properties.RequestID + "/reply"
			case e.Type == "session.error" && e.Properties.Error.Name == "MessageAbortedError":
				p.Cancel("ses_main")
				path = "/session/ses_main/abort"
			}
			if path != "" {
				requests = append(requests, path+" "+f.posted(path))
			}
			f.say(line)
		}
		ending := g.wait(t)
		on.add("%s", describe(ending))
		golden.Same(t, golden.Beside(file, ".told"), strings.Join(on.lines, "\n")+"\n\n"+strings.Join(append(on.asked, requests...), "\n")+"\n")
	})
}

// answerAs answers as the person did who is in a recording.
func answerAs(file string) func(context.Context, peer.Action) (peer.Answer, error) {
	return func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
		switch {
		case strings.Contains(file, "rejected-with-reason"):
			return peer.Answer{Reason: "use the other one"}, nil
		case strings.Contains(file, "rejected"):
			return peer.Answer{}, nil
		case strings.Contains(file, "stopped"):
			<-ctx.Done()
			return peer.Answer{}, peer.ErrWithdrawn
		}
		return peer.Answer{Allowed: true, Always: true}, nil
	}
}
