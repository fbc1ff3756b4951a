package metrics

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// exposition is a text of the OpenMetrics format, 1.0.
type exposition struct{ text []byte }

// counter begins a family of counters; the samples' names end in _total.
func (e *exposition) counter(name, help string) { e.family(name, "counter", help) }

func (e *exposition) gauge(name, help string) { e.family(name, "gauge", help) }

func (e *exposition) family(name, kind, help string) {
	e.text = fmt.Appendf(e.text, "# TYPE %s %s\n# HELP %s %s\n", name, kind, name, help)
}

// sample adds a sample. labels is the text between the braces, "" for none.
func (e *exposition) sample(name, labels string, value float64) {
	e.text = append(e.text, name...)
	if labels != "" {
		e.text = fmt.Appendf(e.text, "{%s}", labels)
	}
	e.text = append(append(append(e.text, ' '), strconv.FormatFloat(value, 'f', -1, 64)...), '\n')
}

// level adds a gauge with one sample.
func (e *exposition) level(name, help string, value float64) {
	e.gauge(name, help)
	e.sample(name, "", value)
}

// count adds a counter with one sample.
func (e *exposition) count(name, help string, value uint64) {
	e.counter(name, help)
	e.sample(name+"_total", "", float64(value))
}

// end returns the whole text.
func (e *exposition) end() []byte { return append(e.text, "# EOF\n"...) }

// table has one T for each set of labels that was ever used; there are few. All
// methods may be called from many goroutines.
type table[K comparable, T any] struct {
	mu   sync.RWMutex
	rows map[K]*T
	keys []K // in the order they came
}

// of returns the T for a key.
func (t *table[K, T]) of(key K) *T {
	t.mu.RLock()
	row := t.rows[key]
	t.mu.RUnlock()
	if row != nil {
		return row
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if row = t.rows[key]; row != nil {
		return row
	}
	if t.rows == nil {
		t.rows = make(map[K]*T)
	}
	row = new(T)
	t.rows[key] = row
	t.keys = append(t.keys, key)
	return row
}

// each calls f for every entry, in the order in which they were added.
func (t *table[K, T]) each(f func(K, *T)) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, key := range t.keys {
		f(key, t.rows[key])
	}
}

// bounds are the upper ends of a histogram's buckets, in milliseconds: from a
// request that only reads to a turn that thinks.
func bounds() [finite]int64 { return [...]int64{1, 5, 25, 100, 500, 2500, 10_000, 60_000, 600_000} }

// finite is how many buckets have an upper end.
const finite = 9

// histogram counts durations.
type histogram struct {
	buckets [finite + 1]atomic.Uint64 // each without those below it
	sum     atomic.Int64              // nanoseconds
}

func (h *histogram) observe(d time.Duration) {
	i := 0
	for _, end := range bounds() {
		if d <= time.Duration(end)*time.Millisecond {
			break
		}
		i++
	}
	h.sum.Add(int64(d))
	h.buckets[i].Add(1)
}

// write adds the samples of one histogram of a family.
func (h *histogram) write(e *exposition, name, labels string) {
	comma := ""
	if labels != "" {
		comma = ","
	}
	var all uint64
	for i := range h.buckets {
		end := "+Inf"
		if i < finite {
			end = canonical(float64(bounds()[i]) / 1000)
		}
		all += h.buckets[i].Load()
		e.sample(name+"_bucket", labels+comma+`le="`+end+`"`, float64(all))
	}
	e.sample(name+"_sum", labels, time.Duration(h.sum.Load()).Seconds())
	e.sample(name+"_count", labels, float64(all))
}

// canonical returns a number as the format requires it in a label: always with a dot.
func canonical(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	for _, c := range s {
		if c == '.' {
			return s
		}
	}
	return s + ".0"
}
