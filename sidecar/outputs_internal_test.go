package sidecar

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// The outputs of a session's calls go when it ends, and have the limits that the settings say.
func TestOutputsOfASession(t *testing.T) {
	s := &sidecar{Options: Options{Config: config.DefaultConfig()}}
	if c := &s.Config; c.OutputBytes != 1<<30 || c.OutputsTotal != 10<<30 {
		t.Errorf("by default %d and %d", c.OutputBytes, c.OutputsTotal)
	}
	s.sessionEnded("none") // before there is a place for them
	store, err := output.NewStore(output.Options{Dir: t.TempDir(), Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s.outputs.Store(store)
	for _, id := range []string{"one", "two"} {
		f, err := store.Create(id, "context-"+id)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Keep("text/plain"); err != nil {
			t.Fatal(err)
		}
	}
	s.sessionEnded("context-one")
	if _, err := store.Open("one"); err == nil {
		t.Error("the output outlives its session")
	}
	r, err := store.Open("two")
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	s.sessionEnded("")
	if _, err := store.Open("two"); err == nil {
		t.Error("an output outlives all sessions")
	}
}
