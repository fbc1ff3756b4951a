package job

import (
	"context"
	"sync"
)

// watchers run functions when contexts end, and can be waited for. Until then they
// cost no goroutine. Only one goroutine may call on and close.
type watchers struct {
	running sync.WaitGroup
	forget  []func() bool
}

// on runs f in a goroutine of its own once ctx has ended.
func (w *watchers) on(ctx context.Context, f func()) {
	w.running.Add(1)
	w.forget = append(w.forget, context.AfterFunc(ctx, func() {
		defer w.running.Done()
		f()
	}))
}

// close lets no further function start, and waits for those that have started.
func (w *watchers) close() {
	for _, forget := range w.forget {
		if forget() {
			w.running.Done()
		}
	}
	w.running.Wait()
}
