package sidecar_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func BenchmarkColdStart(b *testing.B) {
	bin, bare := shipped(b), floorServer(b)
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
		info, err := os.Stat(shipped(b))
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
