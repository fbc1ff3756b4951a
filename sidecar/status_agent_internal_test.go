package sidecar

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// An agent that says much of itself, or writes to a terminal, does neither here.
func TestAboutIsCleanedAndBounded(t *testing.T) {
	long := strings.Repeat("x", 1000)
	a := &peer.About{Name: "a\x1b[2Jgent\n", Version: long, Protocol: "acp 1", Resumes: true}
	for range 60 {
		a.Options = append(a.Options, peer.Choice{Key: "mode", Value: long, Values: make([]string, 70)})
	}
	st := aboutOf(a)
	body, err := json.Marshal(st)
	if err != nil || strings.ContainsAny(string(body), "\x1b\n") || strings.Contains(string(body), strings.Repeat("x", 200)) {
		t.Errorf("%v %.400s", err, body)
	}
	if len(st.Options) != 50 || st.More != 10 || len(st.Options[0].Values) != 50 || st.Options[0].More != 20 {
		t.Errorf("%d options and %d more, %d values and %d more", len(st.Options), st.More, len(st.Options[0].Values), st.Options[0].More)
	}
	if aboutOf(nil) != nil {
		t.Error("of nothing something is told")
	}
}
