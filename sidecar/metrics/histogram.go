package metrics

import (
	"fmt"
	"time"

	vm "github.com/VictoriaMetrics/metrics"
)

// bounds are the upper ends of a histogram's buckets: from a request that only
// reads to a turn that thinks.
func bounds() []time.Duration {
	return []time.Duration{
		time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond,
		500 * time.Millisecond, 2500 * time.Millisecond, 10 * time.Second, time.Minute, 10 * time.Minute,
	}
}

// histogram is one as Prometheus has it. The library's own has buckets that only
// its database reads.
type histogram struct {
	bounds  []time.Duration
	buckets []*vm.Counter // of durations up to the bound, so that they add up
	count   *vm.Counter   // the last bucket too
	sum     *vm.FloatCounter
}

// newHistogram registers one, or takes up the one that is there. labels is
// empty or `name="value"`.
func newHistogram(set *vm.Set, name, labels string) *histogram {
	h := &histogram{bounds: bounds()}
	comma, braces := "", ""
	if labels != "" {
		comma, braces = labels+",", "{"+labels+"}"
	}
	for _, b := range h.bounds {
		h.buckets = append(h.buckets, set.GetOrCreateCounter(fmt.Sprintf(`%s_bucket{%sle="%g"}`, name, comma, b.Seconds())))
	}
	h.count = set.GetOrCreateCounter(name + "_count" + braces)
	h.sum = set.GetOrCreateFloatCounter(name + "_sum" + braces)
	all := h.count
	set.GetOrCreateGauge(fmt.Sprintf(`%s_bucket{%sle="+Inf"}`, name, comma), func() float64 { return float64(all.Get()) })
	return h
}

func (h *histogram) observe(d time.Duration) {
	h.count.Inc() // first: a bucket never holds more than all of them
	h.sum.Add(d.Seconds())
	for i := len(h.bounds) - 1; i >= 0 && d <= h.bounds[i]; i-- {
		h.buckets[i].Inc()
	}
}
