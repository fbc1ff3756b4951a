package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// TestDriversTellsOfEachMode, and of the agents that have one of their own.
func TestDriversTellsOfEachMode(t *testing.T) {
	page, err := os.ReadFile("help/drivers.md")
	if err != nil {
		t.Fatal(err)
	}
	modes := 0
	for _, s := range config.Settings() {
		if s.Name != "mode" {
			continue
		}
		for _, mode := range s.Choices() {
			modes++
			if !strings.Contains(string(page), "\n| `"+mode+"` |") {
				t.Errorf("there is no row of the mode %s", mode)
			}
		}
	}
	_, list, _ := strings.Cut(string(page), "`--mode stream` is for ")
	list, _, _ = strings.Cut(list, ".")
	if want := strings.Join(agent.WithStream(), ", "); modes < 7 || strings.ReplaceAll(list, " and ", ", ") != want {
		t.Errorf("%d modes; the stream is for %q, want %q", modes, list, want)
	}
	for _, a := range agent.Known() {
		for _, adapter := range a.Adapters[:min(len(a.Adapters), 1)] {
			if !strings.Contains(string(page), adapter) {
				t.Errorf("%s is not told of", adapter)
			}
		}
	}
}
