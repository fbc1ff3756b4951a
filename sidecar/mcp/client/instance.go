package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// errReplaced is the end of a server that a newer one has replaced, or that was removed.
var errReplaced = errors.New("it was replaced or removed")

// instance is one server of one configuration: it starts it, knows its list and counts its
// calls. Everything that it starts is waited for by wait.
type instance struct {
	cfg    Server
	opts   *Options
	notify func() // tells of a list or a state that has changed; it must not block

	ctx    context.Context // ends with the instance
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	told   time.Time // when its list was logged; of the goroutine that runs
	failed string    // why it could not be listed when that was last told; likewise

	mu       sync.Mutex
	life     life
	busy     chan struct{} // closed when a start or a stop that runs is done; nil if none runs
	session  *session      // while it runs
	legacy   bool          // it does not know the newest revision
	calls    int
	used     time.Time     // when the last call has ended
	retired  bool          // no new calls
	known    *known        // what it said last, nil before the first time
	listed   int64         // how many of session's changes the list has seen
	relisted chan struct{} // closed when listed grows
}

// newInstance returns an instance that was not started. What an older one of the same slug has
// said is its list until it has said something itself.
func newInstance(cfg Server, opts *Options, older *instance, notify func()) *instance {
	cfg.complete()
	i := &instance{cfg: cfg, opts: opts, notify: notify, relisted: make(chan struct{})}
	i.ctx, i.cancel = context.WithCancelCause(context.Background())
	i.life.enter(StateIdle, time.Now())
	if older != nil {
		older.mu.Lock()
		var l *listing
		if older.known != nil {
			l = older.known.listing
		}
		older.mu.Unlock()
		if l != nil {
			i.known = define(&i.cfg, i.opts.Reserved, l)
		}
	}
	return i
}

// learn takes over what the server has said. It reports whether that has changed the list. The
// caller holds the lock.
func (i *instance) learn(k *known) (changed bool) {
	changed = i.known == nil || i.known.list.Revision != k.list.Revision
	if !changed {
		k.list = i.known.list
	}
	i.known = k
	return changed
}

// acquire returns the server's session, and starts it if need be. Each session that it returns
// must be released.
func (i *instance) acquire(ctx context.Context) (*session, error) {
	for {
		s, busy, err := i.attempt()
		if s != nil || err != nil {
			return s, err
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// attempt returns the session, or what to wait for before it is tried again, or an error.
func (i *instance) attempt() (*session, <-chan struct{}, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	now := time.Now()
	switch {
	case i.retired:
		return nil, nil, errReplaced
	case i.session != nil:
		i.calls++
		return i.session, nil, nil
	case i.busy != nil:
		return nil, i.busy, nil
	case !i.life.mayStart(now):
		return nil, nil, &failedError{slug: i.cfg.Slug, pause: max(i.life.retry.Sub(now).Round(time.Millisecond), time.Millisecond), why: words(i.life.last)}
	}
	i.life.enter(StateStarting, now)
	i.busy = make(chan struct{})
	i.wg.Go(i.run)
	return nil, i.busy, nil
}

// failedError says that a server has failed and is not started before its time.
type failedError struct {
	slug  string
	pause time.Duration // from now; 0: the caller does not try again
	why   string
}

func (e *failedError) Error() string {
	if e.pause == 0 {
		return fmt.Sprintf("MCP server %s: %s", e.slug, e.why)
	}
	return fmt.Sprintf("%s: MCP server %s has failed, and is tried again in %s: %s", ErrUnavailable, e.slug, e.pause, e.why)
}

func (e *failedError) Unwrap() error { return ErrUnavailable }

// release ends the use of a session.
func (i *instance) release() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.calls--
	i.used = time.Now()
	if i.retired && i.calls == 0 {
		i.cancel(errReplaced)
	}
}

// retire lets no new call in. The instance ends with its last call, or after its drain limit.
func (i *instance) retire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.retired {
		return
	}
	i.retired = true
	if i.calls == 0 {
		i.cancel(errReplaced)
		if i.session == nil {
			i.life.enter(StateClosed, time.Now())
		}
		return
	}
	t := time.AfterFunc(i.cfg.Drain, func() { i.cancel(errReplaced) })
	context.AfterFunc(i.ctx, func() { t.Stop() })
}

// wait ends the instance at once and waits until nothing of it runs.
func (i *instance) wait(why error) {
	i.mu.Lock()
	i.retired = true
	i.mu.Unlock()
	i.cancel(why)
	i.wg.Wait()
	i.mu.Lock()
	i.life.enter(StateClosed, time.Now())
	i.mu.Unlock()
}

// over reports whether nothing of a retired instance runs.
func (i *instance) over() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.retired && i.session == nil && i.busy == nil && i.calls == 0
}

// call calls a tool.
func (i *instance) call(ctx context.Context, c Call) (*Result, error) {
	s, err := i.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer i.release()
	if err := i.current(ctx, s); err != nil {
		return nil, err
	}
	i.mu.Lock()
	tool := i.known.tools[c.Tool]
	i.mu.Unlock()
	switch {
	case tool == nil:
		return nil, fmt.Errorf("%w: MCP server %s has no tool %s, or it was left out", ErrUnavailable, i.cfg.Slug, text.Quote(c.Tool, nameMax))
	case c.Hash != "" && c.Hash != tool.External.Hash:
		return nil, fmt.Errorf("%w: MCP server %s now describes %s otherwise", ErrChanged, i.cfg.Slug, text.Quote(c.Tool, nameMax))
	}
	if _, byHTTP := s.conn.(*web); byHTTP && s.info.me != nil {
		ctx = withHeaders(ctx, argumentHeaders(tool.InputSchema, c.Arguments))
	}
	r, err := s.call(ctx, c)
	return r, i.called(ctx, err)
}

// current waits until the list has seen every change that the server has announced so far.
func (i *instance) current(ctx context.Context, s *session) error {
	announced := s.changes.Load()
	for {
		i.mu.Lock()
		listed, again := i.listed, i.relisted
		i.mu.Unlock()
		if listed >= announced {
			return nil
		}
		select {
		case <-again:
		case <-s.ended:
			return fmt.Errorf("%w: MCP server %s: %s", ErrUnavailable, i.cfg.Slug, words(s.reason()))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// snapshot returns the list, nil if it is not known, and the state.
func (i *instance) snapshot() (*List, Status) {
	i.mu.Lock()
	defer i.mu.Unlock()
	st := Status{Slug: i.cfg.Slug, State: i.life.state, Since: i.life.since, Starts: i.life.starts, Calls: i.calls}
	if i.life.last != nil {
		st.LastError = words(i.life.last)
	}
	if st.State == StateBackingOff {
		st.Retry = i.life.retry
	}
	if i.session != nil {
		st.Revision = i.session.info.revision
	}
	if i.known == nil {
		return nil, st
	}
	l := i.known.list
	st.Tools, st.Problems = len(l.Tools), len(l.Problems)
	return l, st
}
