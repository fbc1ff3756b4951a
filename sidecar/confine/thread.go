package confine

import (
	"fmt"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// Threads returns the threads for functions of ours that read, and write, what is at some roots, as a
// user, nil for our own. Without Landlock, or for a nil Keeper, only the user holds them; if nothing does,
// there are none: nil. In the mode Required, the error says that Landlock is missing. Close must
// follow.
func (k *Keeper) Threads(user *proc.User, read, write []sandbox.Root) (*sandbox.Threads, error) {
	rules := sandbox.Rules{Read: read, Write: write}
	if k == nil {
		rules.Off = sandbox.Landlock
	} else {
		rules.Off = k.o.Off
	}
	as := user.Credential()
	if as == nil && (rules.Off&sandbox.Landlock != 0 || sandbox.Probe().Layers&sandbox.Landlock == 0) && !k.required() {
		return nil, nil
	}
	t, err := sandbox.NewThreads(rules, as)
	if err == nil && k.required() && t.Layers()&sandbox.Landlock == 0 {
		t.Close()
		return nil, fmt.Errorf("--sandbox required: what the sidecar's own tools open cannot be held: %s", whyNot(sandbox.Probe()))
	}
	return t, err
}

// Owns reports whether a path, absolute and with its links resolved, is the sidecar's own: no tool
// may write it. A nil Keeper knows none.
func (k *Keeper) Owns(path string) bool {
	return k != nil && slices.ContainsFunc(k.private, func(own Private) bool { return below.Is(path, own.Path) })
}

func (k *Keeper) required() bool { return k != nil && k.o.Mode == Required }
