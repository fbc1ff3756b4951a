package sidecar_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestMalformedRequests sends 10,000 requests that nobody would send on
// purpose to all endpoints of a running sidecar: JSON that was tampered with,
// methods, paths, queries and headers that do not belong together, and bytes
// that are no HTTP at all. Each is answered or hung up on, none by a fault of
// the sidecar's own, and it is none the bigger for it.
//
// The requests are the same every time; FUZZ_SEED makes others, and FUZZ_COUNT
// more.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	seed, count := number(t, "FUZZ_SEED", 1), number(t, "FUZZ_COUNT", 10_000)
	if testing.Short() {
		count = 2_000
	}
	manifest := writeManifest(t, `[
		{"name":"test.agent","description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}},
		{"name":"test.never","description":"d","inputSchema":{"type":"object","required":["x"],"properties":{"x":{"const":0.5}}}}]`)
	// GOGC: what is measured is what is kept, not what waits to be collected.
	r := runWith(t, []string{"GOGC=20"}, append([]string{"--deliver", "channel", "--manifest", manifest, "--keep-bytes", "6400KiB", "--retain-bytes", "20000KiB", "--stall-timeout", "2s",
		"--state-dir", t.TempDir(), "--"}, agentCommand(t, "connected")...)...)
	f := &fuzzer{r: r, address: strings.TrimPrefix(r.url, "http://"), ended: r.send("hello").ID}

	f.storm(seed, 0, count/5) // what is made once is made
	before := f.calm()
	f.storm(seed, count/5, count)
	after := f.calm()
	t.Logf("before %v, after %v; %d answers, %d hung up on, by status %v", before, after, f.answered, f.hungUp, f.statuses)

	if after.fds > before.fds+5 {
		t.Errorf("file descriptors: %d, then %d", before.fds, after.fds)
	}
	if after.goroutines > before.goroutines+10 {
		t.Errorf("goroutines: %d, then %d", before.goroutines, after.goroutines)
	}
	if after.anon > before.anon*5/4+32<<20 {
		t.Errorf("memory: %d MiB, then %d MiB", before.anon>>20, after.anon>>20)
	}
	if f.answered < count/2 {
		t.Errorf("only %d of %d were answered: the fuzzer tests nothing", f.answered, count)
	}
	for _, said := range []string{`"panic`, `"level":"ERROR"`} {
		if strings.Contains(r.log.String(), said) {
			t.Errorf("the log says %s", said)
		}
	}
	if got := artifact(r.send("still there"), "response"); got != "still there" {
		t.Errorf("afterwards it answers %q", got)
	}
}

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// fuzzer sends the requests and judges the answers.
type fuzzer struct {
	r       *running
	address string
	ended   string // a task that has ended

	mu               sync.Mutex
	answered, hungUp int
	failed           int
	statuses         map[int]int
}

// calm waits until nothing is left to do and measures.
func (f *fuzzer) calm() (s size) {
	f.r.t.Helper()
	least := f.r.size()
	steady := 0
	await.True(f.r.t, "it calms down", func() bool {
		s = f.r.size()
		if s.fds >= least.fds && s.goroutines >= least.goroutines {
			steady++
		} else {
			steady = 0
		}
		least.fds, least.goroutines = min(least.fds, s.fds), min(least.goroutines, s.goroutines)
		return steady >= 50
	})
	s.fds, s.goroutines = least.fds, least.goroutines
	return s
}

// storm sends the requests from first to last, eight at a time.
func (f *fuzzer) storm(seed, first, last int) {
	next := make(chan int)
	var senders sync.WaitGroup
	for range 8 {
		senders.Go(func() {
			for i := range next {
				f.send(i, compose(rand.New(rand.NewPCG(uint64(seed), uint64(i))), f.ended))
			}
		})
	}
	for i := first; i < last && f.faults() < 20; i++ {
		next <- i
	}
	close(next)
	senders.Wait()
}

// send delivers one request on a connection of its own and judges the answer.
func (f *fuzzer) send(i int, q request) {
	conn, err := net.Dial("tcp", f.address)
	if err != nil {
		f.fail(i, q, "%v", err)
		return
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(deadline)); err != nil {
		f.fail(i, q, "%v", err)
		return
	}
	_, _ = conn.Write(q.bytes) // it may hang up before all is sent
	if q.leaves {
		f.count(0)
		return
	}
	answer := bufio.NewReader(conn)
	if q.raw && !begins(conn, answer) {
		_ = conn.(*net.TCPConn).CloseWrite() // nothing follows that it could wait for
		q.gone = true
	}
	res, err := http.ReadResponse(answer, &http.Request{Method: q.method})
	for err == nil && res.StatusCode == http.StatusContinue {
		res, err = http.ReadResponse(answer, &http.Request{Method: q.method})
	}
	if err != nil {
		if slow, ok := err.(net.Error); ok && slow.Timeout() {
			f.fail(i, q, "is not answered")
		} else if !q.raw {
			f.fail(i, q, "is hung up on: %v", err)
		}
		f.count(0)
		return
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil && !q.raw {
		f.fail(i, q, "has half an answer, %v: %d %.200q", err, res.StatusCode, body)
	}
	f.count(res.StatusCode)
	if fault := q.fault(res.StatusCode, body); fault != "" {
		f.fail(i, q, "meets %s: %d %.500q", fault, res.StatusCode, body)
	}
}

// begins reports whether an answer comes although the request may be half.
func begins(conn net.Conn, answer *bufio.Reader) bool {
	_ = conn.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
	_, err := answer.Peek(1)
	_ = conn.SetReadDeadline(time.Now().Add(deadline))
	slow, ok := err.(net.Error)
	return !ok || !slow.Timeout()
}

// fault says what is wrong with an answer, "" for nothing.
func (q request) fault(status int, body []byte) string {
	switch {
	case status == http.StatusNotImplemented || status == http.StatusHTTPVersionNotSupported:
		if !q.raw {
			return "an answer of net/http's own to a request that is HTTP"
		}
	case status == http.StatusBadGateway && q.tool: // the agent said no
	case q.gone: // to the server it went away: what it is told then is nobody's business
	case status >= 500:
		return "a fault of the server's"
	case bytes.Contains(body, []byte(`"code":-32603`)):
		return "an internal error"
	}
	return ""
}

func (f *fuzzer) count(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.statuses == nil {
		f.statuses = map[int]int{}
	}
	f.statuses[status]++
	if status == 0 {
		f.hungUp++
	} else {
		f.answered++
	}
}

// fail reports what one request brought to light.
func (f *fuzzer) fail(i int, q request, format string, args ...any) {
	f.r.t.Helper()
	f.mu.Lock()
	f.failed++
	f.mu.Unlock()
	f.r.t.Errorf("request %d %s:\n%.2000q", i, fmt.Sprintf(format, args...), q.bytes)
}

func (f *fuzzer) faults() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}
