package files

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Workers implements tool.FS. If a worker panics, Workers does when all have returned.
func (v *view) Workers(n int, work func(tool.FS)) {
	var all sync.WaitGroup
	var panicked atomic.Pointer[string]
	guarded := func(f tool.FS) {
		defer func() {
			if p := recover(); p != nil {
				said := fmt.Sprintf("%v\n%s", p, debug.Stack())
				panicked.CompareAndSwap(nil, &said)
			}
		}()
		work(f)
	}
	for range n {
		all.Go(func() {
			if v.fault != nil {
				guarded(v)
			} else if err := v.f.run(v.skipped, guarded); err != nil {
				guarded(&view{f: v.f, skipped: v.skipped, fault: err})
			}
		})
	}
	all.Wait()
	if said := panicked.Load(); said != nil {
		panic("a worker panicked: " + *said)
	}
}
