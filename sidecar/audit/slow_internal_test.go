package audit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A disk that takes nothing holds a call up for five seconds: on its way into the queue,
// and in it.
func TestSlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, strict := range []bool{false, true} {
			l := &Log{w: &writer{o: Options{Strict: strict}}, in: make(chan *entry, 1), ended: make(chan struct{})} // nobody writes
			for i, where := range []string{"in the queue", "before a full queue"} {
				began := time.Now()
				err := l.Before(t.Context(), &Record{Event: EventBefore})
				if took := time.Since(began); took != 5*time.Second || errors.Is(err, errSlow) != strict {
					t.Errorf("%s, strict %v: %v after %s", where, strict, err, took)
				}
				if n := l.Stats().Lost; n != uint64(i) {
					t.Errorf("%s: %d lost", where, n)
				}
			}
			stopped := errors.New("stopped")
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(stopped)
			if err := l.Before(ctx, &Record{}); errors.Is(err, stopped) != strict {
				t.Errorf("a call that was stopped, strict %v: %v", strict, err)
			}
		}
	})
}
