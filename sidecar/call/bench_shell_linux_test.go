package call_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// BenchmarkBash compares a call of bash with what it cannot be faster than: sh -c by a fork and an exec. Both take turns
// in one run, and p50 of each is reported.
func BenchmarkBash(b *testing.B) {
	for name, tweak := range map[string]func(*call.Options){"confined": sandboxed(b, confine.Auto), "unconfined": func(*call.Options) {}} {
		b.Run(name, func(b *testing.B) {
			r, _ := shellRig(b, tweak)
			var ours, floor []time.Duration
			for b.Loop() {
				began := time.Now()
				if e := r.bash("echo hello"); e.said() != "hello\n" {
					b.Fatalf("%s", e.inv.Envelope())
				}
				ours = append(ours, time.Since(began))
				began = time.Now()
				if n := proctest.DrainRaw(b, []string{"/bin/sh", "-c", "echo hello"}, os.Pipe); n != len("hello\n") {
					b.Fatalf("%d bytes", n)
				}
				floor = append(floor, time.Since(began))
			}
			slices.Sort(ours)
			slices.Sort(floor)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(ours[len(ours)/2].Microseconds()), "ours-p50-µs")
			b.ReportMetric(float64(floor[len(floor)/2].Microseconds()), "floor-p50-µs")
		})
	}
}
