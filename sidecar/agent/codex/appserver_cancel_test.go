package codex_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

const interrupt = `{"threadId":"t1","turnId":"u1"}`

func TestCancel(t *testing.T) {
	f := opened(t)
	f.peer.Cancel("t1") // there is no turn
	end := f.prompted(&story{})
	f.peer.Cancel("t2") // of another conversation
	f.peer.Cancel("t1")
	f.peer.Cancel("t1")
	w := f.next("turn/interrupt")
	if string(w.Params) != interrupt {
		t.Errorf("sent %s", w.Params)
	}
	f.replies(w, `{}`)
	f.completes("interrupted", "")
	if e, err := end(t); !e.Canceled || e.OK || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// A turn whose id is not known is interrupted when it is; one that codex does not let be interrupted yet, again.
func TestCancelBeforeTheTurnHasBegun(t *testing.T) {
	f := opened(t)
	end := async(func() (peer.Ending, error) { return f.peer.Prompt(t.Context(), "t1", peer.Message{}, &story{}) })
	w := f.next("turn/start")
	f.peer.Cancel("t1")
	f.replies(w, `{"turn":{"id":"u1"}}`)
	w = f.next("turn/interrupt")
	if string(w.Params) != interrupt {
		t.Errorf("sent %s", w.Params)
	}
	f.refuses(w, "no active turn to interrupt")
	f.replies(f.next("turn/interrupt"), `{}`)
	f.completes("interrupted", "")
	if e, err := end(t); !e.Canceled || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// The turn's id may come by the notification alone.
func TestCancelBeforeTheTurnIsAnswered(t *testing.T) {
	f := opened(t)
	end := async(func() (peer.Ending, error) { return f.peer.Prompt(t.Context(), "t1", peer.Message{}, &story{}) })
	w := f.next("turn/start")
	f.peer.Cancel("t1")
	f.says(`{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1"}}}`)
	f.replies(f.next("turn/interrupt"), `{}`)
	f.completes("interrupted", "")
	f.replies(w, `{"turn":{"id":"u1"}}`)
	if e, err := end(t); !e.Canceled || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// The driver withdraws the permission; codex is interrupted, and told so.
func TestCancelDuringAnApproval(t *testing.T) {
	f := opened(t)
	asked, stop := make(chan struct{}), make(chan struct{})
	said := &story{permit: func(context.Context, peer.Action) (peer.Answer, error) {
		close(asked)
		<-stop
		return peer.Answer{}, peer.ErrWithdrawn
	}}
	end := f.prompted(said)
	f.says(`{"id":4,"method":"item/commandExecution/requestApproval","params":{"threadId":"t1","turnId":"u1","command":"ls"}}`)
	await.One(t, asked, "the question")
	f.peer.Cancel("t1")
	w := f.next("turn/interrupt")
	close(stop)
	if got := f.answered(); got != `{"decision":"cancel"}` {
		t.Errorf("answered %s", got)
	}
	f.replies(w, `{}`)
	f.completes("interrupted", "")
	if e, err := end(t); !e.Canceled || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// A permission that is open when the turn ends is taken back, and answered.
func TestAnApprovalThatOutlivesTheTurn(t *testing.T) {
	f := opened(t)
	asked := make(chan struct{})
	said := &story{permit: func(ctx context.Context, a peer.Action) (peer.Answer, error) {
		close(asked)
		return until(ctx, a)
	}}
	end := f.prompted(said)
	f.says(`{"id":4,"method":"item/commandExecution/requestApproval","params":{"threadId":"t1","turnId":"u1","command":"ls"}}`)
	await.One(t, asked, "the question")
	f.completes("failed", "")
	if e, err := end(t); e.OK || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
	if got := f.answered(); got != `{"decision":"cancel"}` {
		t.Errorf("answered %s", got)
	}
}

// The final event was too long to be read: codex is idle, and the turn is not waited for forever.
func TestATurnWhoseEndIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		end := f.prompted(&story{})
		status := func(s string) {
			f.says(`{"method":"thread/status/changed","params":{"threadId":"t1","status":{"type":%q}}}`, s)
		}
		status("idle")
		status("active")
		time.Sleep(time.Hour) // the bubble's
		f.says(`{"method":"thread/status/changed","params":{"threadId":"t2","status":{"type":"idle"}}}`)
		status("idle")
		f.peer.Output([]byte(`{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":"completed","items":["`))
		block := []byte(strings.Repeat("x", 1<<20))
		for range 40 {
			f.peer.Output(block)
		}
		f.says(`"]}}}`)
		begun := time.Now()
		e, err := end(t)
		if e.OK || !strings.Contains(e.Reason, "has not said how the turn ended") || err != nil {
			t.Errorf("%+v, %v", e, err)
		}
		if waited := time.Since(begun); waited != 10*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestAConversationThatCodexCloses(t *testing.T) {
	f := opened(t)
	end := f.prompted(&story{})
	f.says(`{"method":"thread/closed","params":{"threadId":"t1"}}`)
	if e, err := end(t); e.OK || !strings.Contains(e.Reason, "closed") || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}

// What an agent writes is bounded: its output, its items, its changes, its messages.
func TestACodexThatWritesWithoutEnd(t *testing.T) {
	f := opened(t)
	said := &story{}
	end := f.prompted(said)
	block := strings.Repeat("x", 40<<10)
	for range 5 {
		f.notes("item/commandExecution/outputDelta", fmt.Sprintf(`"itemId":"c","delta":"%s"`, block))
	}
	last := said.lines[len(said.lines)-1]
	if n := strings.Count(last, "x"); n != 64<<10 {
		t.Errorf("%d bytes of output are told", n)
	}
	for i := range 1000 {
		f.notes("item/agentMessage/delta", fmt.Sprintf(`"itemId":"m%d","delta":"."`, i))
	}
	f.notes("item/commandExecution/outputDelta", `"itemId":"more","delta":"not kept"`)
	if last = said.lines[len(said.lines)-1]; last != `say "."` {
		t.Errorf("told %s", last)
	}
	f.notes("item/completed", `"item":{"type":"agentMessage","id":"m0","text":"."}`) // one may come again
	huge := strings.Repeat("y", 5<<20)
	f.notes("item/started", fmt.Sprintf(`"item":{"type":"fileChange","id":"m1","status":"inProgress","changes":[{"path":"/a","kind":{"type":"add"},"diff":"%s"}]}`, huge))
	said.permit = always(peer.Answer{}, errors.New("no"))
	f.says(`{"id":1,"method":"item/fileChange/requestApproval","params":{"threadId":"t1","turnId":"u1","itemId":"m1"}}`)
	f.answered()
	if last = said.lines[len(said.lines)-1]; !strings.Contains(last, "changes of files that codex does not name writes=/") {
		t.Errorf("asked %.200s", last)
	}
	f.says("no message")
	f.says(`{"method":"turn/plan/updated","params":{"threadId":"t1","turnId":"u1","plan":7}}`)
	f.completes("completed", "")
	if e, err := end(t); !e.OK || err != nil {
		t.Errorf("%+v, %v", e, err)
	}
}
