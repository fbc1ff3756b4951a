package channel_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// The caller of a call answers what it asks, by the connection of the call alone.
func TestClientAnswersItsCall(t *testing.T) {
	s, _ := listenCalls(t)
	g := s.Grant(&owner{})
	client := dial(t, s, g.Token(), channel.Capabilities{})
	var answer channel.Answering
	said := make(chan error, 3)
	called, err := client.CallTool(t.Context(), channel.Call{
		Name: "acme.ask", Answers: func(a channel.Answering) { answer = a },
		Progress: func(json.RawMessage) {
			go func() {
				other := connect(t, s)
				other.initialize(g.Token(), `{}`)
				other.send(`{"jsonrpc":"2.0","id":7,"method":"tools/answer","params":{"id":2,"question":"q-1","answer":"Red"}}`)
				if line := other.line(); !strings.Contains(line, "no call with this id is under way") {
					t.Error(line)
				}
				said <- answer(context.Background(), "q-0", "Red")
				said <- answer(context.Background(), "", "Red")
				said <- answer(context.Background(), "q-1", "Red")
			}()
		},
	})
	if err != nil || !strings.Contains(string(called.Envelope), `"data":"Red"`) {
		t.Errorf("%s, %v", called.Envelope, err)
	}
	for _, want := range []string{"no such question", "question: is empty", ""} {
		if err := <-said; err == nil && want != "" || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if err := answer(t.Context(), "q-1", "Red"); err == nil || !strings.Contains(err.Error(), "no call with this id is under way") {
		t.Errorf("after the call: %v", err)
	}
}
