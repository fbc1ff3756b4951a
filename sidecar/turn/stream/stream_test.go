package stream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// TestMessage goes to the agent with its parts and its files, and what the agent says is the answer.
func TestMessage(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		if len(p.message.Parts) != 1 || p.message.Files[1] == "" || p.conversation != "c1" {
			t.Errorf("%+v in %s", p.message, p.conversation)
		}
		p.on.Say("you ")
		p.on.Say("said")
		p.on.Paragraph()
		p.on.Paragraph()
		p.on.Say("he\x00llo\n")
		p.on.Paragraph()
		p.on.Say("again")
		p.on.Paragraph()
		p.ends(peer.Ending{OK: true, Reason: "max_tokens"})
		o := u.answers(t, "you said\n\nhello\n\nagain")
		if !o.Complete || string(o.Metadata["stopReason"]) != `"max_tokens"` {
			t.Errorf("%+v", o)
		}
	})
}

// TestEndings: what the agent says at the end of its turn is how the turn went.
func TestEndings(t *testing.T) {
	for _, c := range []struct {
		end  result
		want string
	}{
		{result{Ending: peer.Ending{Reason: "no \x1b[31mcredit"}}, "no [31mcredit"},
		{result{Ending: peer.Ending{}}, "gives no reason"},
		{result{Ending: peer.Ending{Canceled: true}}, "the agent has stopped the turn by itself"},
		{result{Ending: peer.Ending{Canceled: true, Reason: "bored"}}, "by itself: bored"},
		{result{err: errors.New("no such session")}, "no such session"},
	} {
		speaking(t, func(t *testing.T, r *rig) {
			u, p := r.deliver("a", "hello")
			p.on.Say("words")
			p.end <- c.end
			if o := u.fails(t, c.want); o.Complete != (c.end.err == nil) {
				t.Errorf("complete: %t", o.Complete)
			}
		})
	}
}

// TestStopAfterARefusal: an agent that is told no and then stops has done as it was told.
func TestStopAfterARefusal(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		u.permit = func(context.Context, peer.Action) (peer.Answer, error) { return peer.Answer{Reason: "no"}, nil }
		if a, err := p.on.Permit(t.Context(), peer.Action{}); err != nil || a.Allowed {
			t.Errorf("%+v, %v", a, err)
		}
		p.ends(peer.Ending{Canceled: true, Reason: "bored"})
		if o := u.answers(t, ""); string(o.Metadata["stopReason"]) != `"cancelled"` {
			t.Errorf("%+v", o)
		}
	})
}

// TestReady waits for the start, for a limit, and says what is in the way.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known, _ := OpenConversations("", "")
		a, login := newAgent(), make(chan error)
		a.start = func(context.Context) error { return <-login }
		r := newRig(t, a, known)
		if err := r.d.Ready(t.Context(), nil, time.Second, nil); err == nil || err.Error() != "the agent has not answered within 1s: does it speak what --mode says?" {
			t.Error(err)
		}
		or := make(chan struct{})
		close(or)
		if err := r.d.Ready(t.Context(), or, time.Second, nil); err != nil {
			t.Error(err)
		}
		want := errors.New("the agent asks for a login")
		login <- want
		if err := r.d.Ready(t.Context(), nil, time.Second, nil); !errors.Is(err, want) {
			t.Error(err)
		}
		u := r.turn("a", "hello")
		go func() { u.outcome <- r.d.Deliver(u.ctx, u) }()
		u.fails(t, "the agent asks for a login")
	})
}

// TestOneConversationPerContext: opened once in a process.
func TestOneConversationPerContext(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		var got []string
		for _, c := range []string{"a", "b", "a", "b"} {
			u, p := r.deliver(c, "hello")
			got = append(got, p.conversation)
			p.ok()
			u.answers(t, "")
		}
		if !slices.Equal(got, []string{"c1", "c2", "c1", "c2"}) || len(r.agent.opened) != 2 {
			t.Errorf("%q after %+v", got, r.agent.opened)
		}
	})
}

// TestOneContextPerConversation: an agent that has one conversation for all does not tell a context what was said in
// another one.
func TestOneContextPerConversation(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		r.agent.open = func(context.Context, peer.Conversation) (string, error) { return "one", nil }
		u, p := r.deliver("a", "secret")
		p.ok()
		u.answers(t, "")
		u = r.turnOf("another", "b", "what was said?")
		go func() { u.outcome <- r.d.Deliver(u.ctx, u) }()
		u.fails(t, `its conversation "one" is that of another context`)
		u, p = r.deliver("a", "more")
		p.ok()
		u.answers(t, "")
	})
}

// TestOpeningNeverEnds: the turn fails, and others get their chance.
func TestOpeningNeverEnds(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		r.agent.open = func(ctx context.Context, _ peer.Conversation) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		}
		u := r.turn("a", "hello")
		began := time.Now()
		u.outcome <- r.d.Deliver(u.ctx, u)
		u.fails(t, "the agent has opened no conversation: it has not answered within 2m0s")
		if waited := time.Since(began); waited != openTime {
			t.Errorf("after %s", waited)
		}
		r.agent.open = nil
		u, p := r.deliver("a", "again")
		p.ok()
		u.answers(t, "")
	})
}

// TestProcessEnds in the middle of a turn: the turn fails with the reason of the process's end, which
// comes a little later than that of the connection.
func TestProcessEnds(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		p.on.Say("half an ans")
		p.on.Tool(peer.Tool{ID: "1", Status: peer.Running})
		r.d.Close()
		time.Sleep(100 * time.Millisecond)
		u.cancel(&driver.EndedError{Exit: proc.Exit{Code: 3}})
		u.fails(t, "the agent ended: exit status 3")
		if got := u.reports(t, driver.ToolCallURI); len(got) != 2 || !strings.Contains(got[1], `"status":"FAILED"`) {
			t.Errorf("%q", got)
		}
	})
}
