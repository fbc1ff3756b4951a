package surface

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
)

const (
	// listingLives is how long a listing is believed while nothing tells of a change: what it
	// found on the disk, such as a program, may have changed.
	listingLives = time.Second
	// listingsKept is how many viewers' listings a composition keeps.
	listingsKept = 64
)

// listing is what one viewer is shown.
type listing struct {
	rows             []Row
	listed, deferred []*manifest.Tool
	revision         func() string
}

// listings are the last listings of one composition.
type listings struct {
	mu  sync.Mutex
	all map[key]*pending
}

// key is a viewer. It holds no task, which would stay in memory with it.
type key struct {
	caller string
	agent  bool
	task   string
}

func (v *View) key() key {
	k := key{caller: v.viewer.Caller, agent: v.viewer.Agent}
	if v.viewer.Task != nil {
		k.task = v.viewer.Task.ID()
	}
	return k
}

// pending is a listing that is made once.
type pending struct {
	rules any
	begun time.Time
	made  chan struct{} // closed when listing is set, or could not be made
	*listing
}

// listing returns what the viewer is shown now. While it is made for the same viewer, it waits
// for that, and not longer than ctx; it then makes one of its own.
func (v *View) listing(ctx context.Context) *listing {
	p, mine := v.pending(time.Now())
	if !mine {
		select {
		case <-p.made:
		case <-ctx.Done():
		}
		select {
		case <-p.made:
			if p.listing != nil {
				return p.listing
			}
		default:
		}
		return v.list(ctx)
	}
	defer close(p.made)
	l := v.list(ctx)
	if ctx.Err() == nil { // otherwise the judge may not have looked at everything
		p.listing = l
		return l
	}
	v.forget(p)
	return l
}

// pending returns the listing of this viewer under these rules, and whether the caller has to
// make it.
func (v *View) pending(now time.Time) (p *pending, mine bool) {
	rules, k := v.surface.rules(), v.key()
	all := &v.composition.listings
	all.mu.Lock()
	defer all.mu.Unlock()
	if p := all.all[k]; p != nil && p.rules == rules && now.Sub(p.begun) < listingLives {
		return p, false
	}
	if all.all == nil || len(all.all) >= listingsKept {
		all.all = map[key]*pending{} // a listing is cheap, and seldom asked for by so many
	}
	p = &pending{rules: rules, begun: now, made: make(chan struct{})}
	all.all[k] = p
	return p, true
}

func (v *View) forget(p *pending) {
	k := v.key()
	all := &v.composition.listings
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.all[k] == p {
		delete(all.all, k)
	}
}

// list makes a listing.
func (v *View) list(ctx context.Context) *listing {
	var judged []Absence
	if judge := v.surface.opts.Judge; judge != nil {
		judged = judge(ctx, v.viewer, v.present)
	}
	l := &listing{rows: make([]Row, 0, len(v.entries))}
	i := 0
	for _, e := range v.entries {
		absent := e.absent
		if e.tool != nil && absent.Reason == "" {
			if i < len(judged) {
				absent = judged[i]
			}
			i++
			switch {
			case absent.Reason != "":
			case e.discover:
				absent = Absence{Deferred, "it is not listed; it is found by searching, and called by its name"}
				l.deferred = append(l.deferred, e.tool)
			default:
				l.listed = append(l.listed, e.tool)
			}
		}
		l.rows = append(l.rows, e.row(absent))
	}
	l.revision = sync.OnceValue(func() string { return l.digest(v.entries) })
	return l
}

// digest returns a digest of the rows and of the definitions of their tools.
func (l *listing) digest(entries []*entry) string {
	h := sha256.New()
	e := json.NewEncoder(h)
	for i := range l.rows {
		_ = e.Encode(&l.rows[i]) // strings have a JSON form, and a hash takes everything
		if t := entries[i].tool; t != nil {
			_ = e.Encode(t.Digest)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
