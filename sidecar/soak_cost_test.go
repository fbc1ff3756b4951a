package sidecar_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// cost is what a sidecar takes at one moment.
type cost struct {
	size
	processes int // below it
	disk      int64
}

func (s *soaked) line(at time.Duration) {
	s.mu.Lock()
	took, done := s.took, s.done
	s.took, s.done = nil, 0
	s.mu.Unlock()
	slices.Sort(took)
	quantile := func(q float64) time.Duration {
		if len(took) == 0 {
			return 0
		}
		return took[int(q*float64(len(took)-1))].Round(10 * time.Microsecond)
	}
	c := s.samples[len(s.samples)-1]
	fmt.Printf("%8s  %-9s %8.1f %8.1f %5d %10d %9d %9.1f %8d %9s %9s\n", at.Round(time.Second), s.name, float64(c.rss)/(1<<20), float64(c.anon)/(1<<20), c.fds, c.goroutines,
		c.processes, float64(c.disk)/(1<<20), done, quantile(0.5), quantile(0.99))
}

// ahead are the descriptors of what the next calls of the load's two tools need: a folder and the file
// of its message, and both ends of a door, each.
const ahead = 2 * 4

// judge compares the last third of the samples with the second, and what is
// left when the load has gone with what was there before it came.
func (s *soaked) judge() {
	s.t.Helper()
	for i, f := range s.faults {
		if i == 5 {
			s.t.Errorf("%s: %d more faults", s.name, len(s.faults)-i)
			break
		}
		s.t.Errorf("%s: %s", s.name, f)
	}
	third := len(s.samples) / 3
	if third < 3 {
		s.t.Fatalf("%s: %d samples are too few", s.name, len(s.samples))
	}
	before, after := middle(s.samples[third:2*third]), middle(s.samples[2*third:])
	s.flat("memory of its own, MiB", before.anon>>20, after.anon>>20, before.anon>>20*15/100+4)
	// These follow how much is under way at once, and that the machine: what is
	// left when the load has gone is looked at more closely below.
	s.flat("file descriptors", int64(before.fds), int64(after.fds), 100)
	s.flat("goroutines", int64(before.goroutines), int64(after.goroutines), 200)
	s.flat("processes", int64(before.processes), int64(after.processes), 40)
	s.flat("disk, MiB", before.disk>>20, after.disk>>20, before.disk>>20*25/100+16) // a step of its growth

	s.http.CloseIdleConnections()
	await.True(s.t, s.name+": all work ends", func() bool {
		return s.metric(`sidecar_tasks{state="working"}`)+s.metric(`sidecar_tasks{state="submitted"}`) == 0
	})
	var left cost
	await.True(s.t, s.name+": it is as it was before", func() bool {
		left = s.measure()
		return left.fds <= s.idle.fds+5+ahead && left.goroutines <= s.idle.goroutines+10 && left.processes <= s.idle.processes || s.t.Failed()
	})
	fmt.Printf("%8s  %-9s %8.1f %8.1f %5d %10d %9d %9.1f\n", "after", s.name, float64(left.rss)/(1<<20), float64(left.anon)/(1<<20), left.fds, left.goroutines, left.processes, float64(left.disk)/(1<<20))
}

func (s *soaked) flat(what string, before, after, room int64) {
	s.t.Helper()
	if after > before+room {
		s.t.Errorf("%s: %s grew from %d to %d", s.name, what, before, after)
	}
}

// middle is the median of each cost.
func middle(samples []cost) (c cost) {
	of := func(get func(cost) int64) int64 {
		var all []int64
		for _, s := range samples {
			all = append(all, get(s))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	c.anon = of(func(c cost) int64 { return c.anon })
	c.fds = int(of(func(c cost) int64 { return int64(c.fds) }))
	c.goroutines = int(of(func(c cost) int64 { return int64(c.goroutines) }))
	c.processes = int(of(func(c cost) int64 { return int64(c.processes) }))
	c.disk = of(func(c cost) int64 { return c.disk })
	return c
}

func (s *soaked) measure() cost {
	s.t.Helper()
	c := cost{size: s.size(), processes: descendants(s.cmd.Process.Pid)}
	files, err := os.ReadDir(s.state)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil { // one that has gone meanwhile takes nothing
			c.disk += info.Size()
		}
	}
	return c
}

// descendants counts the processes below one.
func descendants(pid int) int {
	parents := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is good
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))) // digits, by the pattern
		parent, _ := strconv.Atoi(fields[1])
		parents[parent] = append(parents[parent], id)
	}
	n := 0
	for below := parents[pid]; len(below) > 0; below = below[1:] {
		n++
		below = append(below, parents[below[0]]...)
	}
	return n
}
