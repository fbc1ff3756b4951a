package stream

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// TestPermit: the judge decides, and what the agent says meanwhile is told.
func TestPermit(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		decide := make(chan peer.Answer)
		u.permit = func(ctx context.Context, a peer.Action) (peer.Answer, error) {
			switch a.Name {
			case "ask":
				return <-decide, nil
			case "wait":
				<-ctx.Done()
			case "stopped":
				return peer.Answer{}, fmt.Errorf("%w: shutting down", peer.ErrWithdrawn)
			}
			return peer.Answer{}, errors.New("the rules cannot be read")
		}
		got := make(chan peer.Answer, 1)
		go func() {
			a, err := p.on.Permit(t.Context(), peer.Action{Name: "ask"})
			if err != nil {
				t.Error(err)
			}
			got <- a
		}()
		synctest.Wait()
		p.on.Say("meanwhile")
		if string(u.out.Kept) != "meanwhile" {
			t.Errorf("%q", u.out.Kept)
		}
		want := peer.Answer{Allowed: true, Always: true}
		decide <- want
		if a := <-got; a != want {
			t.Errorf("%+v", a)
		}
		if a, err := p.on.Permit(t.Context(), peer.Action{}); err != nil || a.Allowed || a.Reason != "the rules cannot be read" {
			t.Errorf("%+v, %v", a, err)
		}
		if a, err := p.on.Permit(t.Context(), peer.Action{Name: "stopped"}); err != peer.ErrWithdrawn {
			t.Errorf("what nobody has refused is refused: %+v, %v", a, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errStop)
		if _, err := p.on.Permit(ctx, peer.Action{Name: "wait"}); !errors.Is(err, errStop) {
			t.Error(err)
		}
		if s, err := p.on.Host().ReadFile(t.Context(), "/x", 0, 0); err != nil || s != "content of /x" {
			t.Errorf("%q, %v", s, err)
		}
		p.ok()
		u.answers(t, "meanwhile")
	})
}

// TestTooManyPermissions: one more than the limit is refused at once, and there is room again after one was
// answered.
func TestTooManyPermissions(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		decide := make(chan peer.Answer)
		u.permit = func(context.Context, peer.Action) (peer.Answer, error) { return <-decide, nil }
		got := make(chan peer.Answer, maxAsked)
		ask := func() {
			a, _ := p.on.Permit(t.Context(), peer.Action{})
			got <- a
		}
		for range maxAsked {
			go ask()
		}
		synctest.Wait()
		if a, err := p.on.Permit(t.Context(), peer.Action{}); err != nil || a.Reason != "the agent asks for too many permissions at once" {
			t.Errorf("%+v, %v", a, err)
		}
		if _, err := p.on.Ask(t.Context(), peer.Question{}); !errors.Is(err, errCrowded) {
			t.Error(err)
		}
		decide <- peer.Answer{Allowed: true}
		<-got
		go ask()
		for range maxAsked {
			decide <- peer.Answer{Allowed: true}
			if a := <-got; !a.Allowed {
				t.Errorf("%+v", a)
			}
		}
		p.ok()
		u.answers(t, "")
	})
}

// TestTooManyUses of the machine at once are refused.
func TestTooManyUses(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		e := p.on.(*events)
		e.using = maxUsing
		if _, err := p.on.Host().ReadFile(t.Context(), "/x", 0, 0); !errors.Is(err, errCrowded) {
			t.Error(err)
		}
		p.ok()
		u.answers(t, "")
	})
}
