package sidecar_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// bareStore is the floor of what is durable: one small bbolt transaction.
func bareStore(b *testing.B, dir string) func() {
	b.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "bare.db"), 0o600, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	n := 0
	value := make([]byte, 500) // about a head
	return func() {
		err := db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("b"))
			if err != nil {
				return err
			}
			n++
			return bucket.Put(fmt.Appendf(nil, "%09d", n), value)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStore is what an acknowledged task costs with the disk store, beside
// the memory store and one bare transaction, for a client alone and for 32 that
// share theirs. The agent takes messages over the channel: there is little else
// that takes time.
func BenchmarkStore(b *testing.B) {
	dir := b.TempDir()
	agent := append([]string{"--deliver", "channel", "--"}, agentCommand(b, "connected")...)
	memory, _ := ship(b, agent...)
	disk, _ := ship(b, append([]string{"--state-dir", dir}, agent...)...)
	bare := bareStore(b, dir)
	send := func(base string) func() time.Duration {
		return func() time.Duration { return timed(func() { sendText(b, base, "hello") }) }
	}
	for b.Loop() {
		var inMemory, onDisk, update []time.Duration
		before := commits(b, disk)
		for range 300 {
			inMemory = append(inMemory, send(memory)())
			onDisk = append(onDisk, send(disk)())
			update = append(update, timed(bare))
		}
		report(b, "transactions for a task of a client alone", (commits(b, disk)-before)/300, "commits", "1")
		m, d, u := median(inMemory), median(onDisk), median(update)
		b.Logf("acknowledged task: memory %v, disk %v, one bare transaction %v", m, d, u)
		report(b, "a task's cost on disk, over a bare transaction", float64(d-m)/float64(u), "x-fsync", "~ 1 (one fsync)")

		many := func(base string) float64 {
			const clients, each = 32, 20
			took := timed(func() {
				var wg sync.WaitGroup
				for range clients {
					wg.Go(func() {
						for range each {
							sendText(b, base, "hello")
						}
					})
				}
				wg.Wait()
			})
			return took.Seconds() * 1e6 / (clients * each)
		}
		mm, dd := many(memory), many(disk)
		b.Logf("32 clients: %.0f µs a task in memory, %.0f µs on disk", mm, dd)
		report(b, "a task's cost on disk, 32 clients, over a bare transaction", (dd-mm)*1e3/float64(u), "x-fsync-32", "< 1 (shared)")
	}
}

// commits are the transactions of a sidecar's store so far.
func commits(b *testing.B, base string) (n float64) {
	b.Helper()
	res, err := http.Get(base + "/metrics")
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "\nsidecar_store_commits_total ")
	if _, err := fmt.Sscan(after, &n); err != nil {
		b.Fatalf("no count of commits: %v", err)
	}
	return n
}

// BenchmarkStoreOneshot is BenchmarkOneshotMessage with the disk store.
func BenchmarkStoreOneshot(b *testing.B) {
	dir := b.TempDir()
	memory, _ := ship(b, "--mode", "oneshot", "--", "/bin/cat")
	disk, _ := ship(b, "--state-dir", dir, "--mode", "oneshot", "--", "/bin/cat")
	bare := bareStore(b, dir)
	for b.Loop() {
		var inMemory, onDisk, update []time.Duration
		before := commits(b, disk)
		for range 200 {
			inMemory = append(inMemory, timed(func() { sendText(b, memory, "hello") }))
			onDisk = append(onDisk, timed(func() { sendText(b, disk, "hello") }))
			update = append(update, timed(bare))
		}
		report(b, "transactions for a oneshot message", (commits(b, disk)-before)/200, "commits", "1")
		m, d, u := median(inMemory), median(onDisk), median(update)
		b.Logf("oneshot message: memory %v, disk %v, one bare transaction %v", m, d, u)
		report(b, "oneshot on disk over in memory, in bare transactions", float64(d-m)/float64(u), "x-fsync", "<= 1 (+ one fsync)")
	}
}
