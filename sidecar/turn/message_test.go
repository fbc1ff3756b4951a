package turn_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestTypedMessageIsThereForItsTurn: an agent that is typed to finds the whole
// message in a file, whatever it has put in its place, and nobody finds it any
// more when the turn has ended.
func TestTypedMessageIsThereForItsTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		o.Mode = turn.ModePTY
		o.Command = sh(`stty -echo; mkfifo "$SIDECAR_MESSAGE_FILE"; printf '$ '
			while read line; do cat "$SIDECAR_MESSAGE_FILE"; echo; printf '$ '; done`)
	})
	for _, text := range []string{"one", "two"} {
		k := r.send(text)
		got := r.end(k)
		if want := `"messageId":"` + k.Message().ID + `"`; got.Status.State != a2a.StateCompleted || !strings.Contains(answer(got), want) || !strings.Contains(answer(got), `"taskId":"`+got.ID+`"`) {
			t.Errorf("%s: %s, %q has no %s", text, got.Status.State, answer(got), want)
		}
		left, err := filepath.Glob(filepath.Join(r.dir, "turns-*", "session-*", "message.json"))
		if err != nil || len(left) > 0 {
			t.Errorf("left: %v %v", left, err)
		}
	}
}

// TestDonePartsFollowTheOutput: what a done says in parts is the rest of the
// answer.
func TestDonePartsFollowTheOutput(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		withChannel(t, o)
		plays(o, "agent", "parts")
	})
	got := r.ask("x")
	a := artifact(got, "response")
	if got.Status.State != a2a.StateCompleted || a == nil || len(a.Parts) != 2 || a.Parts[0].Text != "out loud" || string(a.Parts[1].Data) != `{"n":1}` {
		t.Errorf("%s: %+v", got.Status.State, got.Artifacts)
	}
	if len(got.Artifacts) != 1 || got.Status.Message != nil {
		t.Errorf("the answer is said twice: %+v", got)
	}
}
