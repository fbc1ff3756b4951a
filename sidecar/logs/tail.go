package logs

import (
	"bytes"
	"io"
	"log/slog"
	"sync"
)

// Limit is how many bytes of lines a Tail keeps.
const Limit = 1 << 20

// Tail holds the last lines of a log. The zero value is ready to use. Its methods may be
// called from many goroutines.
type Tail struct {
	mu    sync.Mutex
	lines [][]byte // the oldest first; replaced, never changed
	bytes int
	first uint64        // the number of lines[0]
	more  chan struct{} // closed at the next line, nil while nobody waits
}

var _ io.Writer = (*Tail)(nil)

// Handler returns a handler that writes records of that level and above to the tail.
func (t *Tail) Handler(level slog.Leveler) slog.Handler {
	return slog.NewJSONHandler(t, &slog.HandlerOptions{Level: level})
}

// Write adds one line. Handlers of slog write one line at a time.
func (t *Tail) Write(p []byte) (int, error) {
	line := bytes.Clone(bytes.TrimRight(p, "\n"))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	t.bytes += len(line)
	for t.bytes > Limit && len(t.lines) > 1 {
		t.bytes -= len(t.lines[0])
		t.lines[0] = nil
		t.lines = t.lines[1:]
		t.first++
	}
	if t.more != nil {
		close(t.more)
		t.more = nil
	}
	return len(p), nil
}

// Last returns the number of the first of the last n lines, or of the first line that is
// kept if there are fewer than n or if n is negative. For 0 it returns the number of the
// next line to come.
func (t *Tail) Last(n int) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < 0 || n > len(t.lines) {
		n = len(t.lines)
	}
	return t.first + uint64(len(t.lines)-n)
}

// From returns the lines that are kept from number n on, which must not be changed, how
// many of them are not kept any more, and the number to continue with. The channel more is
// closed when there is another line.
func (t *Tail) From(n uint64) (lines [][]byte, missed, next uint64, more <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n < t.first {
		missed, n = t.first-n, t.first
	}
	next = t.first + uint64(len(t.lines))
	if n < next {
		lines = append(lines, t.lines[n-t.first:]...)
	}
	if t.more == nil {
		t.more = make(chan struct{})
	}
	return lines, missed, next, t.more
}
