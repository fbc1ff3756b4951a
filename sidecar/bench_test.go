package sidecar_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The benchmarks run the binary as it is shipped, beside the floor of
// testdata/floor, in pairs, and report ratios: these machines are noisy, and a
// time alone says nothing. Each logs its budget beside what it
// saw; none fails, because a budget is judged by the best of three runs.

// shipped builds the program as it is shipped and returns its file, which is there as long as the
// test runs.
func shipped(tb testing.TB) string { return goBuild(tb, "..") }

// floorServer is shipped for the floor.
func floorServer(tb testing.TB) string { return goBuild(tb, "testdata/floor") }

func goBuild(tb testing.TB, dir string) string {
	tb.Helper()
	script, err := filepath.Abs("../.ci/binary")
	if err != nil {
		tb.Fatal(err)
	}
	out := filepath.Join(tb.TempDir(), "program")
	cmd := exec.Command(script, out)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("building %s: %v\n%s", dir, err, b)
	}
	return out
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
	base, cmd, _ := serving(b, port, "/readyz", shipped(b), append([]string{"run", "--host", "127.0.0.1", "--port", port, "--log-level", "error"}, args...)...)
	b.Cleanup(func() { end(cmd) })
	return base, cmd
}

func floorAt(b *testing.B, command ...string) (string, *exec.Cmd) {
	b.Helper()
	port := freePort(b)
	base, cmd, _ := serving(b, port, "/.well-known/agent.json", floorServer(b), append([]string{"127.0.0.1:" + port}, command...)...)
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

func timed(f func()) time.Duration {
	begin := time.Now()
	f()
	return time.Since(begin)
}
