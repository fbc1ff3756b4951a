package task_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// n chunks cost O(n): the time of one is the same at every size. The last
// figure is the time per chunk over that at the smallest size.
func BenchmarkAppend(b *testing.B) {
	line := strings.Repeat("x", 64)
	first := 0.0
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				k := newTask(task.Options{})
				for range n {
					write(b, k, line)
				}
				k.Finish(a2a.StateCompleted, nil, nil)
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N*n)
			if first == 0 {
				first = each
			}
			b.ReportMetric(each, "ns/chunk")
			b.ReportMetric(each/first, "×smallest")
		})
	}
}

// From a write until each of the subscribers has the event encoded.
func BenchmarkWriteToEvent(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			k := newTask(task.Options{})
			var readers sync.WaitGroup
			got := make(chan time.Time, n)
			for range n {
				s := k.Subscribe()
				readers.Go(func() {
					defer s.Close()
					for {
						events, err := s.Next(b.Context())
						if err != nil {
							return
						}
						for _, e := range events {
							if e.Artifact != nil {
								codec.EncodeEvent(e, a2a.V10)
								got <- time.Now()
							}
						}
					}
				})
			}
			var all []time.Duration
			for b.Loop() {
				start := time.Now()
				write(b, k, "chunk")
				for range n {
					all = append(all, (<-got).Sub(start))
				}
			}
			b.StopTimer()
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Nanoseconds())/1e6, "p50-ms")
			b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds())/1e6, "p99-ms")
			k.Finish(a2a.StateCompleted, nil, nil)
			readers.Wait()
		})
	}
}

// 64 MiB through the log to one subscriber that encodes it.
func BenchmarkStream(b *testing.B) {
	line := strings.Repeat("x", 32<<10)
	b.SetBytes(64 << 20)
	for b.Loop() {
		k := newTask(task.Options{})
		s := k.Subscribe()
		var reader sync.WaitGroup
		reader.Go(func() {
			defer s.Close()
			for {
				events, err := s.Next(b.Context())
				if err != nil {
					return
				}
				for _, e := range events {
					codec.EncodeEvent(e, a2a.V10)
				}
			}
		})
		for range 2048 {
			write(b, k, line)
		}
		k.Finish(a2a.StateCompleted, nil, nil)
		reader.Wait()
	}
}

// A page out of 10,000 tasks that are in the store only.
func BenchmarkList(b *testing.B) {
	s := newFakeStore()
	r := open(b, s, task.Options{KeepTasks: 1})
	for i := range 10_000 {
		k := r.Create("", fmt.Sprint("ctx", i%100), message("hello"), nil)
		k.Finish(a2a.StateCompleted, nil, nil)
	}
	for name, q := range map[string]a2a.ListRequest{
		"all":     {PageSize: 1},
		"context": {PageSize: 1, ContextID: "ctx7"},
		"page":    {PageSize: 100},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.List(b.Context(), &q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
