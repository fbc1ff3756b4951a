package sidecar_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

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
