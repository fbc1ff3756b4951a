package proc_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// BenchmarkScreen64MiB is 64 MiB through a terminal into the screen model, with
// somebody who looks at it 100 times a second, beside raw reads of the same
// bytes: of-raw is to be >= 0.6, allocs/KB <= 2.
func BenchmarkScreen64MiB(b *testing.B) {
	for _, output := range []struct{ name, line string }{
		{"text", "The quick brown fox jumps over the lazy dog, and the dog does not mind it. 0123\n"},
		{"agent", "\x1b[38;2;153;153;153m│\x1b[39m \x1b[1mRead\x1b[22m(proc/term/screen.go) ✓ \x1b[32m+12\x1b[39m \x1b[31m-3\x1b[39m…\n"},
		{"yes", "y\n"},
	} {
		b.Run(output.name, func(b *testing.B) { benchScreen(b, output.line) })
	}
}

func benchScreen(b *testing.B, line string) {
	file := filepath.Join(b.TempDir(), "output")
	if err := os.WriteFile(file, bytes.Repeat([]byte(line), bulk/len(line)), 0o600); err != nil {
		b.Fatal(err)
	}
	h := newHost(b)
	c := proc.Command{Argv: []string{"/bin/cat", file}, PTY: &proc.Size{Cols: 120, Rows: 40}}
	var ofRaw, perKB []float64
	bytes := 0
	for i := 0; b.Loop(); i++ {
		var ours, raw time.Duration
		measure := func() {
			before := mallocs()
			ours = timed(func() { bytes = throughScreen(b, h, c) })
			perKB = append(perKB, float64(mallocs()-before)/float64(bytes>>10))
		}
		floor := func() { raw = timed(func() { rawTerminal(b, c.Argv) }) }
		if i%2 == 0 {
			measure()
			floor()
		} else {
			floor()
			measure()
		}
		ofRaw = append(ofRaw, float64(raw)/float64(ours))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ofRaw), "of-raw")
	b.ReportMetric(median(perKB), "allocs/KB")
	b.ReportMetric(float64(bytes>>20), "MiB")
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// throughScreen returns how many bytes the screen got.
func throughScreen(b *testing.B, h *proc.Host, c proc.Command) (n int) {
	screen := term.New(term.Options{})
	done, looking := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looking)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				screen.Snapshot()
			case <-done:
				return
			}
		}
	}()
	start(b, h, c).Output(func(p []byte) {
		n += len(p)
		_, _ = screen.Write(p)
	}, nil)
	close(done)
	<-looking
	if screen.Resets() > 0 {
		b.Fatal("the model was given up")
	}
	return n
}

// rawTerminal reads what argv writes to a terminal with blocking reads in one
// thread.
func rawTerminal(b *testing.B, argv []string) {
	r, w, err := pty.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	var pid int
	release, err := proc.Registered(func() (_ int, err error) {
		null := devNull(b).Fd()
		pid, err = syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Files: []uintptr{null, w.Fd(), null}})
		return pid, err
	})
	if err != nil {
		b.Fatal(err)
	}
	w.Close()
	fd := int(r.Fd()) // blocking
	buf := make([]byte, 64<<10)
	for {
		if m, err := unix.Read(fd, buf); m <= 0 || err != nil {
			break
		}
	}
	_, _ = syscall.Wait4(pid, nil, 0, nil)
	release()
}
