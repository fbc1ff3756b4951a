package turn_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// A caller that sends as much as it can has half of the queue, and another's
// turn does not wait for all of it.
func TestOneCallerKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate, order := filepath.Join(dir, "gate"), filepath.Join(dir, "order")
	r := newRig(t, func(o *turn.Options) {
		o.Command = sh(`read who; [ "$who" != gate ] || while [ ! -e "$1" ]; do sleep 0.01; done; echo "$who" >> "$2"`, gate, order)
		o.MaxConcurrency, o.Queue = 2, 10
	})
	var all []*task.Task
	send := func(caller, text string) error {
		k, err := r.by(caller, fmt.Sprintf("%s-%d", caller, len(all)), text)
		if err == nil {
			all = append(all, k)
		}
		return err
	}
	for _, text := range []string{"gate", "gate", "x", "x", "x", "x", "x"} { // two run
		if err := send("alice", text); err != nil {
			t.Fatal(err)
		}
	}
	if err := send("alice", "x"); !errors.Is(err, a2a.ErrBusy) {
		t.Errorf("alice has more than half of the queue: %v", err)
	}
	if err := send("bob", "bob"); err != nil {
		t.Fatalf("alice keeps bob out: %v", err)
	}
	// One of alice's ends: the place is bob's, whose turn came last.
	all[0].Cancel(task.ErrCanceled)
	r.end(all[len(all)-1])
	if said, _ := os.ReadFile(order); !strings.HasPrefix(string(said), "bob\n") {
		t.Errorf("before bob: %q", said)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		r.end(k)
	}
}
