package metrics

import (
	"bytes"
	"fmt"
	"io"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Levels are what is not counted but looked at, whenever somebody asks.
type Levels struct {
	// Tasks are those that have not finished, by state.
	Tasks map[a2a.TaskState]int
	// Turns and Calls that run, and those that wait for their turn.
	TurnsRunning, TurnsWaiting int
	CallsRunning, CallsWaiting int
	// Processes are ours: agents and tools, without their own children.
	Processes int
	// Tools is the length of the manifest that is served.
	Tools int
	// Ready says that new work is taken.
	Ready bool
	// Push is about receivers of notifications, nil where push is off.
	Push *Push
	// Store is about tasks on disk, nil where they are in memory only.
	Store *Store
}

// Push are counts since the start, and what is under way.
type Push struct {
	Delivered, Failed, Dropped uint64
	Receivers, Sending         int
}

// Store are counts since it was opened, and what it has not written yet.
type Store struct {
	Changes, Commits, Bytes, Faults, Dropped uint64
	Queued                                   int64 // bytes
	Faulty                                   bool  // it cannot write now
}

// unfinished are the states that a task waits or works in.
func unfinished() []a2a.TaskState {
	return []a2a.TaskState{a2a.StateSubmitted, a2a.StateWorking, a2a.StateInputRequired, a2a.StateAuthRequired}
}

// Text is the body of GET /metrics: what was counted, the levels, and what the
// process takes.
func (m *Metrics) Text(l Levels) []byte {
	var b bytes.Buffer
	m.set.WritePrometheus(&b)
	l.write(&b)
	writeProcess(&b)
	return b.Bytes()
}

func (l *Levels) write(w io.Writer) {
	gauge := func(name string, n int) { number(w, name, int64(n)) }
	for _, state := range unfinished() {
		gauge(fmt.Sprintf("sidecar_tasks{state=%q}", stateWord(state)), l.Tasks[state])
	}
	gauge("sidecar_turns_running", l.TurnsRunning)
	gauge("sidecar_turns_waiting", l.TurnsWaiting)
	gauge("sidecar_calls_running", l.CallsRunning)
	gauge("sidecar_calls_waiting", l.CallsWaiting)
	gauge("sidecar_processes", l.Processes)
	gauge("sidecar_manifest_tools", l.Tools)
	number(w, "sidecar_ready", truth(l.Ready))
	if l.Push != nil {
		l.Push.write(w)
	}
	if l.Store != nil {
		l.Store.write(w)
	}
}

func (p *Push) write(w io.Writer) {
	number(w, `sidecar_push_deliveries_total{result="delivered"}`, int64(p.Delivered))
	number(w, `sidecar_push_deliveries_total{result="failed"}`, int64(p.Failed))
	number(w, `sidecar_push_deliveries_total{result="dropped"}`, int64(p.Dropped))
	number(w, "sidecar_push_receivers", int64(p.Receivers))
	number(w, "sidecar_push_sending", int64(p.Sending))
}

func (s *Store) write(w io.Writer) {
	number(w, "sidecar_store_changes_total", int64(s.Changes))
	number(w, "sidecar_store_commits_total", int64(s.Commits))
	number(w, "sidecar_store_written_bytes_total", int64(s.Bytes))
	number(w, "sidecar_store_faults_total", int64(s.Faults))
	number(w, "sidecar_store_dropped_total", int64(s.Dropped))
	number(w, "sidecar_store_queued_bytes", s.Queued)
	number(w, "sidecar_store_ok", truth(!s.Faulty))
}

func number(w io.Writer, name string, n int64) { fmt.Fprintf(w, "%s %d\n", name, n) }

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
