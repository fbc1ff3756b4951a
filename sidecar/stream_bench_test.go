package sidecar_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkEventLatency measures from the agent's write to the client's event:
// the agent writes the time, each subscriber reads it.
func BenchmarkEventLatency(b *testing.B) {
	for _, subscribers := range []int{10, 100} {
		b.Run(strconv.Itoa(subscribers), func(b *testing.B) {
			base, _ := ship(b, "--mode", "oneshot", "--", "python3", "-uc",
				"import sys,time\nsys.stdin.read()\nfor _ in range(300):\n  time.sleep(0.005)\n  sys.stdout.write(f'{time.time_ns()};')")
			for b.Loop() {
				var mu sync.Mutex
				var all []time.Duration
				var wg sync.WaitGroup
				res := openStream(b, http.MethodPost, base+"/message:stream", `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}]}}`)
				id := firstTaskID(b, res)
				collect := func(r *bufio.Reader) {
					got := latencies(r)
					mu.Lock()
					all = append(all, got...)
					mu.Unlock()
				}
				wg.Go(func() { collect(res) })
				for range subscribers - 1 {
					r := openStream(b, http.MethodPost, base+"/tasks/"+id+":subscribe", "")
					wg.Go(func() { collect(r) })
				}
				wg.Wait()
				if len(all) == 0 {
					b.Fatal("no events")
				}
				report(b, fmt.Sprintf("write to SSE event, %d subscribers, p50", subscribers), float64(median(all))/1e6, "ms", map[int]string{10: "<= 0.3", 100: "<= 1"}[subscribers])
			}
		})
	}
}

func openStream(b *testing.B, method, url, body string) *bufio.Reader {
	b.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		b.Fatalf("%d %s", res.StatusCode, text)
	}
	return bufio.NewReaderSize(res.Body, 1<<20)
}

func firstTaskID(b *testing.B, r *bufio.Reader) string {
	b.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		var first struct{ Task struct{ ID string } }
		if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &first) == nil {
			return first.Task.ID
		}
	}
}

// latencies reads a stream whose chunks are times, to its end.
func latencies(r *bufio.Reader) (all []time.Duration) {
	for {
		line, err := r.ReadString('\n')
		now := time.Now()
		if err != nil {
			return all
		}
		_, rest, ok := strings.Cut(line, `"artifactUpdate"`)
		if !ok {
			continue
		}
		_, text, _ := strings.Cut(rest, `"text":"`)
		stamp, _, _ := strings.Cut(text, ";")
		if ns, err := strconv.ParseInt(stamp, 10, 64); err == nil {
			all = append(all, now.Sub(time.Unix(0, ns)))
		}
	}
}

// BenchmarkChunks streams n chunks at three sizes: what one more costs must not
// grow with n.
func BenchmarkChunks(b *testing.B) {
	sizes := []int{8_000, 32_000, 128_000}
	stream := func(n int) time.Duration {
		base, _ := ship(b, "--mode", "oneshot", "--", "python3", "-uc",
			fmt.Sprintf("import sys,os\nsys.stdin.read()\nfor i in range(%d):\n  os.write(1, b'chunk %%d\\n' %% i)", n))
		return timed(func() {
			r := openStream(b, http.MethodPost, base+"/message:stream", `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}]}}`)
			if _, err := io.Copy(io.Discard, r); err != nil {
				b.Fatal(err)
			}
		})
	}
	for b.Loop() {
		var took []time.Duration
		for _, n := range sizes {
			took = append(took, stream(n))
			b.Logf("%7d chunks: %v", n, took[len(took)-1].Round(time.Millisecond))
		}
		more := func(i int) float64 { return float64(took[i]-took[i-1]) / float64(sizes[i]-sizes[i-1]) }
		b.Logf("one more chunk: %.2f µs, then %.2f µs", more(1)/1e3, more(2)/1e3)
		report(b, "one more chunk at 128,000 over one at 32,000", more(2)/more(1), "x-linear", "~ 1 (linear)")
	}
}

func BenchmarkStream64MiB(b *testing.B) {
	command := []string{"sh", "-c", "cat >/dev/null; head -c 67108864 /dev/zero | tr '\\0' x"}
	base, cmd := ship(b, append([]string{"--mode", "oneshot", "--"}, command...)...)
	bare, _ := floorAt(b, command...)
	idle := memory(b, cmd.Process.Pid, "VmRSS")
	once := sync.OnceValue(func() float64 { return (memory(b, cmd.Process.Pid, "VmHWM") - idle) / 1024 })
	drink := func(url, body string) time.Duration {
		return timed(func() {
			res, err := http.Post(url, "application/json", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			defer res.Body.Close()
			if n, err := io.Copy(io.Discard, res.Body); err != nil || n < 64<<20 {
				b.Fatalf("%d bytes, %v", n, err)
			}
		})
	}
	for b.Loop() {
		ours, floor := pairs(7, func() time.Duration {
			defer once() // later answers are kept beside the first, up to --keep-bytes
			return drink(base+"/message:stream", `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}]}}`)
		}, func() time.Duration { return drink(bare+"/stream", "x") })
		b.Logf("64 MiB streamed in %v, by the floor in %v", ours, floor)
		report(b, "64 MiB streamed, over the floor", float64(ours)/float64(floor), "x-floor", "<= 1.3")
		report(b, "peak RSS above idle, one answer of 64 MiB", once(), "MiB-above", "<= 36")
	}
}
