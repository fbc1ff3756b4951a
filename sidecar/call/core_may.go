package call

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// mayBeneath returns what holds a path against the rules that nobody named: it is below a directory
// that was judged. nil: no rule stands against anything there.
func (p *Pipeline) mayBeneath(inv *Invocation, reads, writes []string) func(policy.Capability, string) bool {
	b := &beneath{asks: p.asking(inv), decider: (*heldRules)(inv), ctx: inv.task.Context(), free: map[beneathDir]bool{}}
	b.tops = map[policy.Capability][]string{policy.FSRead: slices.Concat(reads, writes), policy.FSWrite: writes}
	for c, dirs := range b.tops {
		for _, dir := range dirs {
			if c == policy.FSWrite || !b.isFree(c, dir) {
				return b.may
			}
		}
	}
	return nil
}

// beneath decides about paths below judged directories. Many goroutines may use it.
type beneath struct {
	asks    asking
	decider policy.Decider
	ctx     context.Context // the call's: a question is decided within the call
	tops    map[policy.Capability][]string

	mu   sync.Mutex
	free map[beneathDir]bool // whether no rule stands against anything below it
}

// beneathDir is a directory and what is done below it.
type beneathDir struct {
	capability policy.Capability
	dir        string
}

// maxFree is how many directories are remembered: each takes some hundred bytes. What is below others is
// decided one by one.
const maxFree = 20_000

// may reports whether the rules let the call use a path. What they ask about it may use if the call was
// approved, and the same rule asks as asked then.
func (b *beneath) may(c policy.Capability, path string) bool {
	if c != policy.FSWrite && b.within(c, filepath.Dir(path)) {
		return true // of what is written there may be protected paths, which no pattern tells
	}
	d := b.decide(policy.Use{Capability: c, Value: path})
	return d.Verdict == policy.Allow || d.Verdict == policy.Ask && b.asks.approved && sameRule(d, b.asks.rules)
}

// within reports whether a directory, or one that it is in, is free.
func (b *beneath) within(c policy.Capability, dir string) bool {
	b.mu.Lock()
	for at := dir; at != "/"; at = filepath.Dir(at) {
		if b.free[beneathDir{c, at}] {
			b.mu.Unlock()
			return true
		}
		if slices.Contains(b.tops[c], at) {
			break
		}
	}
	b.mu.Unlock()
	return b.isFree(c, dir)
}

// isFree reports whether the rules allow everything below a directory, as one pattern.
func (b *beneath) isFree(c policy.Capability, dir string) bool {
	key := beneathDir{c, dir}
	b.mu.Lock()
	free, decided := b.free[key]
	full := len(b.free) >= maxFree
	b.mu.Unlock()
	if decided || full {
		return free
	}
	free = b.decide(policy.Use{Capability: c, Value: capability.Path{Root: dir}.String(), Declared: true}).Verdict == policy.Allow
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free[key] = free
	return free
}

// decide judges the call as if one thing were all that it used.
func (b *beneath) decide(u policy.Use) policy.Decision {
	q := b.asks.call
	q.Running = true
	q.Uses = []policy.Use{u}
	return b.decider.Decide(b.ctx, q)
}
