package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// startLimited is start for a program with limits. They are of a process, so no thread of ours can
// take them for it in advance: the shim takes them, as the last thing before it becomes the program,
// when it is in the sandbox already.
func (s *Sandbox) startLimited(set *ruleset, user *syscall.Credential, path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	uid := os.Geteuid()
	if user != nil {
		uid = int(user.Uid)
	}
	limits, g, err := s.rules.Limits.of(uid)
	if err != nil {
		return nil, fmt.Errorf("sandbox: limits: %w", err)
	}
	o := &order{hold: s.hold(), user: user, entered: user != nil && attr.Dir != "", limits: limits, counted: g != nil}
	p, err := s.startHere(o, append(set.files(), g.files()...), path, argv, attr)
	if err != nil {
		g.remove()
		return nil, err
	}
	s.groups.add(p, g)
	return p, nil
}

// startHere starts the shim, in the network namespace if there is one, and has it follow an order.
// It starts as our own user, who can execute it.
func (s *Sandbox) startHere(o *order, files []*os.File, path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	var sh *shim
	var err error
	fork := func() { sh, err = startShim(s.rules.Shim, shimHere, path, argv, attr, files...) }
	if n := s.more.Namespace; n == nil {
		fork()
	} else {
		onThrowawayThread(func() {
			if err = n.join(); err == nil {
				fork()
			}
		})
	}
	if err != nil {
		return nil, err
	}
	defer sh.conn.Close()
	if _, err = sh.greeting(); err == nil {
		err = sh.become(path, o)
	}
	if err != nil {
		return nil, errors.Join(err, end(sh.process))
	}
	return sh.process, nil
}
