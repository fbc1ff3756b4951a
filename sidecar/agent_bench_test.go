package sidecar_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// BenchmarkChannelMessage is a message to an agent that takes it over the
// channel, beside an echo of bare net/http.
func BenchmarkChannelMessage(b *testing.B) {
	base, _ := ship(b, append([]string{"--deliver", "channel", "--"}, agentCommand(b, "connected")...)...)
	bare, _ := floorAt(b, "cat")
	echo := func() {
		res, err := http.Post(bare+"/echo", "application/json", strings.NewReader(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	for b.Loop() {
		ours, floor := pairs(1000, func() time.Duration { return timed(func() { sendText(b, base, "hello") }) },
			func() time.Duration { return timed(echo) })
		b.Logf("message over the channel %v, bare echo %v", ours, floor)
		report(b, "message to a connected agent, over a bare echo", float64(ours)/float64(floor), "x-echo", "<= 3")
	}
}

// BenchmarkTypedTurn is a message to a program that has a prompt: what is over
// its own time is the echo, the prompt, and being sure of it.
func BenchmarkTypedTurn(b *testing.B) {
	base, _ := ship(b, "--prompt-pattern", "ready> $", "--", "sh", "-c", "stty -echo; printf 'ready> '; while read l; do printf '%s\\nready> ' \"$l\"; done")
	for b.Loop() {
		var all []time.Duration
		for range 40 {
			all = append(all, timed(func() { sendText(b, base, "hello") }))
		}
		report(b, "typed turn of a program with a prompt, p50", float64(median(all))/1e6, "ms-turn", "<= 50 with a mark, <= 1500 without")
	}
}

// BenchmarkIdeal is the least server over raw fork+exec: what net/http and this
// machine leave of the budget.
func BenchmarkIdeal(b *testing.B) {
	least := leastServer(b)
	for b.Loop() {
		ideal, raw := pairs(400, func() time.Duration { return timed(least) }, func() time.Duration { return timed(func() { rawCat(b, nil) }) })
		report(b, "the least server p50 over raw fork+exec", float64(ideal)/float64(raw), "x-raw", "(1.22 where it was set)")
	}
}
