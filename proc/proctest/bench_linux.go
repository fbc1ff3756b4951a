package proctest

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// Bulk is how many bytes a stream benchmark reads.
const Bulk = 64 << 20

// Ratio runs ours and floor once per iteration, alternating which runs first, and reports the
// median of the quotients of each pair.
func Ratio(b *testing.B, ours, floor func()) {
	ours()
	floor()
	var quotients []float64
	var mine, base []time.Duration
	for i := 0; b.Loop(); i++ {
		var o, f time.Duration
		if i%2 == 0 {
			o, f = Timed(ours), Timed(floor)
		} else {
			f, o = Timed(floor), Timed(ours)
		}
		quotients = append(quotients, float64(o)/float64(f))
		mine, base = append(mine, o), append(base, f)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(Median(quotients), "ratio")
	b.ReportMetric(float64(Median(mine).Microseconds()), "ours-µs")
	b.ReportMetric(float64(Median(base).Microseconds()), "floor-µs")
}

// Timed returns how long a call takes.
func Timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

// Median returns the middle element of a list. It sorts the list.
func Median[T float64 | time.Duration](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// DevNull returns an open file of the null device that is closed when the benchmark ends.
func DevNull(b *testing.B) *os.File {
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

// DrainRaw starts argv and reads what it writes to a new pipe or terminal, with blocking reads
// in one thread. It returns how many bytes came.
func DrainRaw(b *testing.B, argv []string, open func() (ours, theirs *os.File, err error)) (n int) {
	r, w, err := open()
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var pid int
	release, err := reaper.Register(func() (_ int, err error) {
		null := DevNull(b).Fd()
		pid, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Files: []uintptr{null, w.Fd(), null}})
		return pid, err
	})
	if err != nil {
		b.Fatal(err)
	}
	w.Close()
	fd := int(r.Fd()) // blocking
	for buf := make([]byte, 64<<10); ; {
		m, err := unix.Read(fd, buf)
		if m <= 0 || err != nil {
			break
		}
		n += m
	}
	_, _ = syscall.Wait4(pid, nil, 0, nil)
	release()
	return n
}
