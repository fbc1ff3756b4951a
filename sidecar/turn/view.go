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

// View is a session's terminal for a caller who may see it. Its methods may be
// called from many goroutines.
type View struct {
	r      *Runner
	s      *session
	t      *terminal
	caller string

	// Session is the session's name. Context is the context that it serves, "" if
	// none yet.
	Session, Context string
}

// Views returns the terminals that a caller may look at, in the order in which the
// sessions were started, and the number of the other terminals. Every caller may
// look at a session that has not served anybody yet. A caller of "" is unknown.
func (r *Runner) Views(caller string) (mine []*View, others int) {
	for _, h := range r.held() {
		t, ok := h.s.body.(*terminal)
		switch {
		case !ok, h.s.life.Err() != nil: // it has no terminal, or has ended
		case r.right(h, caller) != nil:
			others++
		default:
			mine = append(mine, &View{r: r, s: h.s, t: t, caller: caller, Session: h.s.name, Context: h.context})
		}
	}
	return mine, others
}

// holding says whom a session serves. Of a process that holds a conversation for each context, it
// says nothing.
type holding struct {
	s              *session
	context, owner string
	spare          bool // it has served nobody, and anybody may still get it
}

// held returns every session in the order in which they were started, including
// those that have just ended; none in oneshot mode.
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
	if !o.r.shared() {
		return []holding{{s: s}}
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

// holding returns whom a member serves. The pool's lock is held.
func (m *member) holding() holding {
	context, owner, _ := strings.Cut(m.context, "\x00")
	return holding{s: m.s, context: context, owner: owner, spare: m.context == ""}
}

// right returns an error if a caller may not look at a session.
func (r *Runner) right(h holding, caller string) error {
	switch {
	case r.owner != nil:
		return r.owner.admits(caller)
	case h.spare || h.owner == caller:
		return nil
	}
	return errOthers
}

// Right returns an error if the caller may not look any more: a session without an
// owner may have become another caller's.
func (v *View) Right() error {
	if v.r.owner != nil {
		return v.r.owner.admits(v.caller)
	}
	if h, ok := v.holding(); ok {
		return v.r.right(h, v.caller)
	}
	return nil // the session has ended
}

// holding returns whom the session serves now, if each context has its own session.
// It returns false if the session has ended.
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

// ID returns a name for this process of the session. No earlier or later process
// has the same name.
func (v *View) ID() string {
	return v.Session + "-" + strconv.FormatInt(v.s.started.UnixNano(), 36)
}

// See returns what the terminal shows, with the styles, and the offset of the first
// byte of the output that is not in it.
func (v *View) See() (term.Snapshot, uint64) {
	return v.t.console.StyledSnapshot()
}

// Follow follows the terminal's output, beginning with a picture.
func (v *View) Follow() *console.Tap { return v.t.console.Follow(v.s.life) }

// FollowFrom follows the output from the byte at offset. It begins with a picture
// if the output since then is not kept any more, or if the size has changed.
func (v *View) FollowFrom(offset uint64) *console.Tap {
	t := v.Follow()
	t.From(offset)
	return t
}

// Ended reports whether an error says that the agent has ended, and returns how it
// ended.
func Ended(err error) (exit proc.Exit, ok bool) {
	var e *driver.EndedError
	if ok = errors.As(err, &e); ok {
		exit = e.Exit
	}
	return exit, ok
}

// Input types into a session's terminal for a caller. The keys are held back while a
// turn types, count as a person's keys, and are not stored. Leave must be called.
// An Input is used by one goroutine.
type Input struct {
	v     *View
	lease *tty.Lease
	took  bool
}

// errSpare says that nobody knows yet whose the session will be.
var errSpare = a2a.ErrBusy.With("the session serves no context yet, and what is typed into it would become somebody's: send its first message")

// errHeld refuses people's keys.
var errHeld = a2a.ErrUnsupportedOperation.With("--govern=strict: nobody may type at the agent's terminal; send messages, or watch it")

// Input lets the caller type. If callers are known, a session that serves nobody
// yet becomes the caller's with the first key.
func (v *View) Input() (*Input, error) {
	if err := v.mayType(); err != nil {
		return nil, err
	}
	return &Input{v: v, lease: v.t.pty.Arbiter().Lease()}, nil
}

func (v *View) mayType() error {
	if v.r.strict() {
		return errHeld
	}
	if h, ok := v.holding(); ok && h.spare && v.caller != "" {
		return errSpare
	}
	return v.Right()
}

// Type types keys. It waits while 64 KiB of keys wait for the agent (backpressure).
func (in *Input) Type(ctx context.Context, keys []byte) error {
	if err := in.v.mayType(); err != nil {
		return err
	}
	if !in.took { // take the session, as a turn would
		if _, err := in.v.r.take(in.v.caller); err != nil {
			return err
		}
		in.took = true
	}
	return in.lease.Type(ctx, keys)
}

// Flush waits until the agent has received what was typed.
func (in *Input) Flush(ctx context.Context) error { return in.lease.Flush(ctx) }

// Leave releases the terminal.
func (in *Input) Leave() { in.lease.Release() }
