package peer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func ExampleNoValue() {
	fmt.Println(peer.NoValue(peer.Option{Key: "mode", Value: "fast"}, []string{"ask", "code"}))
	fmt.Println(peer.NoOption(peer.Option{Key: "colour", Value: "red"}, []peer.Choice{{Key: "mode"}, {Key: "model"}}))
	// Output:
	// --agent-option mode=fast: the agent has no such value; it has ask, code
	// --agent-option colour=red: the agent has no option "colour"; it has mode, model
}

// What an agent offers is its own word: an error shows a bounded part of it, without what a terminal would obey.
func TestWhatAnErrorShowsOfAnOffer(t *testing.T) {
	values := make([]string, 10_000)
	for i := range values {
		values[i] = "\x1b[2J" + strings.Repeat("x", 1<<12)
	}
	err := peer.NoValue(peer.Option{Key: "model", Value: "none"}, values).Error()
	if len(err) > 8<<10 || strings.Contains(err, "\x1b") || !strings.HasSuffix(err, " and 9960 more") {
		t.Errorf("%d bytes: %.300q", len(err), err)
	}
	if err := peer.NoOption(peer.Option{Key: "model", Value: "none"}, nil).Error(); !strings.HasSuffix(err, "it has none") {
		t.Error(err)
	}
}
