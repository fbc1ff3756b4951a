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
	"github.com/a2a-sidecar/sidecar/internal/linefile"
)

const (
	// threadsFile is the name of the file in the state directory that holds the set
	// of seen contexts: one id on each line, in the format of the platform.
	threadsFile = "seen-threads"
	// ownersFile is beside it. It has a line with an id, a space and a quoted
	// caller for each thread that a known caller has begun.
	ownersFile = "thread-owners"
)

// Files returns the names of all files that there may be in a state directory.
func Files() []string { return []string{threadsFile, ownersFile} }

// threads gives the arguments by which an agent keeps one conversation over many
// processes. It remembers which contexts the agent has begun, and for which caller;
// if there is a state directory, it does so over restarts too. Its methods may be
// called from many goroutines.
type threads struct {
	create, resume string
	name           func(contextID string) string // nil: the id is the name

	writing sync.Mutex     // held while a line is written: one at a time
	file    *linefile.File // nil: in memory only
	whose   *linefile.File

	mu    sync.Mutex
	seen  map[string]struct{}
	owner map[string]string // the owners of the threads that a known caller has begun
}

// openThreads reads the set. If there are no arguments to give, it does nothing.
func openThreads(dir, create, resume string) (t *threads, err error) {
	t = &threads{create: create, resume: resume, seen: map[string]struct{}{}, owner: map[string]string{}}
	if create == "" || dir == "" {
		return t, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the set of seen threads: %w", err)
	}
	t.file, err = linefile.Open(filepath.Join(dir, threadsFile), func(id string) { t.seen[id] = struct{}{} })
	if err != nil {
		return nil, fmt.Errorf("the set of seen threads: %w", err)
	}
	t.whose, err = linefile.Open(filepath.Join(dir, ownersFile), t.readOwner)
	if err != nil {
		return nil, fmt.Errorf("the owners of threads: %w", errors.Join(err, t.file.Close()))
	}
	if err := linefile.SyncDir(dir); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// readOwner takes a line of the owners' file. A line that was cut off says nothing:
// its thread then belongs to no known caller.
func (t *threads) readOwner(line string) {
	id, quoted, _ := strings.Cut(line, " ")
	if owner, err := strconv.Unquote(quoted); err == nil {
		t.owner[id] = owner
	}
}

// admits returns an error if a caller may not have the context's thread. Only the
// caller that has begun it may; if that caller was unknown, every unknown caller
// may. The error's text is that for a context of another caller's tasks.
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

// args returns the arguments that are appended to the agent's command for a
// caller's turn of the context, and whether they resume its conversation. The error is
// that of admits.
func (t *threads) args(caller, contextID string) (args []string, resumed bool, err error) {
	if t.create == "" {
		return nil, false, nil
	}
	if err := t.admits(caller, contextID); err != nil {
		return nil, false, err
	}
	t.mu.Lock()
	_, known := t.seen[contextID]
	t.mu.Unlock()
	if known {
		return t.naming(t.resume, contextID), true, nil
	}
	return t.begin(contextID), false, nil
}

// begin returns the arguments that begin the context's conversation.
func (t *threads) begin(contextID string) []string { return t.naming(t.create, contextID) }

// naming returns the arguments that give a flag the context's conversation.
func (t *threads) naming(flag, contextID string) []string {
	name := contextID
	if t.name != nil {
		name = t.name(contextID)
	}
	if strings.HasSuffix(flag, "=") {
		return []string{flag + name}
	}
	return []string{flag, name}
}

// add notes that the agent has begun the context's conversation for a caller. The
// note is on disk when add returns; after an error it is known only until the next
// start. Turns of one context come one at a time, so it is never added twice.
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
	if caller != "" && !owned { // the owner first: a thread is never there without its owner
		if err := t.whose.Add(contextID + " " + strconv.Quote(caller)); err != nil {
			return fmt.Errorf("the owners of threads: %w", err)
		}
	}
	if err := t.file.Add(contextID); err != nil {
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
