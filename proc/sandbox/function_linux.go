package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Threads runs functions of this process under one set of rules, each on a thread of its own. It may be used
// by many goroutines.
type Threads struct {
	set    *ruleset // nil: without Landlock
	flags  uintptr
	user   *syscall.Credential
	layers Layer
}

// NewThreads returns threads on which files can be used by the rules, and no TCP port. user, unless it
// is nil, is as whom the functions use them: with its groups, and without capabilities. What is
// at a root now counts; a root that does not exist gives nothing. Of the rules, Limits and Net
// do not count.
//
// Landlock is left out where the system lacks it: [Threads.Layers] tells. The error names the root that
// cannot be held. Close must follow.
func NewThreads(r Rules, user *syscall.Credential) (*Threads, error) {
	facts := Probe()
	t := &Threads{user: user, layers: (facts.Layers &^ r.Off) & Landlock}
	if user != nil {
		t.layers |= Capabilities
	}
	if t.layers&Landlock == 0 {
		return t, nil
	}
	abi := facts.ABI
	if r.ABI != 0 {
		abi = min(abi, r.ABI)
	}
	lock := landlockOf(abi)
	// Go sends signals between the threads of this process. The scopes of Landlock stop
	// these too, on some kernels.
	lock.scopes = 0
	r.Net = nil
	set, err := makeRuleset(lock, &r)
	if err != nil {
		return nil, &LayerError{Landlock, err}
	}
	t.set, t.flags = set, lock.flags
	return t, nil
}

// Layers returns what holds the functions: Landlock if it does, and Capabilities if they run as a user.
func (t *Threads) Layers() Layer { return t.layers }

// Run runs f on a thread that ends after it, and returns when f has returned. The thread is never the
// main one, and no other thread is restricted: goroutines that f starts run without the rules. A panic
// in f ends the process. The error says that the thread could not be put under the rules: f
// was not run then.
func (t *Threads) Run(f func()) (err error) {
	onThrowawayThread(func() {
		if err = t.enter(); err == nil {
			f()
		}
	})
	return err
}

// enter puts the calling thread under the rules. There is no filter of system calls: the thread is one
// of the Go runtime's.
func (t *Threads) enter() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return &LayerError{t.layers, os.NewSyscallError("prctl", err)}
	}
	if t.set != nil {
		if err := restrict(t.set.file.Fd(), t.flags); err != nil {
			return &LayerError{Landlock, err}
		}
	}
	if t.user == nil {
		return nil
	}
	if err := switchUser(t.user); err != nil {
		return &LayerError{Capabilities, err}
	}
	if err := dropCapabilities(); err != nil {
		return &LayerError{Capabilities, err}
	}
	return nil
}

// Close releases what the rules hold. Run must not be called after it.
func (t *Threads) Close() { t.set.close() }
