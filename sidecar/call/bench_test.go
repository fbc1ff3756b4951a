package call_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// benchmarkedCall is a way to call a program; more are members of its x-sidecar.
type benchmarkedCall struct {
	name, more string
	tweak      func(testing.TB) func(*call.Options)
}

// BenchmarkExecCall prints the p50 of an exec call over the p50 of the raw
// fork, exec and wait of the same program, taken in turns (budget 1.4).
func BenchmarkExecCall(b *testing.B) {
	const program = "/bin/cat"
	if _, err := os.Stat(program); err != nil {
		b.Skip(err)
	}
	dir := b.TempDir()
	socket, err := channel.Listen(channel.Options{RuntimeDir: dir, UID: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer socket.Close()
	host := proc.NewHost(proc.HostOptions{NoReaper: true}) // it would reap the raw ones
	defer host.Close()
	for _, tc := range append([]benchmarkedCall{
		{"plain", "", nil},
		{"all shapes of secrets, side files", "", func(t testing.TB) func(*call.Options) {
			r, err := output.NewRedactor(output.Rules{Shapes: output.ShapeNames()})
			if err != nil {
				t.Fatal(err)
			}
			outputs := withOutputs(t, 1<<30)
			return func(o *call.Options) {
				o.Secrets = func() *output.Redactor { return r }
				outputs(o)
			}
		}},
		{"folder and channel", "", func(testing.TB) func(*call.Options) {
			return func(o *call.Options) { o.RuntimeDir, o.Channel = dir, socket }
		}},
	}, benchmarkedSandboxes...) {
		b.Run(tc.name, func(b *testing.B) {
			tweak := func(*call.Options) {}
			if tc.tweak != nil {
				tweak = tc.tweak(b)
			}
			r := newRig(b, tool("acme.cat", `{"bridge":{"exec":{"command":["`+program+`"]}}`+tc.more+`}`), nil, tweak, func(o *call.Options) { o.Host = host })
			null, err := os.Open(os.DevNull)
			if err != nil {
				b.Fatal(err)
			}
			defer null.Close()
			var raw, ours []time.Duration
			for b.Loop() {
				began := time.Now()
				p, err := os.StartProcess(program, []string{program}, &os.ProcAttr{Files: []*os.File{null, null, null}})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Wait(); err != nil {
					b.Fatal(err)
				}
				raw = append(raw, time.Since(began))

				began = time.Now()
				inv := r.p.Start(call.Request{Tool: "acme.cat"})
				<-inv.Done()
				ours = append(ours, time.Since(began))
				if !inv.Outcome().OK() {
					b.Fatalf("%s", inv.Envelope())
				}
			}
			slices.Sort(raw)
			slices.Sort(ours)
			p50 := func(d []time.Duration) float64 { return float64(d[len(d)/2].Microseconds()) }
			b.ReportMetric(p50(raw), "raw-p50-µs")
			b.ReportMetric(p50(ours), "call-p50-µs")
			b.ReportMetric(p50(ours)/p50(raw), "ratio")
		})
	}
}
