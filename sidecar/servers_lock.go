package sidecar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/lockfile"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

// locks judge the definitions of MCP servers by the lock file, which need not be there.
type locks struct {
	path  string
	mode  string // one of config's Unlocked constants
	trust func(string) error
	log   *slog.Logger
	poke  chan struct{}

	mu      sync.Mutex
	current *lockfile.Lock  // nil: there is no file
	last    error           // why the file that is there now is not in force
	told    map[string]bool // what was warned of
}

// openLocks reads the lock file.
func openLocks(path, mode string, trust func(string) error, log *slog.Logger) (*locks, error) {
	l := &locks{path: path, mode: mode, trust: trust, log: log, poke: make(chan struct{}, 1), told: map[string]bool{}}
	lock, err := l.read()
	l.current = lock
	return l, err
}

// read reads the file: nil if there is none.
func (l *locks) read() (*lockfile.Lock, error) {
	lock, err := lockfile.Read(l.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := l.trust(l.path); err != nil {
		return nil, fmt.Errorf("the lock of MCP servers, %s, is not believed: %w", l.path, err)
	}
	return lock, nil
}

// lockDebounce is how long the lock file must be left alone before it is read.
const lockDebounce = 10 * time.Millisecond

// run follows the file until ctx ends, and calls changed when it says something else.
func (l *locks) run(ctx context.Context, changed func()) {
	r := follow.Reader{Options: follow.Options{Debounce: lockDebounce, Log: l.log}, Now: l.poke, Look: func(sure bool) bool {
		lock, err := l.read()
		switch {
		case err == nil:
			if l.take(lock) {
				changed()
			}
		case sure:
			l.refuse(err)
		}
		return sure || err == nil
	}}
	r.Run(ctx, l.path)
}

// take puts a lock into force. It reports whether it differs from the one before.
func (l *locks) take(lock *lockfile.Lock) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	same := (lock == nil) == (l.current == nil) && (lock == nil || len(lockfile.Compare(l.current, lock)) == 0)
	l.current, l.last = lock, nil
	if !same {
		clear(l.told)
	}
	return !same
}

// refuse keeps the lock in force whose file is bad.
func (l *locks) refuse(err error) {
	l.mu.Lock()
	again := l.last != nil && l.last.Error() == err.Error()
	l.last = err
	l.mu.Unlock()
	if !again {
		l.log.Error("the lock of MCP servers is bad; the one before it stays", "error", err)
	}
}

// Last returns why the file is not in force, nil if it is.
func (l *locks) Last() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// begin returns the lock in force, and warns of the servers that it does not have.
func (l *locks) begin(all []serverfile.Server) *lockfile.Lock {
	l.mu.Lock()
	lock := l.current
	l.mu.Unlock()
	var unverified []string
	for _, one := range all {
		if _, ok := lock.Server(one.Slug); !ok && !one.Disabled && l.mode == config.UnlockedWarn && l.once(one.Slug) {
			unverified = append(unverified, one.Slug)
		}
	}
	if len(unverified) > 0 {
		l.log.Warn("MCP servers are unverified: no definition of their tools is locked; look at them and run sidecar mcp lock",
			"servers", strings.Join(unverified, ", "), "lock", l.path)
	}
	return lock
}

// once reports whether something is to be told for the first time.
func (l *locks) once(what string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.told[what]
	l.told[what] = true
	return !was
}

// verify returns the judge of one server's definitions.
func (l *locks) verify(slug string, lock *lockfile.Lock) func(native, hash string) error {
	server, has := lock.Server(slug)
	return func(native, hash string) error {
		locked, known := server.Tools[native]
		switch {
		case locked == hash && known:
			return nil
		case l.mode == config.UnlockedRefuse && !known:
			return errors.New("it is not in the lock file, and --mcp-unlocked refuse leaves it out: look at it, and run sidecar mcp lock")
		case l.mode == config.UnlockedRefuse:
			return errors.New("its definition differs from the one in the lock file, and --mcp-unlocked refuse leaves it out: look at it, and run sidecar mcp lock")
		case known:
			if l.mode == config.UnlockedWarn && l.once(slug+"\x00"+native+"\x00"+hash) {
				l.log.Error("the definition of an MCP server's tool is not the one that was locked: do not let it be called before you have looked at it; then run sidecar mcp lock",
					"server", slug, "tool", slug+"."+nativeShown(native), "lock", l.path)
			}
			return fmt.Errorf("%w: its definition differs from the one in the lock file", client.ErrUnverified)
		case !has || l.mode == config.UnlockedAllow: // begin has told of the server as a whole
			return nil
		}
		return fmt.Errorf("%w: it is not in the lock file", client.ErrUnverified)
	}
}

// complain logs why a file could not be put into force.
func (l *locks) complain(err error) {
	if err != nil {
		l.log.Error("the MCP servers could not be changed", "error", err)
	}
}
