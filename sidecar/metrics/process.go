package metrics

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxCounted limits the descriptors that are counted. The kernel assigns the lowest free
// number first: a process with more has too many.
const maxCounted = 4096

// writeProcess writes the resources that the process uses, under the names that all
// exporters use. It reads only what a process may read about itself even if its memory is
// closed to others.
func writeProcess(e *exposition) {
	e.level("go_goroutines", "Goroutines.", float64(runtime.NumGoroutine()))
	e.level("go_gomaxprocs", "Threads that run Go code at once.", float64(runtime.GOMAXPROCS(0)))
	e.count("go_gc_cycles", "Garbage collections.", read("/gc/cycles/total:gc-cycles"))
	e.count("go_heap_allocated_bytes", "Bytes allocated on the heap.", read("/gc/heap/allocs:bytes"))
	e.level("go_heap_objects_bytes", "Bytes of the heap in use.", float64(read("/memory/classes/heap/objects:bytes")))
	e.level("go_memory_bytes", "Memory mapped by the Go runtime.", float64(read("/memory/classes/total:bytes")))
	e.level("go_memory_released_bytes", "Of that, given back to the system.", float64(read("/memory/classes/heap/released:bytes")))
	if rss, ok := resident(); ok {
		e.level("process_resident_memory_bytes", "Memory in RAM.", float64(rss))
	}
	e.level("process_open_fds", "Open file descriptors.", float64(descriptors()))
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		e.counter("process_cpu_seconds", "CPU time, the kernel's included.")
		e.sample("process_cpu_seconds_total", "", float64(used.Utime.Nano()+used.Stime.Nano())/1e9)
	}
}

// read returns one metric of the runtime, or 0 if the runtime does not have it.
func read(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// resident returns how many bytes of the process are in RAM. ok reports whether the system
// says so.
func resident() (bytes int64, ok bool) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}

// descriptors counts the open file descriptors.
func descriptors() (n int64) {
	limit := uint64(maxCounted)
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) == nil {
		limit = min(limit, uint64(r.Cur))
	}
	for fd := range limit {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
			n++
		}
	}
	return n
}
