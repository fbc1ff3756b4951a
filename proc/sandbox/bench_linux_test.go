package sandbox_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// BenchmarkStart measures a start and wait under the sandbox over the same without it, and what
// each layer costs alone: a start that makes its own thread, and one that was prepared. The rules
// are those of a tool: the system, and a directory for the call.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	for _, c := range []struct {
		name string
		off  sandbox.Layer
	}{
		{"thread", sandbox.AllLayers},
		{"landlock", sandbox.AllLayers &^ landlock},
		{"seccomp", sandbox.AllLayers &^ seccomp},
		{"capabilities", sandbox.AllLayers &^ capabilities},
		{"all", 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := sandbox.System()
			r.Off = c.off
			box := newSandbox(b, r, sandbox.AllLayers&^c.off).With(sandbox.More{Write: []sandbox.Root{{Base: dir, Path: "."}}})
			attr := &os.ProcAttr{Env: []string{}, Sys: &syscall.SysProcAttr{Setsid: true}}
			argv := []string{"true"}
			start := func() { wait(b, func() (*os.Process, error) { return box.Start("/bin/true", argv, attr) }) }
			var raw, now, prepared []time.Duration
			for b.Loop() {
				raw = append(raw, proctest.Timed(func() {
					wait(b, func() (*os.Process, error) { return os.StartProcess("/bin/true", argv, attr) })
				}))
				now = append(now, proctest.Timed(start))
				box.Prepare()
				prepared = append(prepared, proctest.Timed(start))
			}
			floor := float64(proctest.Median(raw))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(floor/1e3, "floor-µs")
			b.ReportMetric(float64(proctest.Median(now))/floor, "x-floor")
			b.ReportMetric(float64(proctest.Median(prepared))/floor, "x-floor-prepared")
		})
	}
}

func wait(b *testing.B, start func() (*os.Process, error)) {
	p, err := start()
	if err != nil {
		b.Fatal(err)
	}
	if state, err := p.Wait(); err != nil || !state.Success() {
		b.Fatal(state, err)
	}
}
