package call

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// How much of the end of a program's output is kept, in bytes: what an agent gets that does not say,
// and the most that it may ask for.
const (
	defaultTail = 1 << 20
	maxTail     = 8 << 20
)

// program is what the agent has us run. Its fields above mu are set before ready is closed.
type program struct {
	n     *native
	inv   *Invocation
	child *proc.Child // nil: it could not be started

	ready chan struct{} // closed when it was started, or could not be
	read  chan struct{} // closed when it has ended and its output was read; then exit is set
	exit  proc.Exit

	mu   sync.Mutex
	tail tail
}

var _ peer.Terminal = (*program)(nil)

func newProgram(n *native, inv *Invocation, most int) *program {
	if most <= 0 {
		most = defaultTail
	}
	return &program{n: n, inv: inv, ready: make(chan struct{}), read: make(chan struct{}), tail: tail{most: min(most, maxTail)}}
}

// start starts the program and what reads its output. It has a process group of its own, and ends by
// the stop ladder.
func (p *program) start(argv, env []string, dir string) error {
	defer close(p.ready)
	o := &p.n.p.opts
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		close(p.read)
		return err
	}
	defer nothing.Close()
	marker := job.Marker(a2a.NewID()) // by it, what leaves the process group is found; it opens nothing
	child, err := o.Host.Start(proc.Command{
		Argv: argv, Env: append(ownEnviron(o.Env, env), marker), Dir: dir, User: o.User, Marker: marker, Grace: o.CancelGrace, Stdin: nothing,
	})
	if err != nil {
		close(p.read)
		return err
	}
	p.child = child
	p.n.p.run(p)
	go p.follow()
	return nil
}

// follow reads what the program writes, until it has ended. Release waits for it.
func (p *program) follow() {
	defer close(p.read)
	take := func(chunk []byte) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.tail.add(chunk)
	}
	p.exit = p.child.Output(take, take)
	p.inv.exit, p.inv.exited = p.exit, true
	r := &result{outcome: Outcome{Case: Final}}
	if !p.exit.Success() {
		r = failed(p.exit.String())
	}
	p.n.ended(p.inv, r)
}

// ownEnviron returns the environment of a program of the agent's: the agent's own, with its variables, and
// never one that is the sidecar's or belongs to another process.
func ownEnviron(environ, more []string) []string {
	more = job.Inherit(more, nil)
	base := slices.DeleteFunc(job.Inherit(environ, nil), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(more, func(m string) bool { return strings.HasPrefix(m, name+"=") })
	})
	return append(base, more...)
}

// Output implements peer.Terminal. Secrets are taken out, as of what tools say.
func (p *program) Output() (string, bool) {
	p.mu.Lock()
	said, cut := p.tail.text()
	p.mu.Unlock()
	return p.n.p.clean(p.inv, said), cut
}

// Exited implements peer.Terminal. All of the output was read then.
func (p *program) Exited() <-chan struct{} { return p.read }

// Exit implements peer.Terminal.
func (p *program) Exit() (code int, signal string) {
	select {
	case <-p.read:
	default:
		return 0, ""
	}
	if p.exit.Signal != 0 {
		signal = strings.TrimPrefix(p.exit.String(), "killed by ")
	}
	return p.exit.Code, signal
}

// Kill implements peer.Terminal. It returns when the program has ended, with all that it started.
func (p *program) Kill() {
	<-p.ready
	if p.child != nil {
		p.child.Stop()
	}
	<-p.read
}

// Release implements peer.Terminal. It waits as Kill does.
func (p *program) Release() {
	p.Kill()
	p.n.p.ran(p)
	p.n.forget(p)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tail = tail{most: p.tail.most}
}
