package sidecar_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// §3.2.2, §4.3.3: what a receiver that came with the message is posted are the
// stream's own items, one member each, whole and in order to the task's end,
// whichever binding the message came by and whether its sender
// waits or not.
func TestPushedItemsAreTheStreams(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--push-allow-private", "--", "sh", "-c", "read -r l; echo one; echo two")
	const message = `"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x\n"}]}`
	for _, now := range []bool{false, true} {
		for _, path := range []string{"/", "/message:send"} {
			h := newHook(t)
			body := fmt.Sprintf(`{%s,"configuration":{"returnImmediately":%v,"taskPushNotificationConfig":{"url":%q}}}`, message, now, h.URL)
			if path == "/" {
				body = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + body + `}`
			}
			if a := answerOf(t, r, "POST", path, body); a.Error != nil {
				t.Fatalf("%s: %s", path, a.whole)
			}
			await.True(r.t, "the end is told", h.ended)
			var states []a2a.TaskState
			text := ""
			for _, n := range h.all() {
				var members map[string]json.RawMessage
				if err := json.Unmarshal([]byte(n.body), &members); err != nil || len(members) != 1 {
					t.Errorf("%s: %d members in %s: %v", path, len(members), n.body, err)
				}
				e, err := codec.DecodeEvent([]byte(n.body))
				if err != nil {
					t.Fatalf("%s: %v in %s", path, err, n.body)
				}
				if got := n.header.Get("Content-Type"); got != "application/a2a+json" {
					t.Errorf("%s: posted as %q", path, got)
				}
				if s := e.State(); s != "" {
					states = append(states, s)
				}
				switch {
				case e.Task != nil:
					text = artifact(e.Task, "response")
				case e.Artifact != nil:
					text += e.Artifact.Artifact.Parts[0].Text
				}
			}
			ends := slices.IndexFunc(states, a2a.TaskState.Terminal)
			if len(states) == 0 || ends != len(states)-1 || states[ends] != a2a.StateCompleted || text != "one\ntwo\n" {
				t.Errorf("%s, returnImmediately %v: told %v and %q", path, now, states, text)
			}
		}
	}
}
