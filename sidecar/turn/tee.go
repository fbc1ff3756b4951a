package turn

import (
	"context"
	"os"
	"time"
)

// tee copies the agents' terminals to a file. While nobody reads the file, an agent
// waits, as it would without the sidecar. The methods of tee may be called from
// many goroutines.
type tee struct {
	file *os.File
	// turn holds one token. Its holder writes, so that a deadline cuts only one
	// write.
	turn chan struct{}
}

// newTee returns a tee to f, nil if f is nil.
func newTee(f *os.File) *tee {
	if f == nil {
		return nil
	}
	return &tee{file: f, turn: make(chan struct{}, 1)}
}

// write copies a chunk, or the part of it that the file takes before ctx ends. A
// file that does not support deadlines never blocks for long.
func (t *tee) write(ctx context.Context, chunk []byte) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-t.turn }()
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(expired)
		_ = t.file.SetWriteDeadline(time.Unix(1, 0))
	})
	_, _ = t.file.Write(chunk) // the agent goes on if nobody looks
	if !stop() {
		<-expired
		_ = t.file.SetWriteDeadline(time.Time{})
	}
}
