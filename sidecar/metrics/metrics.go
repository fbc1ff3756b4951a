package metrics

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Metrics are the counters of one sidecar. All methods may be called from many
// goroutines; those that count cost a few atomic operations.
type Metrics struct {
	version string

	inFlight, streams atomic.Int64
	streamsEver       atomic.Uint64
	received, sent    atomic.Uint64
	created, cut      atomic.Uint64
	reloaded, refused atomic.Uint64
	native            atomic.Uint64

	requests    table[requestKey, atomic.Uint64]
	requestTook table[string, histogram]     // by operation
	finished    table[string, atomic.Uint64] // by state
	turns       table[string, atomic.Uint64] // by state
	outcomes    table[string, atomic.Uint64]
	decisions   table[decisionKey, atomic.Uint64]
	watchdog    table[string, atomic.Uint64] // failures by kind

	taskTook, turnTook, callTook histogram
}

var (
	_ server.Observer = (*Metrics)(nil)
	_ task.Observer   = (*Metrics)(nil)
)

// requestKey holds the labels of a request.
type requestKey struct {
	operation, binding string
	version            a2a.Version
	class              int
}

// New returns metrics with everything at zero. Version is the sidecar's own.
func New(version string) *Metrics { return &Metrics{version: version} }

// Began implements a2a.Observer.
func (m *Metrics) Began() { m.inFlight.Add(1) }

// Answered implements a2a.Observer.
func (m *Metrics) Answered(o server.Observation) {
	m.inFlight.Add(-1)
	if o.Operation == "" {
		o.Operation = "none"
	}
	m.requests.of(requestKey{o.Operation, o.Binding, o.Version, o.Status / 100}).Add(1)
	m.requestTook.of(o.Operation).observe(o.Duration)
}

// StreamBegan implements a2a.Observer.
func (m *Metrics) StreamBegan() { m.streams.Add(1); m.streamsEver.Add(1) }

// StreamEnded implements a2a.Observer.
func (m *Metrics) StreamEnded() { m.streams.Add(-1) }

// Received implements a2a.Observer.
func (m *Metrics) Received(n int) { m.received.Add(uint64(n)) }

// Sent implements a2a.Observer.
func (m *Metrics) Sent(n int) { m.sent.Add(uint64(n)) }

// TaskCreated implements task.Observer.
func (m *Metrics) TaskCreated() { m.created.Add(1) }

// TaskFinished implements task.Observer.
func (m *Metrics) TaskFinished(_ *task.Task, f task.Finished) {
	m.finished.of(stateWord(f.State)).Add(1)
	m.taskTook.observe(f.Duration)
}

// SubscribersCut implements task.Observer.
func (m *Metrics) SubscribersCut(n int) { m.cut.Add(uint64(n)) }

// TurnEnded counts a turn of the agent by the state in which it left its task.
func (m *Metrics) TurnEnded(state a2a.TaskState, took time.Duration) {
	m.turns.of(stateWord(state)).Add(1)
	m.turnTook.observe(took)
}

// NativeUsed counts a use of a governed agent's own tool.
func (m *Metrics) NativeUsed() { m.native.Add(1) }

// CallEnded counts a tool call. The outcome is one of the envelope's words.
func (m *Metrics) CallEnded(outcome string, took time.Duration) {
	m.outcomes.of(outcome).Add(1)
	m.callTook.observe(took)
}

// decisionKey holds the labels of a decision.
type decisionKey struct{ verdict, kind string }

// CallDecided counts a decision about a call: its verdict, and what kind of thing made it.
func (m *Metrics) CallDecided(verdict, kind string) {
	m.decisions.of(decisionKey{verdict, kind}).Add(1)
}

// WatchdogFailed counts an answer of the watchdog that did not come, by the word for why.
func (m *Metrics) WatchdogFailed(why string) { m.watchdog.of(why).Add(1) }

// ManifestJudged counts a reload; an error means that the last good list stays in force.
func (m *Metrics) ManifestJudged(err error) {
	if err != nil {
		m.refused.Add(1)
		return
	}
	m.reloaded.Add(1)
}

// stateWord returns a state as a label, such as "input_required".
func stateWord(s a2a.TaskState) string {
	return strings.ToLower(strings.TrimPrefix(string(s), "TASK_STATE_"))
}

// Text returns the body of GET /metrics in OpenMetrics 1.0: the counters, the levels, and
// the resources that the process uses.
func (m *Metrics) Text(l Levels) []byte {
	e := &exposition{}
	e.gauge("sidecar_build_info", "The version that runs; always 1.")
	e.sample("sidecar_build_info", fmt.Sprintf("version=%q", m.version), 1)
	m.write(e)
	l.write(e)
	writeProcess(e)
	return e.end()
}

func (m *Metrics) write(e *exposition) {
	e.level("sidecar_requests_in_flight", "Requests that are not answered yet, streams among them.", float64(m.inFlight.Load()))
	e.counter("sidecar_requests", "Requests by operation, binding, version of the protocol and class of the HTTP status.")
	m.requests.each(func(k requestKey, n *atomic.Uint64) {
		e.sample("sidecar_requests_total", fmt.Sprintf(`operation=%q,binding=%q,version=%q,code="%dxx"`, k.operation, k.binding, k.version, k.class), float64(n.Load()))
	})
	e.family("sidecar_request_duration_seconds", "histogram", "How long requests took to answer, by operation.")
	m.requestTook.each(func(operation string, h *histogram) {
		h.write(e, "sidecar_request_duration_seconds", fmt.Sprintf("operation=%q", operation))
	})
	e.level("sidecar_streams_open", "Streams that are open.", float64(m.streams.Load()))
	e.count("sidecar_streams", "Streams that were opened.", m.streamsEver.Load())
	e.count("sidecar_received_bytes", "Bytes of request bodies.", m.received.Load())
	e.count("sidecar_sent_bytes", "Bytes of response bodies.", m.sent.Load())
	e.count("sidecar_subscribers_cut", "Subscribers cut off because they read too slowly.", m.cut.Load())

	e.count("sidecar_tasks_created", "Tasks that were made.", m.created.Load())
	byLabel(e, "sidecar_tasks_finished", "Tasks that ended, by state.", "state", &m.finished)
	took(e, "sidecar_task_duration_seconds", "How long tasks took.", &m.taskTook)
	byLabel(e, "sidecar_turns", "Turns of the agent, by the state that they left their task in.", "state", &m.turns)
	took(e, "sidecar_turn_duration_seconds", "How long turns took.", &m.turnTook)
	byLabel(e, "sidecar_calls", "Tool calls, by outcome.", "outcome", &m.outcomes)
	took(e, "sidecar_call_duration_seconds", "How long tool calls took.", &m.callTook)
	e.counter("sidecar_call_decisions", "Decisions about tool calls, by verdict and by what made them.")
	m.decisions.each(func(k decisionKey, n *atomic.Uint64) {
		e.sample("sidecar_call_decisions_total", fmt.Sprintf("verdict=%q,kind=%q", k.verdict, k.kind), float64(n.Load()))
	})
	e.count("sidecar_native_tools", "Uses of a governed agent's own tools that were seen.", m.native.Load())
	byLabel(e, "sidecar_watchdog_failures", "Answers of the watchdog that did not come, by reason.", "reason", &m.watchdog)

	e.counter("sidecar_manifest_reloads", "Changes of the manifest, by what became of them.")
	e.sample("sidecar_manifest_reloads_total", `result="ok"`, float64(m.reloaded.Load()))
	e.sample("sidecar_manifest_reloads_total", `result="refused"`, float64(m.refused.Load()))
}

// byLabel writes a family of counters that differ in one label.
func byLabel(e *exposition, name, help, label string, t *table[string, atomic.Uint64]) {
	e.counter(name, help)
	t.each(func(value string, n *atomic.Uint64) {
		e.sample(name+"_total", fmt.Sprintf("%s=%q", label, value), float64(n.Load()))
	})
}

func took(e *exposition, name, help string, h *histogram) {
	e.family(name, "histogram", help)
	h.write(e, name, "")
}
