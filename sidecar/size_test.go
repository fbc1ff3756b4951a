package sidecar_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// size is what a process costs.
type size struct {
	rss             int64 // all in RAM, pages of the store's file among it
	anon            int64 // of that, what is its own
	fds, goroutines int
}

// size measures the sidecar.
func (r *running) size() size {
	r.t.Helper()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", r.cmd.Process.Pid))
	if err != nil {
		r.t.Skip(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		r.t.Skip(err)
	}
	kib := func(name string) (n int64) {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":")
		if _, err := fmt.Sscan(rest, &n); err != nil {
			r.t.Fatalf("%s: %v", name, err)
		}
		return n << 10
	}
	return size{rss: kib("VmRSS"), anon: kib("RssAnon"), fds: len(fds), goroutines: r.metric("go_goroutines")}
}

// metric reads one number of GET /metrics.
func (r *running) metric(name string) int {
	r.t.Helper()
	for line := range strings.Lines(r.getPath("/metrics").body) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				r.t.Fatalf("%s: %v", name, err)
			}
			return int(n)
		}
	}
	r.t.Fatalf("GET /metrics has no %s", name)
	return 0
}
