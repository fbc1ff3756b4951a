package sidecar

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// startGrowth is how much the heap may grow, in percent, before it is collected while the sidecar starts: the
	// little that it has then is needed, and a collection would make the start longer.
	startGrowth = 200
	// memoryPeriod is the time between two looks for memory that nobody needs.
	memoryPeriod = 5 * time.Second
	// memoryWorth is the least amount of such memory, in bytes, that is given back:
	// giving it back takes a collection.
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

// idle returns how many bytes a collection could give back to the system: what is
// free, and what may be garbage. It is 0 if that is not worth a collection, or if it
// is needed again soon, judging by what was allocated since before.
//
// While nothing is allocated, the runtime keeps what one peak needed: it then
// collects every two minutes, and gives back only what exceeds twice the heap of that
// moment.
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
	stop   context.CancelFunc
	done   chan struct{}
	growth int // of the heap in percent, as it is set outside of the start
}

func (s *sidecar) openMemory(ctx context.Context) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.memory = &memory{stop: stop, done: make(chan struct{}), growth: debug.SetGCPercent(startGrowth)}
	go func() {
		defer close(s.memory.done)
		giveBack(ctx)
	}()
	return nil
}

// started ends what holds for the start alone. It may be called again.
func (m *memory) started() { debug.SetGCPercent(m.growth) }

func (s *sidecar) closeMemory(context.Context) error {
	s.memory.started()
	s.memory.stop()
	<-s.memory.done
	return nil
}

// giveBack looks for idle memory, until ctx ends.
func giveBack(ctx context.Context) {
	tick := time.NewTicker(memoryPeriod)
	defer tick.Stop()
	var before memoryUse // of the process's beginning
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
