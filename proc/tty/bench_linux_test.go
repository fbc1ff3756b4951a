package tty_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// BenchmarkTerminal64MiB is over raw reads of 64 KiB from the master: alone, and
// with a consumer that takes 76 MB/s, as a screen model does.
func BenchmarkTerminal64MiB(b *testing.B) {
	for name, perByte := range map[string]time.Duration{"alone": 0, "model": 13 * time.Nanosecond} {
		b.Run(name, func(b *testing.B) { benchTerminal(b, perByte) })
	}
}

func benchTerminal(b *testing.B, perByte time.Duration) {
	h := proctest.NewHost(b)
	c := proc.Command{Argv: []string{"/usr/bin/head", "-c", "67108864", "/dev/zero"}}
	proctest.Ratio(b, func() {
		n := 0
		proctest.StartTerminal(b, h, c).Output(func(p []byte) {
			n += len(p)
			for end := time.Now().Add(time.Duration(len(p)) * perByte); perByte > 0 && time.Now().Before(end); {
				continue // it computes
			}
		})
		if n != proctest.Bulk {
			b.Fatal(n)
		}
	}, func() { proctest.DrainRaw(b, c.Argv, pty.Open) })
}

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
	if err := os.WriteFile(file, bytes.Repeat([]byte(line), proctest.Bulk/len(line)), 0o600); err != nil {
		b.Fatal(err)
	}
	h := proctest.NewHost(b)
	c := proc.Command{Argv: []string{"/bin/cat", file}}
	var ofRaw, perKB []float64
	bytes := 0
	for i := 0; b.Loop(); i++ {
		var ours, raw time.Duration
		measure := func() {
			before := mallocs()
			ours = proctest.Timed(func() { bytes = throughScreen(b, h, c) })
			perKB = append(perKB, float64(mallocs()-before)/float64(bytes>>10))
		}
		floor := func() { raw = proctest.Timed(func() { proctest.DrainRaw(b, c.Argv, pty.Open) }) }
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
	b.ReportMetric(proctest.Median(ofRaw), "of-raw")
	b.ReportMetric(proctest.Median(perKB), "allocs/KB")
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
	tm, err := tty.Start(h, c, tty.Size{Cols: 120, Rows: 40})
	if err != nil {
		b.Fatal(err)
	}
	tm.Output(func(p []byte) {
		n += len(p)
		_, _ = screen.Write(p)
	})
	close(done)
	<-looking
	if screen.Resets() > 0 {
		b.Fatal("the model was given up")
	}
	return n
}
