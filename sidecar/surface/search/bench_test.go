package search_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// manyTools is the size that the budget is for: a search of so many takes less than 1 ms.
const manyTools = 10_000

// BenchmarkSearch searches 10,000 tools by each labelled query in turn. It prints the median,
// the 99th percentile, and how much less than a linear scan of all names and descriptions for
// the query's words that is.
func BenchmarkSearch(b *testing.B) {
	docs := tools(b)
	all := append(queries(b, "queries.txt", docs), queries(b, "heldout.txt", docs)...)
	docs = many(docs, manyTools)
	ix := search.New(docs)
	times := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		ix.Search(all[i%len(all)].query, 10)
		times = append(times, time.Since(start))
	}
	b.StopTimer()
	var scans []time.Duration
	for i := range 100 {
		start := time.Now()
		scan(docs, all[i%len(all)].query)
		scans = append(scans, time.Since(start))
	}
	slices.Sort(times)
	slices.Sort(scans)
	p50, p99, floor := times[len(times)/2], times[len(times)*99/100], scans[len(scans)/2]
	b.ReportMetric(float64(p50.Microseconds()), "p50-µs")
	b.ReportMetric(float64(p99.Microseconds()), "p99-µs")
	b.ReportMetric(float64(p50)/float64(floor), "of-a-scan")
}

// scan is the floor: it looks for each word of a query in each text, and ranks nothing.
func scan(docs []search.Doc, query string) (found int) {
	words := strings.Fields(strings.ToLower(query))
	for _, d := range docs {
		for _, w := range words {
			if strings.Contains(d.Name, w) || strings.Contains(d.Description, w) {
				found++
			}
		}
	}
	return found
}

// BenchmarkWorst searches by queries that have as many words as count, all in most tools.
func BenchmarkWorst(b *testing.B) {
	docs := many(tools(b), manyTools)
	ix := search.New(docs)
	query := worstQuery()
	b.ReportAllocs()
	for b.Loop() {
		ix.Search(query, search.MaxLimit)
	}
}

func worstQuery() string {
	return "only acme globex list file get create text message search image database issue update ledger turbine stripe event run page misspeled unknwon words re"
}

// BenchmarkNew indexes 10,000 tools and prints what the index holds for each.
func BenchmarkNew(b *testing.B) {
	docs := many(tools(b), manyTools)
	var ix *search.Index
	for b.Loop() {
		ix = search.New(docs)
	}
	b.ReportMetric(bytesPerTool(docs), "B/tool")
	runtime.KeepAlive(ix)
}

// bytesPerTool returns what the heap grows by for each tool when an index is built.
func bytesPerTool(docs []search.Doc) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ix := search.New(docs)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(ix)
	return float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / float64(len(docs))
}

// TestMemoryOfAnIndex holds the number of doc.go.
func TestMemoryOfAnIndex(t *testing.T) {
	const most = 700
	docs := many(tools(t), manyTools)
	search.New(docs) // what is made once
	got := bytesPerTool(docs)
	t.Logf("%.0f bytes a tool", got)
	if got > most {
		t.Errorf("an index holds %.0f bytes a tool, want at most %d", got, most)
	}
	var names int
	for _, d := range docs {
		names += len(fmt.Sprint(d.Name, d.Description))
	}
	t.Logf("%d bytes a tool are in the names and descriptions themselves", names/len(docs))
}
