package sidecar

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// memoryPeriod is how often it is looked for memory that nobody needs.
	memoryPeriod = 5 * time.Second
	// memoryWorth is how much there must be of it: giving it back takes a
	// collection.
	memoryWorth = 32 << 20
)

// memoryUse is what the runtime says of the heap, in bytes.
type memoryUse struct {
	free      uint64 // held, and not in use
	objects   uint64 // in use, garbage included
	live      uint64 // in use at the last collection
	allocated uint64 // so far, in all
}

func readMemoryUse() memoryUse {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/allocs:bytes"},
	}
	metrics.Read(s)
	return memoryUse{s[0].Value.Uint64(), s[1].Value.Uint64(), s[2].Value.Uint64(), s[3].Value.Uint64()}
}

// idle returns how much memory a collection could give back to the system: what
// is free, and what may be garbage. It is 0 when that is not worth a collection,
// or is soon wanted again, by what was allocated since before.
//
// The runtime keeps what one peak needed for as long as nothing is allocated: it
// collects every two minutes then, and gives back what is above twice the heap of
// the time.
func (m memoryUse) idle(before memoryUse) uint64 {
	most := m.free
	if m.objects > m.live {
		most += m.objects - m.live
	}
	if most < memoryWorth || m.allocated-before.allocated > most/4 {
		return 0
	}
	return most
}

// memory is the goroutine that gives memory back.
type memory struct {
	stop context.CancelFunc
	done chan struct{}
}

func (s *sidecar) openMemory(ctx context.Context) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.memory = &memory{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.memory.done)
		giveBack(ctx)
	}()
	return nil
}

func (s *sidecar) closeMemory(context.Context) error {
	s.memory.stop()
	<-s.memory.done
	return nil
}

// giveBack looks for memory that is idle until ctx ends.
func giveBack(ctx context.Context) {
	tick := time.NewTicker(memoryPeriod)
	defer tick.Stop()
	before := readMemoryUse()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := readMemoryUse()
		if now.idle(before) > 0 {
			debug.FreeOSMemory()
			now = readMemoryUse()
		}
		before = now
	}
}
