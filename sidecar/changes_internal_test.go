package sidecar

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// What is kept of changes has the limits that the settings say; without room nothing is kept, and writing goes on.
func TestOpenChanges(t *testing.T) {
	s := &sidecar{Options: Options{Config: config.DefaultConfig()}}
	if c := &s.Config; c.ChangesTotal != 64<<20 || c.ChangesFile != 16<<20 {
		t.Errorf("by default %d and %d", c.ChangesTotal, c.ChangesFile)
	}
	if err := s.openChanges(t.Context()); err != nil || s.journal.Kept() != "memory" || s.journal.Limit() != 16<<20 {
		t.Errorf("%v %s %d", err, s.journal.Kept(), s.journal.Limit())
	}
	s.journal, s.Config.ChangesTotal = nil, 0
	if err := s.openChanges(t.Context()); err != nil || s.journal.Kept() != "nowhere" || s.closeChanges(t.Context()) != nil {
		t.Errorf("%v %s", err, s.journal.Kept())
	}
	if _, err := s.undo(t.Context(), "", &undoRequest{Task: "t"}); err == nil {
		t.Error("something is taken back")
	}
}
