package oneshot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const (
	// threadsFile is the name of the set of seen contexts in the state directory:
	// one id a line, the platform's format.
	threadsFile = "seen-threads"
	// ownersFile is beside it: a line of an id, a space and a quoted caller for
	// each thread that a known caller has begun.
	ownersFile = "thread-owners"
)

// threads gives the arguments by which an agent keeps one conversation over
// many processes, and remembers which contexts it has begun, and for whom, over
// restarts too when there is a state directory. Its methods may be called from
// many goroutines.
type threads struct {
	create, resume string

	writing sync.Mutex // lines go into the files one at a time
	file    *lineFile  // nil: in memory only
	whose   *lineFile

	mu    sync.Mutex
	seen  map[string]struct{}
	owner map[string]string // of those that a known caller has begun
}

// openThreads reads the set. Without arguments to give it does nothing.
func openThreads(dir, create, resume string) (t *threads, err error) {
	t = &threads{create: create, resume: resume, seen: map[string]struct{}{}, owner: map[string]string{}}
	if create == "" || dir == "" {
		return t, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the set of seen threads: %w", err)
	}
	t.file, err = openLineFile(filepath.Join(dir, threadsFile), func(id string) { t.seen[id] = struct{}{} })
	if err != nil {
		return nil, fmt.Errorf("the set of seen threads: %w", err)
	}
	t.whose, err = openLineFile(filepath.Join(dir, ownersFile), t.readOwner)
	if err != nil {
		return nil, fmt.Errorf("the owners of threads: %w", errors.Join(err, t.file.Close()))
	}
	if err := syncDir(dir); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// readOwner takes a line of the owners' file. One that was cut off says nothing:
// its thread is then no known caller's.
func (t *threads) readOwner(line string) {
	id, quoted, _ := strings.Cut(line, " ")
	if owner, err := strconv.Unquote(quoted); err == nil {
		t.owner[id] = owner
	}
}

// admits says whether a caller may have the context's thread: only the caller that
// has begun it, and if callers are not known, everybody that is not known either. The
// text is the one for a context of another caller's tasks.
func (t *threads) admits(caller, contextID string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, known := t.seen[contextID]
	owner, owned := t.owner[contextID]
	if (known || owned) && owner != caller {
		return a2a.ErrInvalidParams.With("contextId is not available: leave it out, or send another")
	}
	return nil
}

// args are appended to the agent's command for a caller's turn of the context.
// The error is that of admits.
func (t *threads) args(caller, contextID string) ([]string, error) {
	if t.create == "" {
		return nil, nil
	}
	if err := t.admits(caller, contextID); err != nil {
		return nil, err
	}
	t.mu.Lock()
	_, known := t.seen[contextID]
	t.mu.Unlock()
	flag := t.create
	if known {
		flag = t.resume
	}
	if strings.HasSuffix(flag, "=") {
		return []string{flag + contextID}, nil
	}
	return []string{flag, contextID}, nil
}

// add notes that the agent has begun the context's conversation for a caller.
// It is on disk when add returns; on an error it is known until the next start
// only. Turns of one context come one at a time, so it is never added twice.
func (t *threads) add(caller, contextID string) error {
	if t.create == "" {
		return nil
	}
	t.mu.Lock()
	_, known := t.seen[contextID]
	_, owned := t.owner[contextID]
	t.seen[contextID] = struct{}{}
	if caller != "" {
		t.owner[contextID] = caller
	}
	t.mu.Unlock()
	if known || t.file == nil {
		return nil
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if caller != "" && !owned { // first: a thread is never there without its owner
		if err := t.whose.add(contextID + " " + strconv.Quote(caller)); err != nil {
			return fmt.Errorf("the owners of threads: %w", err)
		}
	}
	if err := t.file.add(contextID); err != nil {
		return fmt.Errorf("the set of seen threads: %w", err)
	}
	return nil
}

func (t *threads) Close() error {
	if t.file == nil {
		return nil
	}
	return errors.Join(t.file.Close(), t.whose.Close())
}
