package sidecar_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The benchmarks run the binary as it is shipped, beside the floor of
// testdata/floor, in pairs, and report ratios: these machines are noisy, and a
// time alone says nothing. Each logs its budget beside what it
// saw; none fails, because a budget is judged by the best of three runs.

var shipped = sync.OnceValues(func() (string, error) { return goBuild("..", "sidecar") })
var floorServer = sync.OnceValues(func() (string, error) { return goBuild("testdata/floor", "floor") })

func goBuild(dir, name string) (string, error) {
	out := filepath.Join(os.TempDir(), fmt.Sprintf("%s-%d", name, os.Getpid()))
	script, err := filepath.Abs("../.ci/binary")
	if err != nil {
		return "", err
	}
	cmd := exec.Command(script, out)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, b)
	}
	return out, nil
}

func need[T any](b *testing.B, f func() (T, error)) T {
	b.Helper()
	v, err := f()
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func freePort(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// serving starts a server and returns its base once a GET of path answers 200,
// with the time that took.
func serving(b *testing.B, port, path, bin string, args ...string) (base string, cmd *exec.Cmd, took time.Duration) {
	b.Helper()
	base = "http://127.0.0.1:" + port
	cmd = exec.Command(bin, args...)
	cmd.Env = append(cleanEnviron(), "SIDECAR_RUNTIME_DIR=/dev/shm") // on tmpfs, as /run is in most containers
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	for {
		res, err := http.Get(base + path)
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return base, cmd, time.Since(begin)
			}
		}
		if time.Since(begin) > deadline {
			b.Fatal("never served")
		}
		<-time.After(100 * time.Microsecond) // leave it the processor
	}
}

func end(cmd *exec.Cmd) {
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
}

// ship starts the shipped binary around a one-shot command.
func ship(b *testing.B, args ...string) (string, *exec.Cmd) {
	b.Helper()
	port := freePort(b)
	base, cmd, _ := serving(b, port, "/readyz", need(b, shipped), append([]string{"run", "--host", "127.0.0.1", "--port", port, "--log-level", "error"}, args...)...)
	b.Cleanup(func() { end(cmd) })
	return base, cmd
}

func floorAt(b *testing.B, command ...string) (string, *exec.Cmd) {
	b.Helper()
	port := freePort(b)
	base, cmd, _ := serving(b, port, "/.well-known/agent.json", need(b, floorServer), append([]string{"127.0.0.1:" + port}, command...)...)
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return base, cmd
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// report says one line of the budget.
func report(b *testing.B, what string, got float64, unit, budget string) {
	b.Helper()
	b.ReportMetric(got, unit)
	b.Logf("%-46s %8.2f %-10s budget %s", what, got, unit, budget)
}

// pairs measures two things in turn, n times, and returns their medians.
func pairs(n int, ours, floor func() time.Duration) (time.Duration, time.Duration) {
	var a, f []time.Duration
	for range n {
		f = append(f, floor())
		a = append(a, ours())
	}
	return median(a), median(f)
}

func BenchmarkColdStart(b *testing.B) {
	bin, bare := need(b, shipped), need(b, floorServer)
	for b.Loop() {
		ours, floor := pairs(41, func() time.Duration {
			port := freePort(b)
			_, cmd, took := serving(b, port, "/.well-known/agent.json", bin, "run", "--port", port, "--mode", "oneshot", "--log-level", "error", "--", "cat")
			cmd.Process.Kill()
			cmd.Wait()
			return took
		}, func() time.Duration {
			port := freePort(b)
			_, cmd, took := serving(b, port, "/.well-known/agent.json", bare, "127.0.0.1:"+port)
			cmd.Process.Kill()
			cmd.Wait()
			return took
		})
		b.Logf("cold start %v, bare net/http %v", ours, floor)
		report(b, "cold start to the first 200 on the card", float64(ours)/float64(floor), "x-bare", "<= 2.7")
	}
}

// memory reads a line of /proc/PID/status in KiB.
func memory(b *testing.B, pid int, line string) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		b.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), line+":")
	var kib float64
	fmt.Sscan(rest, &kib)
	return kib
}

func BenchmarkFootprint(b *testing.B) {
	for b.Loop() {
		info, err := os.Stat(need(b, shipped))
		if err != nil {
			b.Fatal(err)
		}
		report(b, "binary, static, stripped", float64(info.Size())/(1<<20), "MiB-bin", "<= 18")
		base, cmd := ship(b, "--mode", "oneshot", "--", "cat")
		report(b, "idle RSS, no manifest", memory(b, cmd.Process.Pid, "VmRSS")/1024, "MiB-idle", "<= 16")
		for range 1000 {
			sendText(b, base, "hello")
		}
		report(b, "RSS after 1,000 sends", memory(b, cmd.Process.Pid, "VmRSS")/1024, "MiB-1000", "(peer 20)")
	}
}

func sendText(b *testing.B, base, text string) {
	b.Helper()
	res, err := http.Post(base+"/message:send", "application/json", strings.NewReader(message(text)))
	if err != nil {
		b.Fatal(err)
	}
	completed(b, res)
}

func message(text string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":%q}]}}`, text)
}

// completed reads the answer of a task that was completed.
func completed(b *testing.B, res *http.Response) {
	b.Helper()
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(got, []byte("TASK_STATE_COMPLETED")) {
		b.Fatalf("%d %s %v", res.StatusCode, got, err)
	}
}

// rawCat is the floor of everything that starts a process: fork, exec, a line
// in, a line out, wait.
func rawCat(b *testing.B, sys *syscall.SysProcAttr) {
	b.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	in, inw, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	p, err := os.StartProcess("/bin/cat", []string{"cat"}, &os.ProcAttr{Files: []*os.File{in, w, w}, Env: os.Environ(), Sys: sys})
	if err != nil {
		b.Fatal(err)
	}
	in.Close()
	w.Close()
	inw.WriteString("hello")
	inw.Close()
	io.Copy(io.Discard, r)
	r.Close()
	if _, err := p.Wait(); err != nil {
		b.Fatal(err)
	}
}

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}

func BenchmarkOneshotMessage(b *testing.B) {
	base, _ := ship(b, "--mode", "oneshot", "--", "/bin/cat")
	least := leastServer(b)
	for b.Loop() {
		ours, floor := pairs(400, func() time.Duration { return timed(func() { sendText(b, base, "hello") }) },
			func() time.Duration { return timed(least) })
		b.Logf("message %v, least server %v", ours, floor)
		report(b, "oneshot message p50 over the least server", float64(ours)/float64(floor), "x-least", "<= 1.25")
	}
}

// leastServer returns a request to the least that a sidecar can be: it starts a
// process, gives it the body and streams what comes back.
func leastServer(b *testing.B) (post func()) {
	base, _ := floorAt(b, "/bin/cat")
	return func() {
		res, err := http.Post(base+"/stream", "application/json", strings.NewReader("hello"))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
}

// lean sends messages over one connection by the least client that can be: it
// shares the processors with the server, and the floor has none.
func lean(b *testing.B, base string) (send func(text string)) {
	address := strings.TrimPrefix(base, "http://")
	nc, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { nc.Close() })
	answers := bufio.NewReader(nc)
	return func(text string) {
		body := message(text)
		fmt.Fprintf(nc, "POST /message:send HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", address, len(body), body)
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			b.Fatal(err)
		}
		completed(b, res)
	}
}

// Beside the budget's floor there is that of processes with a session of their own,
// which agents have: a kernel that groups its scheduling by session
// (sched_autogroup_enabled), outside of a container, takes its time for each.
func BenchmarkOneshotEightAtOnce(b *testing.B) {
	base, _ := ship(b, "--mode", "oneshot", "--", "/bin/cat")
	var clients [8]func(text string)
	for i := range clients {
		clients[i] = lean(b, base)
	}
	eight := func(f func(i int)) time.Duration {
		return timed(func() {
			var wg sync.WaitGroup
			for i := range clients {
				wg.Go(func() {
					for range 50 {
						f(i)
					}
				})
			}
			wg.Wait()
		})
	}
	ours := func() time.Duration { return eight(func(i int) { clients[i]("hello") }) }
	for b.Loop() {
		took, apart := pairs(5, ours, func() time.Duration { return eight(func(int) { rawCat(b, &syscall.SysProcAttr{Setsid: true}) }) })
		b.Logf("of fork+exec in a session of its own/s: %.2f", float64(apart)/float64(took))
		took, floor := pairs(5, ours, func() time.Duration { return eight(func(int) { rawCat(b, nil) }) })
		report(b, "oneshot, 8 at once, of raw fork+exec/s", float64(floor)/float64(took), "of-raw", ">= 0.7")
	}
}

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

// BenchmarkChannelMessage is a message to an agent that takes it over the
// channel, beside an echo of bare net/http.
func BenchmarkChannelMessage(b *testing.B) {
	base, _ := ship(b, append([]string{"--deliver", "channel", "--"}, agentCommand(b, "connected")...)...)
	bare, _ := floorAt(b, "cat")
	echo := func() {
		res, err := http.Post(bare+"/echo", "application/json", strings.NewReader(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	for b.Loop() {
		ours, floor := pairs(1000, func() time.Duration { return timed(func() { sendText(b, base, "hello") }) },
			func() time.Duration { return timed(echo) })
		b.Logf("message over the channel %v, bare echo %v", ours, floor)
		report(b, "message to a connected agent, over a bare echo", float64(ours)/float64(floor), "x-echo", "<= 3")
	}
}

// BenchmarkTypedTurn is a message to a program that has a prompt: what is over
// its own time is the echo, the prompt, and being sure of it.
func BenchmarkTypedTurn(b *testing.B) {
	base, _ := ship(b, "--prompt-pattern", "ready> $", "--", "sh", "-c", "stty -echo; printf 'ready> '; while read l; do printf '%s\\nready> ' \"$l\"; done")
	for b.Loop() {
		var all []time.Duration
		for range 40 {
			all = append(all, timed(func() { sendText(b, base, "hello") }))
		}
		report(b, "typed turn of a program with a prompt, p50", float64(median(all))/1e6, "ms-turn", "<= 50 with a mark, <= 1500 without")
	}
}

// BenchmarkIdeal is the least server over raw fork+exec: what net/http and this
// machine leave of the budget.
func BenchmarkIdeal(b *testing.B) {
	least := leastServer(b)
	for b.Loop() {
		ideal, raw := pairs(400, func() time.Duration { return timed(least) }, func() time.Duration { return timed(func() { rawCat(b, nil) }) })
		report(b, "the least server p50 over raw fork+exec", float64(ideal)/float64(raw), "x-raw", "(1.22 where it was set)")
	}
}

func BenchmarkExecCall(b *testing.B) {
	path := filepath.Join(b.TempDir(), "tools.json")
	writeFile(b, path, `[{"name":"test.cat","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/cat"],"output":"json"}},"effects":"read"}}]`)
	base, _ := ship(b, "--manifest", path, "--mode", "oneshot", "--", "cat")
	call := func() {
		res, err := http.Post(base+"/a2a/tools/test.cat", "application/json", strings.NewReader(`{"a":1}`))
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
			b.Fatalf("%s", text)
		}
	}
	least := leastServer(b)
	for b.Loop() {
		ours, floor := pairs(400, func() time.Duration { return timed(call) }, func() time.Duration { return timed(least) })
		b.Logf("call %v, least server %v", ours, floor)
		report(b, "exec call p50 over the least server", float64(ours)/float64(floor), "x-least", "<= 1.3")
	}
}

func BenchmarkManifestEdit(b *testing.B) {
	path := filepath.Join(b.TempDir(), "tools.json")
	list := func(generation int) string {
		var tools []string
		for i := range 200 {
			tools = append(tools, fmt.Sprintf(`{"name":"test.t%d","description":"generation %d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, i, generation))
		}
		return "[" + strings.Join(tools, ",\n") + "]"
	}
	writeFile(b, path, list(0))
	base, _ := ship(b, "--manifest", path, "--mode", "oneshot", "--", "cat")
	for b.Loop() {
		var all []time.Duration
		for i := range 20 {
			mark := []byte(fmt.Sprintf("generation %d\"", i+1))
			begin := time.Now()
			writeFile(b, path, list(i+1))
			for {
				res, err := http.Get(base + "/a2a/tools")
				if err != nil {
					b.Fatal(err)
				}
				text, _ := io.ReadAll(res.Body)
				res.Body.Close()
				if bytes.Contains(text, mark) {
					break
				}
			}
			all = append(all, time.Since(begin))
		}
		report(b, "edit of 200 tools to visible, worst of 20", float64(slices.Max(all))/1e6, "ms", "<= 100")
	}
}

func BenchmarkTenThousandTools(b *testing.B) {
	var tools []string
	for i := range 10_000 {
		tools = append(tools, fmt.Sprintf(`{"name":"test.t%d","description":"The tool of that number.","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":1},"n":{"type":"integer","minimum":%d},"list":{"type":"array","items":{"enum":["x","y"]}}},"additionalProperties":false}}`, i, i))
	}
	path := filepath.Join(b.TempDir(), "tools.json")
	writeFile(b, path, "["+strings.Join(tools, ",\n")+"]")
	for b.Loop() {
		port := freePort(b)
		base, cmd, took := serving(b, port, "/readyz", need(b, shipped), "run", "--port", port, "--log-level", "error", "--manifest", path, "--mode", "oneshot", "--", "cat")
		report(b, "start with 10,000 tools", took.Seconds(), "s-load", "<= 1.5")
		report(b, "peak RSS", memory(b, cmd.Process.Pid, "VmHWM")/1024, "MiB-peak", "<= 64")
		var all []time.Duration
		for range 20 {
			all = append(all, timed(func() {
				res, err := http.Get(base + "/a2a/tools")
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}))
		}
		report(b, "list of 10,000", float64(median(all))/1e6, "ms-list", "<= 10")
		end(cmd)
	}
}
