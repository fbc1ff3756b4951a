package proc

import (
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/a2a-sidecar/sidecar/proc/reaper"
	"github.com/a2a-sidecar/sidecar/proc/tree"
)

// HostOptions configure a Host. The zero value is what the product uses.
type HostOptions struct {
	// Log receives warnings; nil discards them.
	Log *slog.Logger
	// NoReaper makes the Host leave orphans alone. It is for programs that also start processes
	// by other means (os/exec); the reaper would take the exit statuses of those processes.
	NoReaper bool
}

// Host starts processes and is their parent. A program usually has one; several share one
// reaper. Its methods may be called from many goroutines.
type Host struct {
	log     *slog.Logger
	reaper  *reaper.Reaper
	trees   tree.Starter
	ignore  chan os.Signal
	buffers sync.Pool // of *[readSmall]byte

	mu       sync.Mutex
	closed   bool
	children map[*Child]struct{}
	waiters  sync.WaitGroup
}

// errHostClosed is the cause when Start is called after Close.
var errHostClosed = errors.New("the host is closed")

// NewHost prepares this process to be a parent. It marks inherited files above 2 close-on-exec,
// so that no child inherits them in turn. On Linux it makes this process a subreaper, unless it
// is PID 1, and reaps the orphans that come.
func NewHost(o HostOptions) *Host {
	h := &Host{log: o.Log, reaper: reaper.Shared(), children: make(map[*Child]struct{})}
	h.buffers.New = func() any { return new([readSmall]byte) }
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.trees = tree.Starter{Log: h.log, Reaps: !o.NoReaper}
	if err := closeInheritedOnExec(); err != nil {
		h.log.Warn("inherited files may leak into children", "error", err)
	}
	h.takeIgnoredSignals()
	if h.trees.Reaps {
		if err := h.reaper.Join(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			h.log.Warn("cannot become a subreaper; orphans go to init", "error", err)
		}
	}
	return h
}

// ignoredSignals returns which of SIGINT and SIGHUP were ignored when this process was started.
// After a host has taken over a signal, it no longer looks ignored to the next host, so the
// first host asks for all hosts.
var ignoredSignals = sync.OnceValue(func() (ignored []os.Signal) {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if signal.Ignored(s) {
			ignored = append(ignored, s)
		}
	}
	return ignored
})

// takeIgnoredSignals makes sure that children can be interrupted and hung up. An exec keeps an
// ignored signal ignored (nohup; a shell's "&"), but resets a signal that has a handler to its
// default. For us a handler that drops the signal has the same effect as ignoring it. Go itself
// does this for all other signals except the stop signals.
func (h *Host) takeIgnoredSignals() {
	h.ignore = make(chan os.Signal, 1)
	if ignored := ignoredSignals(); len(ignored) > 0 { // Notify without signals would mean all
		signal.Notify(h.ignore, ignored...)
	}
}

// Close kills every child that still runs and everything it started, waits for all goroutines
// of this host and stops reaping. After Close, Start fails. The last reaping host of a program
// also kills what ended children left running, as far as these processes became our children.
func (h *Host) Close() {
	h.mu.Lock()
	first := !h.closed
	h.closed = true
	left := make([]*Child, 0, len(h.children))
	for c := range h.children {
		left = append(left, c)
	}
	h.mu.Unlock()
	var kills sync.WaitGroup
	for _, c := range left {
		kills.Go(func() { c.Kill(); c.closeFiles() })
	}
	kills.Wait()
	h.waiters.Wait()
	if !first {
		return
	}
	signal.Stop(h.ignore)
	h.trees.Close()
	if h.trees.Reaps {
		if n := h.reaper.Leave(); n > 0 {
			h.log.Info("processes that were left in the background are ended", "processes", n)
		}
	}
}

// add registers a new child and starts its waiter. It reports false if the host was closed
// meanwhile.
func (h *Host) add(c *Child) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.children[c] = struct{}{}
	h.waiters.Go(c.wait)
	return true
}

// Running returns how many children have not ended.
func (h *Host) Running() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.children)
}

func (h *Host) remove(c *Child) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.children, c)
}

func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}
