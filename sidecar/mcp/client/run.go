package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The times between a server's word that its list has changed and the next look at it: a
// moment for several changes at once, and a limit for a server that never stops.
const (
	relistAfter = 100 * time.Millisecond
	relistEvery = time.Second      // it doubles with each list that follows another one
	relistLast  = 30 * time.Second // at most
	relistQuiet = time.Minute      // after which it begins from the start
	relistShare = 10               // lists are checked for at most one part in so many of the time
)

// run starts the server and keeps it until it ends, or is not needed any more.
func (i *instance) run() {
	s, l, err := i.open()
	var k *known
	if err == nil {
		k = define(&i.cfg, i.opts.Reserved, l) // not under the lock: it takes as long as the server likes
	}
	i.mu.Lock()
	now := time.Now()
	changed, news := false, false
	switch {
	case err != nil && i.ctx.Err() != nil:
		i.life.enter(StateClosed, now)
	case err != nil:
		i.legacy = false // it may be another program by now
		i.life.failed(now, err)
		news = i.known == nil && i.life.failures == 1 // why there is no list; later failures are no news
	default:
		i.session, i.legacy, i.used = s, s.info.me == nil, now
		i.listed = 0
		i.life.started(now)
		changed = i.learn(k)
	}
	close(i.busy)
	i.busy = nil
	i.mu.Unlock()
	if news {
		i.notify()
	}
	i.tell(changed, err)
	if err == nil {
		i.stop(s, i.watch(s))
	}
}

// tell logs what has happened.
func (i *instance) tell(changed bool, err error) {
	log := i.opts.Log.With("server", i.cfg.Slug)
	if err != nil {
		if i.ctx.Err() == nil {
			log.LogAttrs(i.ctx, slog.LevelWarn, "an MCP server is unavailable", slog.String("error", words(err)))
		}
		i.mu.Lock()
		unknown := i.known == nil
		i.mu.Unlock()
		if why := words(err); unknown && why != i.failed { // there is another reason why it has no tools
			i.failed = why
			i.notify()
		}
		return
	}
	if !changed {
		return
	}
	i.mu.Lock()
	l := i.known.list
	i.mu.Unlock()
	i.notify()
	if now := time.Now(); now.Sub(i.told) < tellEvery {
		return
	} else {
		i.told = now
	}
	log.Info("an MCP server has listed its tools", "tools", len(l.Tools), "problems", len(l.Problems))
	for n, p := range append(append([]error{}, l.Problems...), l.Warnings...) {
		if n == maxToldProblems {
			log.Warn("there are more problems with an MCP server's tools", "more", len(l.Problems)+len(l.Warnings)-n)
			break
		}
		log.Warn("an MCP server's tool", "problem", words(p))
	}
}

// tellEvery is the shortest time between two lists of one server that are logged.
const tellEvery = time.Minute

// maxToldProblems is how many problems of one list are logged.
const maxToldProblems = 20

// open starts the server, shakes hands and lists its tools.
func (i *instance) open() (*session, *listing, error) {
	ctx, cancel := context.WithTimeoutCause(i.ctx, i.cfg.StartTimeout, fmt.Errorf("it was not ready after %s", i.cfg.StartTimeout))
	defer cancel()
	i.mu.Lock()
	legacy := i.legacy
	i.mu.Unlock()
	s, l, err := i.greet(ctx, legacy)
	if err != nil && ctx.Err() == nil && !legacy && errors.Is(err, errProbed) {
		s, l, err = i.greet(ctx, true) // some older servers end when they hear of server/discover
	}
	return s, l, err
}

// errProbed says that the connection has ended while the newest revision was tried.
var errProbed = errors.New("it ended when it was asked for its revisions")

func (i *instance) greet(ctx context.Context, legacy bool) (*session, *listing, error) {
	s, err := i.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	err = s.handshake(ctx, i.opts.Version, legacy)
	var l *listing
	if err == nil {
		l, err = s.list(ctx)
	}
	if err == nil {
		s.listen()
		return s, l, nil
	}
	reason := s.reason()
	s.close(err)
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case !legacy && s.info.revision == "" && errors.Is(err, ErrLost):
		err = fmt.Errorf("%w: %w", errProbed, err)
	case reason != nil && errors.Is(err, ErrLost):
		err = reason // it says all
	}
	return nil, nil, protocolError(err)
}

// connect dials and makes a session of what that gives.
func (i *instance) connect(ctx context.Context) (*session, error) {
	t, err := i.cfg.Dial(ctx)
	if err != nil {
		return nil, err
	}
	log := i.opts.Log.With("server", i.cfg.Slug)
	switch t := t.(type) {
	case nil:
		return nil, errors.New("nothing was dialed")
	case *mcp.IOTransport:
		return newSession(newLines(t.Reader, t.Writer, i.cfg.MaxMessage), true, log), nil
	case *mcp.StreamableClientTransport:
		conn, err := connectHTTP(ctx, t, i.cfg.MaxMessage)
		if err != nil {
			return nil, err
		}
		return newSession(conn, false, log), nil
	}
	conn, err := t.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return newSession(conn, true, log), nil
}

// watch keeps a server that runs: it lists again when the server says so. It returns why the
// server is not kept, nil if it is because nobody uses it.
func (i *instance) watch(s *session) error {
	idle := time.NewTimer(i.untilIdle())
	defer idle.Stop()
	var relist <-chan time.Time
	var last, next time.Time // when it was listed, and before which it is not listed again
	pause := relistEvery
	for {
		select {
		case <-s.changed:
			if relist == nil {
				relist = time.After(max(relistAfter, time.Until(next)))
			}
		case <-relist:
			relist = nil
			took, err := i.relist(s)
			if err != nil {
				return err
			}
			now := time.Now()
			if pause = min(2*pause, relistLast); now.Sub(last) > relistQuiet {
				pause = relistEvery
			}
			last, next = now, now.Add(min(max(pause, relistShare*took), relistLast))
		case <-idle.C:
			left := i.untilIdle()
			if left <= 0 {
				return nil
			}
			idle.Reset(left)
		case <-s.ended:
			return s.reason()
		case <-i.ctx.Done():
			return context.Cause(i.ctx)
		}
	}
}

// untilIdle returns how long the server is kept at least.
func (i *instance) untilIdle() time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.calls > 0 || i.cfg.Idle < 0 {
		return max(i.cfg.Idle, time.Minute)
	}
	return time.Until(i.used.Add(i.cfg.Idle))
}

// relist reads the list again. It returns how long the work on it took here.
func (i *instance) relist(s *session) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeoutCause(i.ctx, i.cfg.StartTimeout, fmt.Errorf("it did not list its tools in %s", i.cfg.StartTimeout))
	defer cancel()
	seen := s.changes.Load()
	l, err := s.list(ctx)
	if err != nil {
		return 0, protocolError(err)
	}
	began := time.Now()
	k := define(&i.cfg, i.opts.Reserved, l)
	took = time.Since(began)
	i.mu.Lock()
	changed := i.learn(k)
	i.listed = seen
	close(i.relisted)
	i.relisted = make(chan struct{})
	i.mu.Unlock()
	i.tell(changed, nil)
	return took, nil
}

// stop closes a session that is not kept. No other one is started meanwhile.
func (i *instance) stop(s *session, why error) {
	i.mu.Lock()
	i.session = nil
	i.busy = make(chan struct{})
	now := time.Now()
	switch {
	case i.ctx.Err() != nil:
		i.life.enter(StateClosed, now)
	case why == nil:
		i.life.enter(StateIdle, now)
	default:
		i.life.failed(now, why)
	}
	unexpected := i.life.state == StateBackingOff
	i.mu.Unlock()
	if unexpected {
		i.tell(false, why)
	}
	s.close(why)
	i.mu.Lock()
	close(i.busy)
	i.busy = nil
	i.mu.Unlock()
}
