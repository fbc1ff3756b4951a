package stream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TestAsk: the client gets the question with numbers for options, and the agent its own ids.
func TestAsk(t *testing.T) {
	two := []peer.QuestionOption{{ID: "same", Label: "Red"}, {ID: "same", Label: "Blue", Description: "like\nthe sky"}}
	for _, c := range []struct {
		name    string
		q       peer.Question
		text    string // of the question
		options []channel.Option
		answer  channel.Answer
		want    peer.Reply
	}{
		{"words", peer.Question{Text: "What\u202e?"}, "What?", nil, channel.Answer{Text: "that"}, peer.Reply{Text: "that"}},
		{"one", peer.Question{Text: "Which?", Options: two}, "Which?\n2. Blue: like the sky",
			[]channel.Option{{ID: "1", Label: "Red"}, {ID: "2", Label: "Blue"}}, channel.Answer{OptionID: "2", Text: "Blue"}, peer.Reply{Options: []string{"same"}}},
		{"several", peer.Question{Text: "Which?", Several: true, Options: []peer.QuestionOption{{ID: "r", Label: "Red"}, {ID: "b"}}},
			"Which?\n1. Red\n2. b\nAnswer with one or more of the numbers or names, with commas between them, or in other words.", nil,
			channel.Answer{Text: "2, red"}, peer.Reply{Options: []string{"b", "r"}}},
		{"several, in other words", peer.Question{Several: true, Options: two}, "\n1. Red\n2. Blue: like the sky\nAnswer with one or more of the numbers or names, with commas between them, or in other words.", nil,
			channel.Answer{Text: "red, but not too much"}, peer.Reply{Text: "red, but not too much"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			speaking(t, func(t *testing.T, r *rig) {
				u, p := r.deliver("a", "hello")
				u.ask = func(_ context.Context, q channel.Question) (channel.Answer, error) {
					if q.Text != c.text || !slices.Equal(q.Options, c.options) {
						t.Errorf("asked %+v", q)
					}
					return c.answer, nil
				}
				got, err := p.on.Ask(t.Context(), c.q)
				if err != nil || got.Text != c.want.Text || !slices.Equal(got.Options, c.want.Options) {
					t.Errorf("%+v, %v", got, err)
				}
				p.ok()
				u.answers(t, "")
			})
		})
	}
}

// TestAskFails with words: nobody is there, or there are too many options.
func TestAskFails(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		u.ask = func(context.Context, channel.Question) (channel.Answer, error) {
			return channel.Answer{}, channel.ErrNobody
		}
		if _, err := p.on.Ask(t.Context(), peer.Question{}); err == nil || err.Error() != "nobody can answer" {
			t.Error(err)
		}
		if _, err := p.on.Ask(t.Context(), peer.Question{Options: make([]peer.QuestionOption, maxOptions+1)}); err == nil || !strings.Contains(err.Error(), "at most 32 options") {
			t.Error(err)
		}
		p.ok()
		u.answers(t, "")
	})
}

// TestAskWaitsForAnotherQuestion, and is withdrawn with the turn.
func TestAskWaitsForAnotherQuestion(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		u.ask = func(ctx context.Context, q channel.Question) (channel.Answer, error) {
			a, err := u.task.Ask(ctx, task.Question{Text: q.Text})
			if errors.Is(err, task.ErrQuestionOpen) {
				err = channel.ErrQuestionOpen
			}
			return channel.Answer{Text: a.Text}, err
		}
		replies := make(chan peer.Reply, 1)
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { r, err := p.on.Ask(t.Context(), peer.Question{Text: "one"}); replies <- r; first <- err }()
		synctest.Wait()
		go func() { _, err := p.on.Ask(t.Context(), peer.Question{Text: "two"}); second <- err }()
		synctest.Wait()
		if err := u.task.Answer(&a2a.Message{Parts: []a2a.Part{a2a.TextPart("yes")}}); err != nil {
			t.Fatal(err)
		}
		if r, err := <-replies, <-first; r.Text != "yes" || err != nil {
			t.Errorf("%+v, %v", r, err)
		}
		synctest.Wait()
		if !u.task.Asking() || u.task.Snapshot(nil, false).Status.Message.Parts[0].Text != "two" {
			t.Error("the second question is not asked")
		}
		u.stops(t)
		if err := <-second; !errors.Is(err, peer.ErrWithdrawn) {
			t.Error(err)
		}
	})
}
