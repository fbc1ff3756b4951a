package sidecar

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// TestCardOfAnAgentThatTellsMore: thoughts and plans are declared where they can come.
func TestCardOfAnAgentThatTellsMore(t *testing.T) {
	for mode, more := range map[string]int{config.ModePTY: 0, config.ModeOneshot: 0, config.ModeACP: 2, config.ModeStream: 2} {
		card := cardTemplate(&config.Config{Mode: mode}, "")
		if n := len(card.Extensions) - 4; n != more {
			t.Errorf("%s: %d extensions more", mode, n)
		}
	}
}

// TestConversationsAreKeptAway from the agent, as the tasks are.
func TestConversationsAreKeptAway(t *testing.T) {
	dir := t.TempDir()
	none, err := manifest.Open("", manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for mode, kept := range map[string]bool{config.ModePTY: false, config.ModeACP: true} {
		s := &sidecar{source: none, Options: Options{Config: config.Config{Mode: mode, Sandbox: config.SandboxRequired, Workspace: dir, StateDir: filepath.Join(dir, "state")}}}
		if err := s.checkPlaces(t.Context()); (err != nil) != kept || kept && !strings.Contains(err.Error(), "keep it outside of that: --state-dir") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
