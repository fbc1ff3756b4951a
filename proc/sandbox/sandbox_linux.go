package sandbox

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sandbox starts programs under one set of rules. It may be used by many goroutines. It holds
// nothing but what [Sandbox.Prepare] has made, and the control groups of processes until
// [Sandbox.Ended].
type Sandbox struct {
	*base
	more     More
	prepared *prepared
}

// base is what the sandboxes of one set of rules share.
type base struct {
	rules  Rules
	layers Layer
	lock   landlock
	code   []unix.SockFilter
	groups groups
}

// New checks the rules by opening every root. A layer that this system does not have is left
// out: [Sandbox.Layers] tells which are held, and [Probe] why the others are not. A root that
// does not exist gives nothing until it exists. The error names the root that cannot be held, or
// says that there are limits without a shim.
func New(r Rules) (*Sandbox, error) {
	if r.Limits != (Limits{}) && r.Shim == "" {
		return nil, errNoShim
	}
	facts := Probe()
	b := &base{rules: r, layers: facts.Layers &^ r.Off}
	abi := facts.ABI
	if r.ABI != 0 {
		abi = min(abi, r.ABI)
	}
	if b.layers&Landlock == 0 {
		abi = 0
	}
	b.code = filter(r.Net, abi)
	b.lock = landlockOf(abi)
	s := &Sandbox{base: b, prepared: &prepared{}}
	set, err := s.ruleset()
	if err != nil {
		return nil, err
	}
	set.close()
	return s, nil
}

// With returns a sandbox for one program that may use more. It opens nothing, and shares with s
// what takes time to make.
func (s *Sandbox) With(more More) *Sandbox {
	return &Sandbox{base: s.base, more: more, prepared: &prepared{}}
}

// Moved returns s for when what With gave it has got other names, which more has. What was prepared
// is of use still, and is that of both.
func (s *Sandbox) Moved(more More) *Sandbox {
	return &Sandbox{base: s.base, more: more, prepared: s.prepared}
}

// Rules returns the rules that New was given.
func (s *Sandbox) Rules() Rules { return s.rules }

// Layers returns which layers are held.
func (s *Sandbox) Layers() Layer { return s.layers }

// Missing returns the roots that do not exist now, and so give nothing.
func (s *Sandbox) Missing() []string {
	set, err := s.ruleset()
	if err != nil || set == nil {
		return nil // the next start says it
	}
	defer set.close()
	return set.missing()
}

// Start is os.StartProcess for a sandboxed process. It fails if the process cannot be put under
// a layer that [Sandbox.Layers] returns: a [*LayerError]. If attr has a Credential, the process
// gets it before the capabilities are dropped. attr may ask neither for namespaces nor for a
// control group, nor for a signal at the parent's end: the process's parent thread ends at once.
//
// The process gets the descriptors of attr.Files and no others. Unless a shim starts it, Start for
// that marks all descriptors of the caller's process from 3 on to be closed in new programs
// (FD_CLOEXEC): what is to be inherited by a process that is started otherwise must be passed to it.
func (s *Sandbox) Start(path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	inner := *attr
	inner.Sys = &syscall.SysProcAttr{}
	if attr.Sys != nil {
		*inner.Sys = *attr.Sys
	}
	user := inner.Sys.Credential
	inner.Sys.Credential = nil
	fork := func() (*os.Process, error) { return os.StartProcess(path, argv, &inner) }
	if t := s.prepared.take(); t != nil {
		return s.startOn(t, user, fork)
	}
	set, err := s.ruleset()
	if err != nil {
		return nil, &LayerError{Landlock, err}
	}
	defer set.close()
	switch n := s.more.Namespace; {
	case n != nil && n.file == nil:
		return s.startInside(n, set, user, path, argv, &inner)
	case s.rules.Limits != (Limits{}):
		return s.startLimited(set, user, path, argv, &inner)
	}
	return s.start(set, user, fork)
}

// startOn runs fork, which starts the process, on a thread that is in the sandbox.
func (s *Sandbox) startOn(t *waitingThread, user *syscall.Credential, fork func() (*os.Process, error)) (p *os.Process, err error) {
	closeOnExec()
	h := s.hold()
	t.run(func() {
		if err = h.become(user); err == nil {
			p, err = fork()
		}
	})
	return p, err
}

// start is startOn for a thread that is made now.
func (s *Sandbox) start(set *ruleset, user *syscall.Credential, fork func() (*os.Process, error)) (p *os.Process, err error) {
	closeOnExec()
	onThrowawayThread(func() {
		if err = s.enter(set, user); err == nil {
			p, err = fork()
		}
	})
	return p, err
}

// closeOnExec marks all descriptors: what a library opened to be inherited is not for the program. A
// thread cannot mark them for itself alone: in a table of its own, it would keep the descriptor by
// which Go knows the process. An error means that the kernel is older than Linux 5.11; then only
// what Go opened is kept from the program.
func closeOnExec() { _ = unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC) }

// ruleset makes the ruleset of one start, nil without Landlock, of what is at the roots now. The caller
// closes it.
func (s *Sandbox) ruleset() (*ruleset, error) {
	if s.layers&Landlock == 0 {
		return nil, nil
	}
	set, err := makeRuleset(s.lock, &s.rules)
	if err != nil {
		return nil, err
	}
	if err := s.addMore(set); err != nil {
		set.close()
		return nil, err
	}
	return set, nil
}

// addMore adds what this program may use in addition. Whether something else comes to be at its
// roots is not looked at: they are the caller's own.
func (s *Sandbox) addMore(set *ruleset) error {
	seen := set.seen
	if err := set.allow(s.lock, s.more.grants()); err != nil {
		return err
	}
	set.seen = seen
	if !s.lock.holdsConnect(s.rules.Net) {
		return nil
	}
	for _, port := range s.more.Connect {
		if err := allowConnect(set.file, port); err != nil {
			return err
		}
	}
	return nil
}

// enter puts the calling thread into the sandbox.
func (s *Sandbox) enter(set *ruleset, user *syscall.Credential) error {
	if n := s.more.Namespace; n != nil {
		if err := n.join(); err != nil {
			return err
		}
	}
	h := s.holdBy(set)
	return h.take(user)
}

// hold is what holds a thread, and what it starts, for ever.
type hold struct {
	layers  Layer
	ruleset uintptr // a descriptor, with Landlock
	flags   uintptr // of Landlock
	code    []unix.SockFilter
	starts  bool // the thread starts the program, and does not become it
}

// hold returns what the rules say, without the ruleset.
func (s *Sandbox) hold() hold {
	return hold{layers: s.layers, flags: s.lock.flags, code: s.code}
}

// holdBy is hold for a thread that starts the program, with a ruleset, which may be nil.
func (s *Sandbox) holdBy(set *ruleset) hold {
	h := s.hold()
	h.starts = true
	if set != nil {
		h.ruleset = set.file.Fd()
	}
	return h
}

// take puts the calling thread, which becomes a user, under the layers.
func (h *hold) take(user *syscall.Credential) error {
	if err := h.prepare(); err != nil {
		return err
	}
	return h.become(user)
}

// prepare puts the calling thread under the layers that leave it what become needs.
func (h *hold) prepare() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &LayerError{h.layers, os.NewSyscallError("prctl", err)}
	}
	if h.layers&Landlock != 0 {
		if err := restrict(h.ruleset, h.flags); err != nil {
			return &LayerError{Landlock, err}
		}
	}
	if h.layers&Seccomp != 0 {
		code := h.code
		if h.starts {
			code = forStarter(code, unix.Gettid())
		}
		if err := load(code); err != nil {
			return &LayerError{Seccomp, err}
		}
	}
	return nil
}

// become makes the calling thread, which is prepared, run as a user, and takes its capabilities:
// to become another user takes some.
func (h *hold) become(user *syscall.Credential) error {
	if err := switchUser(user); err != nil {
		return err
	}
	if h.layers&Capabilities == 0 {
		return nil
	}
	if err := dropCapabilities(); err != nil {
		return &LayerError{Capabilities, err}
	}
	return nil
}

// switchUser makes the calling thread, and no other, run as another user.
func switchUser(user *syscall.Credential) error {
	if user == nil {
		return nil
	}
	if !user.NoSetGroups {
		if err := setGroups(user.Groups); err != nil {
			return err
		}
	}
	gid, uid := uintptr(user.Gid), uintptr(user.Uid)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, gid, gid, gid); errno != 0 {
		return os.NewSyscallError("setresgid", errno)
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, uid, uid, uid); errno != 0 {
		return os.NewSyscallError("setresuid", errno)
	}
	return nil
}

func setGroups(groups []uint32) error {
	var first unsafe.Pointer
	if len(groups) > 0 {
		first = unsafe.Pointer(&groups[0])
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(first), 0)
	if errno != 0 {
		return os.NewSyscallError("setgroups", errno)
	}
	return nil
}
