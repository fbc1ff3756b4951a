package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// A program of ours that is not root cannot enter a user namespace, because it has threads. So
// the process is started in a new one, with a network namespace that belongs to it, and there
// first runs the shim (RunShim): it makes the listener and sends it here, is told the rules, puts
// itself under them and becomes the program.

// startInside is start for a namespace that is made now.
func (s *Sandbox) startInside(n *Namespace, set *ruleset, user *syscall.Credential, path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	if user != nil {
		return nil, errors.New("sandbox: only root has network namespaces for another user")
	}
	sh, err := startShim(n.shim, shimInside, path, argv, attr, set.files()...)
	if err != nil {
		return nil, err
	}
	defer sh.conn.Close()
	l, err := sh.listener()
	if err == nil {
		err = n.arrival.deliver(l)
	}
	if err == nil {
		err = sh.become(path, &order{hold: s.hold(), limits: s.rules.Limits.inside()})
	}
	if err != nil {
		return nil, errors.Join(err, end(sh.process))
	}
	return sh.process, nil
}

// listener waits for the listener in the namespace.
func (s *shim) listener() (net.Listener, error) {
	rights, err := s.greeting()
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	if len(messages) == 0 {
		return nil, errors.New("sandbox: the shim sends no listener")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fds[0])
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close()
	return net.FileListener(f)
}

// probeInside says why no network namespace can be made in a user namespace, nil if one can.
func probeInside(program string) error {
	var sh *shim
	release, err := reaper.Register(func() (_ int, err error) {
		if sh, err = startShim(program, shimInside, "", nil, &os.ProcAttr{Dir: "/", Env: []string{}}); err != nil {
			return 0, err
		}
		return sh.process.Pid, nil
	})
	if err != nil {
		return explainInside(err)
	}
	defer release()
	l, err := sh.listener()
	if err == nil {
		err = l.Close()
	}
	_ = sh.conn.Close() // which ends the shim
	if err != nil {
		return errors.Join(explainInside(err), end(sh.process))
	}
	_, err = sh.process.Wait()
	return err
}

// explainInside adds what the administrator can change.
func explainInside(err error) error {
	for _, knob := range []struct{ file, closed, name string }{
		{"kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone is 0"},
		{"user/max_user_namespaces", "0", "user.max_user_namespaces is 0"},
		{"kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)"},
	} {
		if value, _ := os.ReadFile("/proc/sys/" + knob.file); strings.TrimSpace(string(value)) == knob.closed {
			return fmt.Errorf("%s: %w", knob.name, err)
		}
	}
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("the container or the system refuses them: %w", err)
	}
	return err
}
