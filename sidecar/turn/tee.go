package turn

import (
	"context"
	"os"
	"time"
)

// tee copies the agents' terminals to a file. An agent waits while nobody reads
// there, as it would without us. Its methods may be called from many
// goroutines.
type tee struct {
	file *os.File
	// turn holds one token: who has it writes, so that a deadline cuts one
	// write only.
	turn chan struct{}
}

// newTee copies to f, nil for nowhere.
func newTee(f *os.File) *tee {
	if f == nil {
		return nil
	}
	return &tee{file: f, turn: make(chan struct{}, 1)}
}

// write copies a chunk, or what of it is taken before ctx ends. A file that
// knows no deadlines never waits long.
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
	_, _ = t.file.Write(chunk) // the agent goes on when nobody is there to look
	if !stop() {
		<-expired
		_ = t.file.SetWriteDeadline(time.Time{})
	}
}
