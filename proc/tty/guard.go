package tty

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// GuardName is the name, as argument 0, under which Guard starts a program that calls RunGuard.
// It differs from the program's own name, so that killing the program by name does not kill the
// guard too.
const GuardName = "terminal-guard"

// guardTime bounds how long the guard may take to end.
const guardTime = 250 * time.Millisecond

// The bytes that the guard is sent after the terminal's line settings.
const (
	guardAlternate = '+' // the alternate screen is on
	guardMain      = '-'
	guardLeave     = '.' // the terminal is as it was; the guard has nothing to do
)

// guard is the process that gives a terminal back when we are killed and can no longer do it.
// It waits on a pipe whose other end is closed when we die. It has a session of its own, so no
// key, hang-up or signal to our group reaches it, and no shell takes it for a job.
type guard struct {
	pipe    *os.File
	process *os.Process
	release func()
	done    sync.WaitGroup // done when the process was waited for
}

// startGuard starts program, whose main function must call RunGuard, for a terminal with these
// line settings.
func startGuard(program string, in, out *os.File, saved *unix.Termios) (*guard, error) {
	files, err := guardFiles(in, out)
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	g := &guard{pipe: ours}
	g.tell(settingsBytes(saved))
	g.release, err = reaper.Register(func() (int, error) {
		g.process, err = os.StartProcess(program, []string{GuardName, fmt.Sprint("of process ", os.Getpid())}, &os.ProcAttr{
			Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: append([]*os.File{theirs}, files...), Sys: &syscall.SysProcAttr{Setsid: true},
		})
		if err != nil {
			return 0, err
		}
		return g.process.Pid, nil
	})
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start the terminal's guard: %w", err)
	}
	g.done.Go(func() {
		_, _ = g.process.Wait()
		g.release()
	})
	return g, nil
}

// guardFiles opens the terminal for the guard alone: one file to write, one to read.
func guardFiles(in, out *os.File) ([]*os.File, error) {
	w, err := openAgain(out, os.O_WRONLY|syscall.O_NOCTTY)
	if err != nil {
		return nil, err
	}
	r, err := openAgain(in, os.O_RDONLY|syscall.O_NOCTTY)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return []*os.File{w, r}, nil
}

// tell sends bytes to the guard. It never waits for a guard that does not read.
func (g *guard) tell(b []byte) {
	_ = proc.Control(g.pipe, func(fd int) error {
		_, err := unix.Write(fd, b)
		return err
	})
}

// alternate tells the guard which screen is on.
func (g *guard) alternate(on bool) {
	if g == nil {
		return
	}
	if on {
		g.tell([]byte{guardAlternate})
	} else {
		g.tell([]byte{guardMain})
	}
}

// leave ends the guard, and waits for it.
func (g *guard) leave() {
	if g == nil {
		return
	}
	g.tell([]byte{guardLeave})
	_ = g.pipe.Close()
	late := time.AfterFunc(guardTime, func() { _ = g.process.Kill() })
	defer late.Stop()
	g.done.Wait()
}

// settingsBytes returns line settings as bytes in memory order, which the guard, the same
// program, can read back.
func settingsBytes(t *unix.Termios) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(t)), unsafe.Sizeof(*t))
}
