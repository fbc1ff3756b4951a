package stream

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// published is the Out of a turn: it publishes each chunk at once.
type published struct {
	driver.Out
	task *task.Task
}

func (p published) Write(chunk []byte) {
	_ = p.task.Artifact(context.Background(), a2a.ArtifactUpdate{Append: true, Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{a2a.TextPart(string(chunk))}}})
}

// benchTurn is a turn whose words are published.
type benchTurn struct {
	*fakeTurn
	out published
}

func (u benchTurn) Out() driver.Out { return u.out }

// BenchmarkToken measures from the protocol's word to the subscriber's event, and beside it the same word handed to the
// task without a driver. The budget from the agent's standard output to the client's event is 0.5 ms.
func BenchmarkToken(b *testing.B) {
	r := newRig(b, newAgent(), remember(b, "", "x"))
	u := benchTurn{fakeTurn: r.turn("a", "hello")}
	u.out = published{task: u.task}
	ctx := b.Context()
	done := make(chan driver.Outcome, 1)
	go func() { done <- r.d.Deliver(ctx, u) }()
	p := <-r.agent.prompts
	u.stream.Close()
	s := u.task.SubscribeAfter(1)
	defer s.Close()
	seen := make(chan time.Time)
	go func() {
		for {
			events, err := s.Next(ctx)
			if err != nil {
				return
			}
			for range events {
				seen <- time.Now()
			}
		}
	}()
	word := []byte("word ")
	var ours, floor []time.Duration
	for b.Loop() {
		began := time.Now()
		p.on.Say("word ")
		ours = append(ours, (<-seen).Sub(began))
		began = time.Now()
		u.out.Write(word)
		floor = append(floor, (<-seen).Sub(began))
	}
	p.ends(peer.Ending{OK: true})
	<-done
	mine, least := median(ours), median(floor)
	b.ReportMetric(float64(mine.Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(mine)/float64(least), "x-floor")
	b.Logf("word to event, p50: %v, without the driver %v (%.2f ×); budget 500µs to the client", mine, least, float64(mine)/float64(least))
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
