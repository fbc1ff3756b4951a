package sidecar_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// crashRounds is the variable that says how often TestCrash kills: it is 20
// times when it is not set, and `CRASH_ROUNDS=200 go test -run Crash ./sidecar`
// is what the product is held to. A round takes about half a second.
const crashRounds = "CRASH_ROUNDS"

// A state directory is used for so many rounds: what is in it grows, and all of
// it is looked at after each.
const roundsPerStore = 20

// TestCrash kills a sidecar under load at random moments, while it starts too,
// and looks at what is there after the next start. Whatever a client was told
// must be: tasks that had ended as they were told to have, their messages,
// the artifacts up to the newest status that was told, answers that were taken,
// calls with their results. What had not ended must have failed, once. Lists and
// single tasks must agree, and clients that come back get events that they have
// not had.
func TestCrash(t *testing.T) {
	t.Parallel()
	rounds := 20
	if text := os.Getenv(crashRounds); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", crashRounds, err)
		}
	}
	for first := 0; first < rounds; first += roundsPerStore {
		t.Run(fmt.Sprintf("rounds from %d", first+1), func(t *testing.T) {
			crashes(t, min(roundsPerStore, rounds-first))
		})
	}
}

func crashes(t *testing.T, rounds int) {
	state, tools := t.TempDir(), filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, `[{"name":"test.cat","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/cat"],"output":"json"}},"effects":"read"}}]`)
	args := append([]string{"--state-dir", state, "--manifest", tools, "--deliver", "channel", "--"}, agentCommand(t, "crashing")...)
	kept := &keepsake{tasks: map[string]*a2a.Task{}}
	told, kinds := 0, map[string]int{}
	r := run(t, args...)
	for round := range rounds {
		w := &witness{tasks: map[string]*account{}}
		wait := w.load(r)
		w.waitFor(t, 1+rand.IntN(150))
		if round%2 == 1 { // not right after somebody was told something
			<-time.After(rand.N(5 * time.Millisecond))
		}
		r.kill()
		wait()
		if round%5 == 4 { // the next start gets nowhere
			r = startOnly(t, nil, args...)
			<-time.After(rand.N(100 * time.Millisecond))
			r.kill()
		}
		r = run(t, args...)
		kept.check(t, r)
		w.check(t, r)
		if t.Failed() {
			t.Fatalf("in round %d", round+1)
		}
		told += len(w.tasks)
		for _, a := range w.tasks {
			kinds[a.kind()]++
		}
	}
	for _, kind := range []string{"message", "stream", "question", "call", "cancel", "unfinished"} {
		if kinds[kind] == 0 && rounds == roundsPerStore {
			t.Errorf("no client was told of a %s: %v", kind, kinds)
		}
	}
	t.Logf("%d rounds: clients were told of %d tasks %v, %d are kept", rounds, told, kinds, len(kept.tasks))
}

// crashing is an agent that echoes, streams or asks.
func crashing() int {
	var c *channel.Client
	ready := make(chan struct{}) // a message may come before Dial returns
	c, err := channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{
		OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
			<-ready
			verb, rest, _ := strings.Cut(d.Text, " ")
			switch verb {
			case "stream":
				for i := range 20 {
					u := a2a.ArtifactUpdate{Append: i > 0, Artifact: a2a.Artifact{ID: "out", Parts: []a2a.Part{a2a.TextPart(fmt.Sprintf("%s/%d;", rest, i))}}}
					if err := c.Artifact(ctx, u); err != nil {
						return channel.Delivered{}, err
					}
					if i%5 == 4 {
						if err := c.Status(ctx, channel.Status{Text: fmt.Sprint(i)}); err != nil {
							return channel.Delivered{}, err
						}
					}
				}
			case "ask":
				a, err := c.Ask(ctx, channel.Question{Text: "which?"})
				if err != nil {
					return channel.Delivered{}, err
				}
				rest = a.Text
			case "hold":
				<-ctx.Done()
				return channel.Delivered{}, context.Cause(ctx)
			}
			return channel.Delivered{Parts: []a2a.Part{a2a.TextPart(rest)}}, nil
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	close(ready)
	<-c.Lost()
	return 0
}
