package turn

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// View is a session's terminal for a caller who has the right to it. Its methods
// may be called from many goroutines.
type View struct {
	r      *Runner
	s      *session
	t      *terminal
	caller string

	// Session is the session's name, Context the one that it serves, "" for none
	// yet.
	Session, Context string
}

// Views are the terminals that a caller may look at, in the order in which the
// sessions were started, and the number of the other ones. Every caller may look at
// a session that has not served anybody yet. A caller "" is one that is not known.
func (r *Runner) Views(caller string) (mine []*View, others int) {
	for _, h := range r.held() {
		t, ok := h.s.body.(*terminal)
		switch {
		case !ok, h.s.life.Err() != nil: // it has none, or has ended
		case r.right(h, caller) != nil:
			others++
		default:
			mine = append(mine, &View{r: r, s: h.s, t: t, caller: caller, Session: h.s.name, Context: h.context})
		}
	}
	return mine, others
}

// holding says whom a session serves.
type holding struct {
	s              *session
	context, owner string
	spare          bool // it has served nobody and may become anybody's
}

// held is every session in the order they were started, those among it that have
// just ended; none in oneshot.
func (r *Runner) held() []holding {
	if r.sessions == nil {
		return nil
	}
	return r.sessions.held()
}

func (o *sharedSession) held() []holding {
	o.mu.Lock()
	s := o.cur
	o.mu.Unlock()
	if s == nil {
		return nil
	}
	return []holding{{s: s, context: o.r.o.SessionContext, owner: o.r.owner.whose()}}
}

func (p *pool) held() (all []holding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		if m.s != nil {
			all = append(all, m.holding())
		}
	}
	return all
}

// holding says whom a member serves. The pool's lock is held.
func (m *member) holding() holding {
	context, owner, _ := strings.Cut(m.context, "\x00")
	return holding{s: m.s, context: context, owner: owner, spare: m.context == ""}
}

// right says whether a caller may look at a session.
func (r *Runner) right(h holding, caller string) error {
	switch {
	case r.owner != nil:
		return r.owner.admits(caller)
	case h.spare || h.owner == caller:
		return nil
	}
	return errOthers
}

// Right says whether the caller may still look: a session without an owner may have
// become another caller's.
func (v *View) Right() error {
	if v.r.owner != nil {
		return v.r.owner.admits(v.caller)
	}
	if h, ok := v.holding(); ok {
		return v.r.right(h, v.caller)
	}
	return nil // it has ended
}

// holding says whom the session serves now, where sessions are a context's; false
// when it has ended.
func (v *View) holding() (holding, bool) {
	p, ok := v.r.sessions.(*pool)
	if !ok {
		return holding{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		if m.s == v.s {
			return m.holding(), true
		}
	}
	return holding{}, false
}

// ID names this process of the session, and none before or after it.
func (v *View) ID() string {
	return v.Session + "-" + strconv.FormatInt(v.s.started.UnixNano(), 36)
}

// See is what the terminal shows, with the styles, and the number of the first
// byte of the output that is not in it.
func (v *View) See() (term.Snapshot, uint64) {
	return v.t.console.StyledSnapshot()
}

// Follow follows the terminal's output, beginning with a picture.
func (v *View) Follow() *console.Tap { return v.t.console.Follow(v.s.life) }

// FollowFrom goes on with the byte at offset, or where what came since is not
// kept any more, or the size has changed, with a picture.
func (v *View) FollowFrom(offset uint64) *console.Tap {
	t := v.Follow()
	t.From(offset)
	return t
}

// Ended reports whether an error says that the agent has ended, and how.
func Ended(err error) (exit proc.Exit, ok bool) {
	var e *driver.EndedError
	if ok = errors.As(err, &e); ok {
		exit = e.Exit
	}
	return exit, ok
}

// Hands type into a session's terminal for a caller. What they type is held
// while a turn types, counts as a person's, and is kept nowhere. Leave must be
// called. They are for one goroutine.
type Hands struct {
	v      *View
	typist *tty.Lease
	took   bool
}

// errSpare: nobody knows yet whose the session will be.
var errSpare = a2a.ErrBusy.With("the session serves no context yet, and what is typed into it would become somebody's: send its first message")

// Hands lets the caller type. Where callers are known, a session that serves
// nobody yet becomes the caller's with the first key.
func (v *View) Hands() (*Hands, error) {
	if err := v.mayType(); err != nil {
		return nil, err
	}
	return &Hands{v: v, typist: v.t.pty.Arbiter().Lease()}, nil
}

func (v *View) mayType() error {
	if h, ok := v.holding(); ok && h.spare && v.caller != "" {
		return errSpare
	}
	return v.Right()
}

// Type takes keys; it waits while 64 KiB wait for the agent.
func (h *Hands) Type(ctx context.Context, keys []byte) error {
	if err := h.v.mayType(); err != nil {
		return err
	}
	if !h.took { // as a turn would
		if _, err := h.v.r.take(h.v.caller); err != nil {
			return err
		}
		h.took = true
	}
	return h.typist.Type(ctx, keys)
}

// Flush waits until the agent has got what was typed.
func (h *Hands) Flush(ctx context.Context) error { return h.typist.Flush(ctx) }

// Leave lets go.
func (h *Hands) Leave() { h.typist.Release() }
