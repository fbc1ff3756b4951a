package job

import (
	"context"
	"sync"
)

// watchers run functions when contexts end, and are waited for. They cost no
// goroutine until then. on and close are for one goroutine.
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

// close lets nothing begin any more and waits for what has begun.
func (w *watchers) close() {
	for _, forget := range w.forget {
		if forget() {
			w.running.Done()
		}
	}
	w.running.Wait()
}
