package disk_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// BenchmarkAppendWait is one task kept, waited for, in pairs with a bare bbolt
// transaction of as many bytes.
func BenchmarkAppendWait(b *testing.B) {
	dir := b.TempDir()
	s := mustOpen(b, disk.Options{Dir: dir})
	db, err := bbolt.Open(filepath.Join(dir, "bare.db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var ours, bare []time.Duration
	value := make([]byte, 500)
	for n := 0; b.Loop(); n++ {
		begin := time.Now()
		id := name(n)
		mustWait(b, s.Append(b.Context(), &task.Change{
			TaskID: id, Head: head(id, uint64(n), a2a.StateCompleted), Messages: []*a2a.Message{message(id, "hi")}, Event: chunk(id, 1, "hi"),
		}))
		ours = append(ours, time.Since(begin))
		begin = time.Now()
		err := db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("b"))
			if err != nil {
				return err
			}
			return bucket.Put(fmt.Appendf(nil, "%09d", n), value)
		})
		if err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(begin))
	}
	slices.Sort(ours)
	slices.Sort(bare)
	b.ReportMetric(float64(ours[len(ours)/2])/float64(bare[len(bare)/2]), "x-bare")
}

// BenchmarkChunks is the writing of artifact chunks that nobody waits for.
func BenchmarkChunks(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			s := mustOpen(b, disk.Options{Dir: b.TempDir()})
			text := strings.Repeat("x", 100)
			const each = 2000
			for b.Loop() {
				var wg sync.WaitGroup
				for w := range writers {
					wg.Go(func() {
						id := name(w)
						c := s.Append(b.Context(), &task.Change{TaskID: id, Head: head(id, 1, a2a.StateWorking)})
						for i := range uint64(each) {
							c = s.Append(b.Context(), &task.Change{TaskID: id, Event: chunk(id, i+1, text)})
						}
						mustWait(b, c)
					})
				}
				wg.Wait()
			}
			b.ReportMetric(float64(b.N*writers*each)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkOpen is a start with 10,000 tasks.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	s := mustOpen(b, disk.Options{Dir: dir})
	var c task.Commit
	for i := range 10_000 {
		c = s.Append(b.Context(), &task.Change{TaskID: name(i), Head: head(name(i), uint64(i), a2a.StateCompleted), Event: chunk(name(i), 1, strings.Repeat("x", 1000)), Messages: []*a2a.Message{message(name(i), "hi")}})
	}
	mustWait(b, c)
	mustClose(b, s)
	for b.Loop() {
		s := mustOpen(b, disk.Options{Dir: dir})
		if got := len(ids(b, s)); got != 10_000 {
			b.Fatal(got)
		}
		mustClose(b, s)
	}
}
