package metrics

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	vm "github.com/VictoriaMetrics/metrics"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Metrics are the counters of one sidecar. All methods may be called from many
// goroutines; those that count cost a few atomic operations.
type Metrics struct {
	set *vm.Set

	inFlight, streams        atomic.Int64
	streamsEver              *vm.Counter
	received, sent           *vm.Counter
	created, cut             *vm.Counter
	reloaded, refused        *vm.Counter
	taskTook, turnTook       *histogram
	callTook                 *histogram
	requests                 sync.Map // requestKey → *vm.Counter
	requestTook              sync.Map // operation → *histogram
	finished, turns, outcome family
}

var (
	_ a2a.Observer  = (*Metrics)(nil)
	_ task.Observer = (*Metrics)(nil)
)

// requestKey are the labels of a request.
type requestKey struct {
	operation, binding string
	version            a2a.Version
	class              int
}

// New returns metrics with everything at zero. Version is the sidecar's own.
func New(version string) *Metrics {
	set := vm.NewSet()
	m := &Metrics{
		set:         set,
		streamsEver: set.NewCounter("sidecar_streams_total"),
		received:    set.NewCounter("sidecar_received_bytes_total"),
		sent:        set.NewCounter("sidecar_sent_bytes_total"),
		created:     set.NewCounter("sidecar_tasks_created_total"),
		cut:         set.NewCounter("sidecar_subscribers_cut_total"),
		reloaded:    set.NewCounter(`sidecar_manifest_reloads_total{result="ok"}`),
		refused:     set.NewCounter(`sidecar_manifest_reloads_total{result="refused"}`),
		taskTook:    newHistogram(set, "sidecar_task_duration_seconds", ""),
		turnTook:    newHistogram(set, "sidecar_turn_duration_seconds", ""),
		callTook:    newHistogram(set, "sidecar_call_duration_seconds", ""),
		finished:    newFamily(set, `sidecar_tasks_finished_total{state=%q}`),
		turns:       newFamily(set, `sidecar_turns_total{state=%q}`),
		outcome:     newFamily(set, `sidecar_calls_total{outcome=%q}`),
	}
	set.NewGauge("sidecar_requests_in_flight", func() float64 { return float64(m.inFlight.Load()) })
	set.NewGauge("sidecar_streams_open", func() float64 { return float64(m.streams.Load()) })
	set.NewGauge(fmt.Sprintf("sidecar_build_info{version=%q}", version), func() float64 { return 1 })
	return m
}

// Began implements a2a.Observer.
func (m *Metrics) Began() { m.inFlight.Add(1) }

// Answered implements a2a.Observer.
func (m *Metrics) Answered(o a2a.Observation) {
	m.inFlight.Add(-1)
	if o.Operation == "" {
		o.Operation = "none"
	}
	key := requestKey{o.Operation, o.Binding, o.Version, o.Status / 100}
	c, ok := m.requests.Load(key)
	if !ok {
		c, _ = m.requests.LoadOrStore(key, m.set.GetOrCreateCounter(fmt.Sprintf(
			`sidecar_requests_total{operation=%q,binding=%q,version=%q,code="%dxx"}`, key.operation, key.binding, key.version, key.class)))
	}
	c.(*vm.Counter).Inc()
	h, ok := m.requestTook.Load(o.Operation)
	if !ok {
		h, _ = m.requestTook.LoadOrStore(o.Operation, newHistogram(m.set, "sidecar_request_duration_seconds", fmt.Sprintf("operation=%q", o.Operation)))
	}
	h.(*histogram).observe(o.Duration)
}

// StreamBegan implements a2a.Observer.
func (m *Metrics) StreamBegan() { m.streams.Add(1); m.streamsEver.Inc() }

// StreamEnded implements a2a.Observer.
func (m *Metrics) StreamEnded() { m.streams.Add(-1) }

// Received implements a2a.Observer.
func (m *Metrics) Received(n int) { m.received.Add(n) }

// Sent implements a2a.Observer.
func (m *Metrics) Sent(n int) { m.sent.Add(n) }

// TaskCreated implements task.Observer.
func (m *Metrics) TaskCreated() { m.created.Inc() }

// TaskFinished implements task.Observer.
func (m *Metrics) TaskFinished(_ *task.Task, f task.Finished) {
	m.finished.inc(stateWord(f.State))
	m.taskTook.observe(f.Duration)
}

// SubscribersCut implements task.Observer.
func (m *Metrics) SubscribersCut(n int) { m.cut.Add(n) }

// TurnEnded counts a turn of the agent's by the state it left its task in.
func (m *Metrics) TurnEnded(state a2a.TaskState, took time.Duration) {
	m.turns.inc(stateWord(state))
	m.turnTook.observe(took)
}

// CallEnded counts a tool call. The outcome is one of the envelope's words.
func (m *Metrics) CallEnded(outcome string, took time.Duration) {
	m.outcome.inc(outcome)
	m.callTook.observe(took)
}

// ManifestJudged counts a reload; an error means that the last good list stays.
func (m *Metrics) ManifestJudged(err error) {
	if err != nil {
		m.refused.Inc()
		return
	}
	m.reloaded.Inc()
}

// stateWord is a state as a label: "input_required".
func stateWord(s a2a.TaskState) string {
	return strings.ToLower(strings.TrimPrefix(string(s), "TASK_STATE_"))
}

// family are counters that differ in one label.
type family struct {
	set    *vm.Set
	format string
	all    *sync.Map // label → *vm.Counter
}

func newFamily(set *vm.Set, format string) family { return family{set, format, new(sync.Map)} }

func (f family) inc(label string) {
	c, ok := f.all.Load(label)
	if !ok {
		c, _ = f.all.LoadOrStore(label, f.set.GetOrCreateCounter(fmt.Sprintf(f.format, label)))
	}
	c.(*vm.Counter).Inc()
}
