package text_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

func TestSpins(t *testing.T) {
	for row, want := range map[string]bool{
		"⠋ Thinking": true, "  ✻\u00a0Pondering…": true, "◐": true,
		"": false, " ": false, "⠋⠙⠹ a picture": false, "Thinking ⠋": false, "* item": false,
	} {
		if got := text.Spins(row); got != want {
			t.Errorf("Spins(%q) is %v", row, got)
		}
	}
}
