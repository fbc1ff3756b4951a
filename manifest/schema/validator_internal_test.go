package schema

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Compiled schemas are kept for the keys that were used last, no more.
func TestValidatorsBounded(t *testing.T) {
	var v Validators
	first := v.get("acme.t0", nil)
	for i := range 3 * validatorsKept {
		v.get(fmt.Sprintf("acme.t%d", i), nil)
		v.get("acme.t0", nil)
	}
	if len(v.byKey) != validatorsKept || v.recent.Len() != validatorsKept {
		t.Errorf("%d and %d are kept, want %d", len(v.byKey), v.recent.Len(), validatorsKept)
	}
	if v.get("acme.t0", nil) != first {
		t.Error("the one that is always in use was dropped")
	}
}

// A schema that compiled is not compiled again, until a good file is without
// it. The schema here would not compile, so that it shows.
func TestKnown(t *testing.T) {
	const bad = `{"type":"object","minProperties":-1}`
	known := NewKnown()
	load := func(src string) (good bool) {
		root, _ := jsontree.Parse(src, 0)
		faults, _ := Check(&root, "", src, known)
		known.EndFile(len(faults) == 0)
		return len(faults) == 0
	}
	known.add(sha256.Sum256([]byte(bad)))
	for range 2 {
		if !load(bad) {
			t.Fatal("it was compiled again")
		}
	}
	if load(`[`) {
		t.Fatal("a bad file is good")
	}
	if !load(bad) {
		t.Error("it was forgotten over a bad file")
	}
	if !load(`{"type":"object"}`) {
		t.Fatal("a good file is bad")
	}
	if load(bad) {
		t.Error("it is still known after a good file without it")
	}
}
