package metrics

import (
	"io"
	"os"
	"runtime"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxCounted bounds the descriptors that are counted. The kernel gives out the
// lowest first: who has more has too many.
const maxCounted = 4096

// writeProcess says what the process takes, under the names that all exporters
// use. The library would too, but it reads files in /proc that a process whose
// memory is closed to others may not read itself, and complains on stderr.
func writeProcess(w io.Writer) {
	number(w, "go_goroutines", int64(runtime.NumGoroutine()))
	for _, m := range []struct{ from, name string }{
		{"/sched/gomaxprocs:threads", "go_gomaxprocs"},
		{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total"},
		{"/gc/heap/allocs:bytes", "go_heap_allocated_bytes_total"},
		{"/memory/classes/heap/objects:bytes", "go_heap_objects_bytes"},
		{"/memory/classes/total:bytes", "go_memory_bytes"},
	} {
		sample := []runtimemetrics.Sample{{Name: m.from}}
		runtimemetrics.Read(sample)
		if sample[0].Value.Kind() == runtimemetrics.KindUint64 {
			number(w, m.name, int64(sample[0].Value.Uint64()))
		}
	}
	if rss, ok := resident(); ok {
		number(w, "process_resident_memory_bytes", rss)
	}
	number(w, "process_open_fds", descriptors())
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) == nil {
		seconds := float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
		io.WriteString(w, "process_cpu_seconds_total "+strconv.FormatFloat(seconds, 'f', 3, 64)+"\n")
	}
}

// resident is the memory that the process has in RAM, where the system says so.
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

// descriptors counts the open ones.
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
