package call_test

import (
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// BenchmarkJudges prints the p50 of an exec call with an audit, with a strict one, and
// with a watchdog at a socket, over the p50 of the same call without, taken in turns.
func BenchmarkJudges(b *testing.B) {
	host := proctest.NewHost(b)
	with := func(tweak ...func(*call.Options)) *rig {
		return newRig(b, tool("acme.cat", `{"bridge":{"exec":{"command":["/bin/cat"]}}}`), nil, append(tweak, func(o *call.Options) { o.Host = host })...)
	}
	audited := func(strict bool) func(*call.Options) {
		l, err := audit.Open(audit.Options{File: filepath.Join(b.TempDir(), "audit.ndjson"), Strict: strict})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { l.Close() })
		return func(o *call.Options) { o.Audit = l }
	}
	socket := func(o *call.Options) {
		path := filepath.Join(b.TempDir(), "s")
		l, err := net.Listen("unix", path)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c.Read(make([]byte, 4<<10))
				c.Write([]byte(`{"decision":"allow"}` + "\n"))
				c.Close()
			}
		}()
		w, err := watchdog.Open(watchdog.Options{Target: "unix:" + path, Timeout: time.Minute})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(w.Close)
		o.Watchdog = w
	}
	names := []string{"none", "audit", "strict", "watchdog"}
	rigs := []*rig{with(), with(audited(false)), with(audited(true)), with(socket)}
	took := make([][]time.Duration, len(rigs))
	for b.Loop() {
		for i, r := range rigs {
			began := time.Now()
			inv := r.p.Start(call.Request{Tool: "acme.cat"})
			<-inv.Done()
			took[i] = append(took[i], time.Since(began))
			if !inv.Outcome().OK() {
				b.Fatalf("%s: %s", names[i], inv.Envelope())
			}
		}
	}
	var floor float64
	for i, name := range names {
		slices.Sort(took[i])
		p50 := float64(took[i][len(took[i])/2].Microseconds())
		if i == 0 {
			floor = p50
		}
		b.ReportMetric(p50, name+"-p50-µs")
		b.ReportMetric(p50/floor, name+"-ratio")
	}
}
