package manifest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// manyTools is a manifest of n tools, no two with the same schema.
func manyTools(n int) []byte {
	var b strings.Builder
	b.WriteString("[\n")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `  {"name": "acme.group_%d.tool_%d", "description": "Does the thing number %d, with care.",
   "inputSchema": {"type": "object", "required": ["target"], "additionalProperties": false, "properties": {
     "target_%d": {"type": "string", "minLength": 1, "description": "What it is done to."},
     "target": {"type": "string", "pattern": "^[a-z]+(%d)?$"},
     "count": {"type": "integer", "minimum": 1, "maximum": %d},
     "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
     "mode": {"enum": ["fast", "slow", "mode_%d"]}}},
   "x-sidecar": {"effects": "read", "timeout": "30s", "bridge": {"exec": {"command": ["/opt/acme/tool", "--target={target}", "{tags}"]}}}}`,
			i/100, i, i, i, i, 1+i, i)
	}
	b.WriteString("\n]\n")
	return []byte(b.String())
}

// BenchmarkLoad: budget for 10,000 tools is 1.5 s and a peak of 64 MiB.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{200, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := manyTools(n)
			b.SetBytes(int64(len(data)))
			var top uint64
			before := cpuTime(b)
			for b.Loop() {
				top = max(top, peak(func() {
					if _, _, err := manifest.Parse("tools.json", data, manifest.Options{}); err != nil {
						b.Fatal(err)
					}
				}))
			}
			b.ReportMetric(float64(top)/(1<<20), "peak-MiB")
			b.ReportMetric(float64((cpuTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkEdit: one tool of a watched file changes, until the list is swapped.
// Budget for 200 tools is 100 ms, the 10 ms of quiet included.
func BenchmarkEdit(b *testing.B) {
	for _, n := range []int{200, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "tools.json")
			data := manyTools(n)
			edit := func(i int) {
				if err := os.WriteFile(path, bytes.Replace(data, []byte("^[a-z]+(1)"), fmt.Appendf(nil, "^[a-z]+(x%d)", i), 1), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			edit(0)
			s, err := manifest.Open(path, manifest.Options{})
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			var run sync.WaitGroup
			run.Go(func() { _ = s.Run(ctx) })
			defer run.Wait()
			defer cancel()
			changed := s.Changed()
			s.Reload()
			<-changed
			i := 0
			for b.Loop() {
				i++
				changed := s.Changed()
				edit(i)
				<-changed
			}
		})
	}
}

// cpuTime is what this process has used so far: a busy machine does not change
// it much.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak is the most memory that the heap took while f ran.
func peak(f func()) uint64 {
	runtime.GC()
	stop, done := make(chan struct{}), sync.WaitGroup{}
	var top uint64
	done.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			top = max(top, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
	f()
	close(stop)
	done.Wait()
	return top
}

// BenchmarkValidate: a call's check, the schema compiled before.
func BenchmarkValidate(b *testing.B) {
	s, _, err := manifest.Parse("t", manyTools(10), manifest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	args := json.RawMessage(`{"target":"a","count":1,"tags":["a","b"],"mode":"fast"}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := validate(context.Background(), s, "acme.group_0.tool_3", args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFirstUse: the same where the schema must be compiled.
func BenchmarkFirstUse(b *testing.B) {
	const tools = 1000
	s, _, err := manifest.Parse("t", manyTools(tools), manifest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	args := json.RawMessage(`{"target":"a"}`)
	i := 0
	for b.Loop() {
		if err := validate(context.Background(), s, s.Tools()[i%tools].Name, args); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkArgv(b *testing.B) {
	s, _, err := manifest.Parse("t", manyTools(1), manifest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	exec := s.Tools()[0].Bridge.Exec
	args, err := schema.ReadArguments([]byte(`{"target":"a","tags":["a","b"]}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := exec.Argv(args); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSuggest: an unknown name among 10,000.
func BenchmarkSuggest(b *testing.B) {
	s, _, err := manifest.Parse("t", manyTools(10_000), manifest.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Suggest("acme.group_7.tol_777")
	}
}
