package sandbox

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Sandbox starts programs under one set of rules. It may be used by many goroutines. It holds
// at most one descriptor, which is closed when nothing refers to the Sandbox any more.
type Sandbox struct {
	*base
	more More
}

// base is what the sandboxes of one set of rules share.
type base struct {
	rules  Rules
	layers Layer
	sets   rulesets
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
	b.sets = rulesets{lock: landlockOf(abi), rules: &b.rules}
	if b.layers&Landlock != 0 {
		set, err := b.sets.take()
		if err != nil {
			return nil, err
		}
		b.sets.give(set)
	}
	return &Sandbox{base: b}, nil
}

// With returns a sandbox for one program that may use more. It opens nothing, and shares with s
// what takes time to make.
func (s *Sandbox) With(more More) *Sandbox { return &Sandbox{base: s.base, more: more} }

// Rules returns the rules that New was given.
func (s *Sandbox) Rules() Rules { return s.rules }

// Layers returns which layers are held.
func (s *Sandbox) Layers() Layer { return s.layers }

// Missing returns the roots that do not exist now, and so give nothing.
func (s *Sandbox) Missing() []string {
	if s.layers&Landlock == 0 {
		return nil
	}
	set, err := s.sets.take()
	if err != nil {
		return nil // the next start says it
	}
	defer s.sets.give(set)
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
	set, err := s.take()
	if err != nil {
		return nil, &LayerError{Landlock, err}
	}
	inner := *attr
	inner.Sys = &syscall.SysProcAttr{}
	if attr.Sys != nil {
		*inner.Sys = *attr.Sys
	}
	user := inner.Sys.Credential
	inner.Sys.Credential = nil
	var p *os.Process
	switch n := s.more.Namespace; {
	case n != nil && n.file == nil:
		p, err = s.startInside(n, set, user, path, argv, &inner)
	case s.rules.Limits != (Limits{}):
		p, err = s.startLimited(set, user, path, argv, &inner)
	default:
		p, err = s.start(set, user, func() (*os.Process, error) { return os.StartProcess(path, argv, &inner) })
	}
	s.put(set)
	return p, err
}

// start runs fork, which starts the process, on a thread that is in the sandbox.
func (s *Sandbox) start(set *ruleset, user *syscall.Credential, fork func() (*os.Process, error)) (p *os.Process, err error) {
	// What a library opened to be inherited is not for this program. A thread cannot mark it for itself
	// alone: in a table of its own, it would keep the descriptor by which Go knows the process. An
	// error means that the kernel is older than Linux 5.11; then only what Go opened is kept from it.
	_ = unix.CloseRange(3, 1<<32-1, unix.CLOSE_RANGE_CLOEXEC)
	onThrowawayThread(func() {
		if err = s.enter(set, user); err == nil {
			p, err = fork()
		}
	})
	return p, err
}

// take returns the ruleset for one start, nil without Landlock.
func (s *Sandbox) take() (*ruleset, error) {
	if s.layers&Landlock == 0 {
		return nil, nil
	}
	set, err := s.sets.take()
	if err != nil {
		return nil, err
	}
	if err := s.addMore(set); err != nil {
		set.close()
		return nil, err
	}
	return set, nil
}

// addMore adds what this program may use in addition.
func (s *Sandbox) addMore(set *ruleset) error {
	if err := set.allow(s.sets.lock, s.more.grants()); err != nil {
		return err
	}
	if !s.sets.lock.holdsConnect(s.rules.Net) {
		return nil
	}
	for _, port := range s.more.Connect {
		if err := allowConnect(set.file, port); err != nil {
			return err
		}
	}
	return nil
}

// put keeps a ruleset for the next start. One that was changed is of no more use: Prepare makes
// another.
func (s *Sandbox) put(set *ruleset) {
	switch {
	case set == nil:
	case s.more.isEmpty():
		s.sets.give(set)
	default:
		set.close()
	}
}

// Prepare makes what the next start needs, if there is none, so that this start need not: it takes
// about as long as a fork. It is for the time after a program has ended.
func (s *Sandbox) Prepare() {
	if s.layers&Landlock != 0 {
		s.sets.refill()
	}
}

// enter puts the calling thread into the sandbox.
func (s *Sandbox) enter(set *ruleset, user *syscall.Credential) error {
	if n := s.more.Namespace; n != nil {
		if err := n.join(); err != nil {
			return err
		}
	}
	h := s.hold()
	if set != nil {
		h.ruleset = set.file.Fd()
	}
	return h.take(user)
}

// hold is what holds a thread, and what it starts, for ever.
type hold struct {
	layers  Layer
	ruleset uintptr // a descriptor, with Landlock
	flags   uintptr // of Landlock
	code    []unix.SockFilter
}

// hold returns what the rules say, without the ruleset.
func (s *Sandbox) hold() hold {
	return hold{layers: s.layers, flags: s.sets.lock.flags, code: s.code}
}

// take puts the calling thread, which becomes a user, under the layers. The order is given: to
// become another user takes capabilities, and a filter may refuse what comes after it.
func (h *hold) take(user *syscall.Credential) error {
	if err := become(user); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &LayerError{h.layers, os.NewSyscallError("prctl", err)}
	}
	if h.layers&Landlock != 0 {
		if err := restrict(h.ruleset, h.flags); err != nil {
			return &LayerError{Landlock, err}
		}
	}
	if h.layers&Capabilities != 0 {
		if err := dropCapabilities(); err != nil {
			return &LayerError{Capabilities, err}
		}
	}
	if h.layers&Seccomp != 0 {
		if err := load(h.code); err != nil {
			return &LayerError{Seccomp, err}
		}
	}
	return nil
}

// become makes the calling thread, and no other, run as another user.
func become(user *syscall.Credential) error {
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
