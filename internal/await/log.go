package await

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// Log is a log that a test reads while others write it. The zero value is empty.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // closed at the next write, nil if nobody waits
}

// Logger returns a logger that writes text to the log.
func (l *Log) Logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return l.text.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Lines returns the lines that contain a text.
func (l *Log) Lines(text string) (found []string) {
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// Says waits until the log contains a text.
func (l *Log) Says(t testing.TB, text string) {
	t.Helper()
	tooLate := time.After(Patience)
	for {
		more := l.next()
		if strings.Contains(l.String(), text) {
			return
		}
		select {
		case <-more:
		case <-tooLate:
			t.Fatalf("the log never said %q:\n%s", text, l)
		}
	}
}

// next returns a channel that is closed when more is written.
func (l *Log) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more == nil {
		l.more = make(chan struct{})
	}
	return l.more
}
