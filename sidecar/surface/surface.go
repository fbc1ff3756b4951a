package surface

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
)

// compositionsKept is how many compositions are kept: the current one, and one for each turn that
// has tools of the platform's of its own, and for each choice of loaded skills.
const compositionsKept = 16

// Surface makes views. Its methods may be called from many goroutines at once, but Run by one only.
type Surface struct {
	opts Options
	last atomic.Pointer[composition] // the one that was asked for last

	mu      sync.Mutex // guards the fields below
	all     map[inputs]*making
	changed chan struct{}

	telling sync.Mutex // guards told
	told    map[Lost]bool
}

// making is a composition that is made once.
type making struct {
	once sync.Once
	*composition
}

// New returns a surface. Views are up to date without Run; only Changed needs it.
func New(o Options) *Surface {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Surface{opts: o, all: map[inputs]*making{}, changed: make(chan struct{})}
}

// For returns what a viewer sees now. It asks nobody but the sources for what they know. The first
// one after a change waits while the list is composed, unless Run has done that.
func (s *Surface) For(viewer Viewer) *View {
	in := s.inputs(viewer)
	c := s.last.Load()
	if c == nil || c.in != in {
		c = s.compose(in)
		s.last.Store(c)
	}
	return &View{surface: s, viewer: viewer, composition: c}
}

// inputs returns what the sources know now.
func (s *Surface) inputs(viewer Viewer) (in inputs) {
	o := &s.opts
	in.image = o.Image()
	if o.Core != nil {
		in.core = o.Core()
	}
	if o.Connectors != nil {
		in.connectors = o.Connectors()
	}
	if o.Platform != nil {
		in.platform = o.Platform(viewer)
	}
	if o.Skills != nil {
		in.skills = o.Skills(viewer)
	}
	if o.Grants != nil {
		in.grants = o.Grants()
	}
	if o.Preferences != nil {
		in.preferences = o.Preferences()
	}
	return in
}

// compose returns the composition of these inputs.
func (s *Surface) compose(in inputs) *composition {
	s.mu.Lock()
	m := s.all[in]
	if m == nil {
		maps.DeleteFunc(s.all, func(other inputs, _ *making) bool {
			other.platform, other.skills = in.platform, in.skills
			return other != in // it is of a time that is over
		})
		if len(s.all) >= compositionsKept {
			clear(s.all) // those of turns that go on are made again
		}
		m = &making{}
		s.all[in] = m
	}
	s.mu.Unlock()
	m.once.Do(func() { m.composition = compose(in) })
	return m.composition
}

func (s *Surface) rules() any {
	if s.opts.Rules == nil {
		return nil
	}
	return s.opts.Rules()
}

// Changed returns a channel that is closed when what viewers see may next have changed. Take the
// channel before the view that it concerns.
func (s *Surface) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Run tells of the sources' changes until ctx ends, and composes the new list first. It logs the
// tools that are lost.
func (s *Surface) Run(ctx context.Context) {
	var sources sync.WaitGroup
	defer sources.Wait()
	for _, source := range s.opts.Changes {
		sources.Go(func() { s.follow(ctx, source) })
	}
}

// follow tells of one source's changes.
func (s *Surface) follow(ctx context.Context, source func() <-chan struct{}) {
	for {
		next := source()
		s.For(Viewer{})
		s.tell()
		s.tellLost()
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}

// tell wakes those who wait for a change.
func (s *Surface) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}
