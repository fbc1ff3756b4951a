package turn

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// threadsFile is the name of the set of seen contexts in the state directory.
const threadsFile = "seen-threads"

// threads gives the arguments by which an agent keeps one conversation over
// many processes, and remembers which contexts it has begun, over restarts too
// when there is a state directory. Its methods may be called from many
// goroutines.
type threads struct {
	create, resume string
	file           *os.File // nil: in memory only

	mu   sync.Mutex
	seen map[string]struct{}
}

// openThreads reads the set. Without arguments to give it does nothing.
func openThreads(dir, create, resume string) (*threads, error) {
	t := &threads{create: create, resume: resume, seen: map[string]struct{}{}}
	if create == "" || dir == "" {
		return t, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the set of seen threads: %w", err)
	}
	path := filepath.Join(dir, threadsFile)
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the set of seen threads: %w", err)
	}
	if t.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("the set of seen threads: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if id := strings.TrimSpace(lines.Text()); id != "" {
			t.seen[id] = struct{}{}
		}
	}
	if n := len(data); n > 0 && data[n-1] != '\n' {
		_, err = t.file.WriteString("\n") // the last write was cut off
	}
	return t, errors.Join(err, syncDir(dir))
}

// args are appended to the agent's command for a turn of the context.
func (t *threads) args(contextID string) []string {
	if t.create == "" {
		return nil
	}
	t.mu.Lock()
	_, known := t.seen[contextID]
	t.mu.Unlock()
	flag := t.create
	if known {
		flag = t.resume
	}
	if strings.HasSuffix(flag, "=") {
		return []string{flag + contextID}
	}
	return []string{flag, contextID}
}

// add notes that the agent has begun the context's conversation. It is on disk
// when add returns; on an error it is known until the next start only. Turns of
// one context come one at a time, so it is never added twice.
func (t *threads) add(contextID string) error {
	if t.create == "" {
		return nil
	}
	t.mu.Lock()
	_, known := t.seen[contextID]
	t.seen[contextID] = struct{}{}
	t.mu.Unlock()
	if known || t.file == nil {
		return nil
	}
	if _, err := t.file.WriteString(contextID + "\n"); err != nil {
		return fmt.Errorf("the set of seen threads: %w", err)
	}
	return t.file.Sync()
}

func (t *threads) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// syncDir makes a new entry of a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
