package proc_test

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/proc"
)

// ratio runs both once per iteration, the first of them in turn, and reports
// the median of the pairs' quotients.
func ratio(b *testing.B, ours, floor func()) {
	ours()
	floor()
	var quotients []float64
	var mine, base []time.Duration
	for i := 0; b.Loop(); i++ {
		var o, f time.Duration
		if i%2 == 0 {
			o, f = timed(ours), timed(floor)
		} else {
			f, o = timed(floor), timed(ours)
		}
		quotients = append(quotients, float64(o)/float64(f))
		mine, base = append(mine, o), append(base, f)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(quotients), "ratio")
	b.ReportMetric(float64(median(mine).Microseconds()), "ours-µs")
	b.ReportMetric(float64(median(base).Microseconds()), "floor-µs")
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

func median[T float64 | time.Duration](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// spawnFloor is fork, exec and wait, without any pipe.
func spawnFloor(b *testing.B, null uintptr) {
	var pid int
	release, err := proc.Registered(func() (_ int, err error) {
		pid, err = syscall.ForkExec("/bin/true", []string{"true"}, &syscall.ProcAttr{Files: []uintptr{null, null, null}})
		return pid, err
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
		b.Fatal(err)
	}
	release()
}

func devNull(b *testing.B) *os.File {
	f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close() })
	return f
}

// BenchmarkSpawn is a whole life with three pipes and the reaper, over raw
// fork+exec+wait: the goal is 1.19.
func BenchmarkSpawn(b *testing.B) {
	h := newHost(b)
	null := devNull(b).Fd()
	ratio(b, func() {
		child, err := h.Start(proc.Command{Argv: []string{"/bin/true"}})
		if err != nil {
			b.Fatal(err)
		}
		child.Stdin().Close()
		child.Output(nil, nil)
	}, func() { spawnFloor(b, null) })
}

// BenchmarkSpawnOSExec is the same with os/exec, for comparison.
func BenchmarkSpawnOSExec(b *testing.B) {
	null := devNull(b).Fd()
	ratio(b, func() {
		cmd := exec.Command("/bin/true")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		err, _ := cmd.StderrPipe()
		if cmd.Start() != nil {
			b.Fatal("start")
		}
		in.Close()
		var buf [4096]byte
		_, _ = out.Read(buf[:])
		_, _ = err.Read(buf[:])
		_ = cmd.Wait()
	}, func() { spawnFloor(b, null) })
}

const bulk = 64 << 20

// BenchmarkPipe64MiB is the floor of streaming: reads of 64 KiB from a pipe.
func BenchmarkPipe64MiB(b *testing.B) {
	h := newHost(b)
	c := shell("exec head -c 67108864 /dev/zero")
	ratio(b, func() {
		n := 0
		start(b, h, c).Output(func(p []byte) { n += len(p) }, nil)
		if n != bulk {
			b.Fatal(n)
		}
	}, func() { drainRaw(b, false) })
}

// BenchmarkTerminal64MiB is over raw reads of 64 KiB from the master: alone, and
// with a consumer that takes 76 MB/s, as a screen model does.
func BenchmarkTerminal64MiB(b *testing.B) {
	for name, perByte := range map[string]time.Duration{"alone": 0, "model": 13 * time.Nanosecond} {
		b.Run(name, func(b *testing.B) { benchTerminal(b, perByte) })
	}
}

func benchTerminal(b *testing.B, perByte time.Duration) {
	h := newHost(b)
	c := shell("exec head -c 67108864 /dev/zero")
	c.PTY = &proc.Size{Cols: 80, Rows: 24}
	ratio(b, func() {
		n := 0
		start(b, h, c).Output(func(p []byte) {
			n += len(p)
			for end := time.Now().Add(time.Duration(len(p)) * perByte); perByte > 0 && time.Now().Before(end); {
				continue // it computes
			}
		}, nil)
		if n != bulk {
			b.Fatal(n)
		}
	}, func() { drainRaw(b, true) })
}

// drainRaw reads the same bytes with blocking reads in one thread.
func drainRaw(b *testing.B, terminal bool) {
	var r, w *os.File
	var err error
	if terminal {
		r, w, err = pty.Open()
	} else {
		r, w, err = os.Pipe()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var pid int
	release, err := proc.Registered(func() (_ int, err error) {
		null := devNull(b).Fd()
		pid, err = syscall.ForkExec("/usr/bin/head", []string{"head", "-c", "67108864", "/dev/zero"},
			&syscall.ProcAttr{Files: []uintptr{null, w.Fd(), null}})
		return pid, err
	})
	if err != nil {
		b.Fatal(err)
	}
	w.Close()
	fd := int(r.Fd()) // blocking
	buf := make([]byte, 64<<10)
	n := 0
	for {
		m, err := unix.Read(fd, buf)
		if m <= 0 || err != nil {
			break
		}
		n += m
	}
	_, _ = syscall.Wait4(pid, nil, 0, nil)
	release()
	if n != bulk {
		b.Fatal(n)
	}
}
