package turn

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// pool has one session per context, at most Options.Sessions. If none is free, it
// closes the session that has been idle for longest. The queue runs no more turns
// than there may be sessions.
type pool struct {
	r  *Runner
	wg sync.WaitGroup // counts the processes that are not gone yet

	mu      sync.Mutex
	members []*member
	made    int           // how many sessions were ever made, to name them
	changed chan struct{} // closed when a member is gone or was given back
	lost    forgotten
}

// member is a session and the context that it serves.
type member struct {
	s       *session // nil while it is being started
	context string   // "" if it has served nobody yet
	busy    bool
	leaving bool // it is being closed
	since   time.Time
	timer   *time.Timer // closes it after it was idle for too long
}

var _ sessions = (*pool)(nil)

func newPool(r *Runner) *pool {
	return &pool{r: r, changed: make(chan struct{})}
}

func (p *pool) start(ctx context.Context) error {
	p.mu.Lock()
	m := p.add("")
	p.mu.Unlock()
	if err := p.launch(m, ""); err != nil {
		return err
	}
	if err := m.s.connected(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	m.busy = false
	return nil
}

// acquire finds the session of the turn's context, or makes one.
func (p *pool) acquire(ctx context.Context, t *turn) (*session, error) {
	id, resumed := conversation(t), p.r.resumes(t)
	for first := true; ; first = false {
		p.mu.Lock()
		m, fresh := p.choose(id, resumed)
		if m == nil && first && !p.has(id) {
			p.evict() // one member for each turn that waits
		}
		changed := p.changed
		lost := m != nil && p.lost.take(id)
		p.mu.Unlock()
		if lost && p.r.memory == nil { // otherwise the conversation goes on in another process
			t.Note("newSession", true)
		}
		if m != nil {
			if fresh {
				return p.fill(ctx, m, t, resumed)
			}
			return m.s, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// conversation returns a name for what a session serves: a context and its caller.
// If a context is forgotten and another caller takes it, that caller gets another
// session.
func conversation(t *turn) string { return t.task.ContextID() + "\x00" + t.task.Owner() }

// fill starts the process of a new member. A process that ends when it is told to resume the
// turn's conversation, or does not know that, will do so each time: the conversation is lost, and the
// turn begins another one.
func (p *pool) fill(ctx context.Context, m *member, t *turn, resumed string) (*session, error) {
	if err := p.launch(m, resumed); err != nil {
		return nil, err
	}
	if resumed == "" {
		return m.s, nil
	}
	err := m.s.connected(ctx)
	_, ended := Ended(err)
	if !ended && !errors.Is(err, peer.ErrForgotten) || ctx.Err() != nil || p.r.drain.Err() != nil {
		return m.s, nil // a turn that runs in it tells what is wrong
	}
	p.r.o.Log.Warn("the agent cannot resume a conversation and begins a new one", "task", t.task.ID(), "context", t.task.ContextID(), "error", err)
	p.mu.Lock()
	p.dismiss(m)
	p.mu.Unlock()
	if err := p.r.memory.Forget(t.task.Owner(), t.task.ContextID()); err != nil {
		p.r.o.Log.Error("the conversation will be known again at the next start", "context", t.task.ContextID(), "error", err)
	}
	t.Note("newSession", true)
	return p.again(ctx, m, t)
}

// again acquires a session when a member's process has ended.
func (p *pool) again(ctx context.Context, m *member, t *turn) (*session, error) {
	for {
		p.mu.Lock()
		left, changed := slices.Contains(p.members, m), p.changed
		p.mu.Unlock()
		if !left {
			return p.acquire(ctx, t)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// choose finds a member for the context and marks it busy: the context's own
// member, one that has served nobody, or a new one, whose process is still to be
// started. A process that holds only one conversation, and was started without the one that is
// to be resumed, does not do. It returns nil if another member has to go first. The lock is held.
func (p *pool) choose(id, resumed string) (m *member, fresh bool) {
	spare := (*member)(nil)
	for _, m := range p.members {
		switch {
		case m.context == id:
			if m.leaving || m.busy || m.s.alive() != nil {
				return nil, false // when it is gone, there is a place
			}
			m.take()
			return m, false
		case resumed == "" && m.context == "" && !m.busy && !m.leaving && m.s.alive() == nil:
			spare = m
		}
	}
	switch {
	case spare != nil:
		spare.context = id
		spare.take()
		return spare, false
	case len(p.members) < p.r.o.Sessions:
		return p.add(id), true
	}
	return nil, false
}

// has reports whether the context has a member, even one that is being closed. The
// lock is held.
func (p *pool) has(id string) bool {
	return slices.ContainsFunc(p.members, func(m *member) bool { return m.context == id })
}

// take marks a member busy.
func (m *member) take() {
	m.busy = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

// add makes a busy member without a process. The lock is held.
func (p *pool) add(id string) *member {
	m := &member{context: id, busy: true}
	p.members = append(p.members, m)
	return m
}

// launch starts a member's process, which is to resume a conversation, "" for none, and removes the
// member when it has ended.
func (p *pool) launch(m *member, resumed string) error {
	p.mu.Lock()
	p.made++
	name := strconv.Itoa(p.made)
	p.mu.Unlock()
	s, err := p.r.startSession(name, resumed)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.remove(m)
		return err
	}
	p.mu.Lock()
	m.s, m.since = s, time.Now()
	p.mu.Unlock()
	p.wg.Go(func() {
		s.gone()
		p.mu.Lock()
		contextID, _, served := strings.Cut(m.context, "\x00")
		p.mu.Unlock()
		if served {
			p.r.o.SessionEnded(contextID)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.remove(m)
	})
	return nil
}

// remove takes a member out. The lock is held.
func (p *pool) remove(m *member) {
	if m.timer != nil {
		m.timer.Stop()
	}
	p.members = slices.DeleteFunc(p.members, func(x *member) bool { return x == m })
	if m.s != nil {
		p.lost.add(m.context)
	}
	p.wake()
}

func (p *pool) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// evict closes the member that has been idle for longest, or one that has served nobody. The lock
// is held.
func (p *pool) evict() {
	var oldest *member
	for _, m := range p.members {
		if m.busy || m.leaving {
			continue
		}
		if oldest == nil || oldest.context != "" && (m.context == "" || m.since.Before(oldest.since)) {
			oldest = m
		}
	}
	if oldest != nil {
		p.dismiss(oldest)
	}
}

// dismiss ends a member's process. The lock is held.
func (p *pool) dismiss(m *member) {
	m.leaving = true
	p.wg.Go(func() { m.s.stop() })
}

func (p *pool) release(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		if m.s != s {
			continue
		}
		m.busy, m.since = false, time.Now()
		m.timer = time.AfterFunc(p.r.o.SessionIdle, func() { p.expire(m) })
	}
	p.wake()
}

// expire closes a member that was idle for too long.
func (p *pool) expire(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := time.Since(m.since) >= p.r.o.SessionIdle
	if late && !m.busy && !m.leaving && slices.Contains(p.members, m) && p.r.drain.Err() == nil {
		p.dismiss(m)
	}
}

func (p *pool) ready() error {
	if p.r.drain.Err() != nil {
		return a2a.ErrUnavailable
	}
	return nil
}

func (p *pool) exited() <-chan struct{} { return nil }

func (p *pool) exit() proc.Exit { return proc.Exit{} }

func (p *pool) signal(sig os.Signal) {
	p.mu.Lock()
	var all []*session
	for _, m := range p.members {
		if m.s != nil {
			all = append(all, m.s)
		}
	}
	p.mu.Unlock()
	for _, s := range all {
		s.signal(sig)
	}
}

func (p *pool) Close() {
	<-p.r.queue.empty() // nobody starts another process
	p.wg.Wait()
}
