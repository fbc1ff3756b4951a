package metrics

import (
	"bytes"
	"fmt"
	"io"

	vm "github.com/VictoriaMetrics/metrics"

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
}

// unfinished are the states that a task waits or works in.
func unfinished() []a2a.TaskState {
	return []a2a.TaskState{a2a.StateSubmitted, a2a.StateWorking, a2a.StateInputRequired, a2a.StateAuthRequired}
}

// Text is the body of GET /metrics: what was counted, the levels, and what the
// process and the Go runtime say of themselves.
func (m *Metrics) Text(l Levels) []byte {
	var b bytes.Buffer
	m.set.WritePrometheus(&b)
	l.write(&b)
	vm.WriteProcessMetrics(&b)
	return b.Bytes()
}

func (l *Levels) write(w io.Writer) {
	gauge := func(name string, n int) { fmt.Fprintf(w, "%s %d\n", name, n) }
	for _, state := range unfinished() {
		gauge(fmt.Sprintf("sidecar_tasks{state=%q}", stateWord(state)), l.Tasks[state])
	}
	gauge("sidecar_turns_running", l.TurnsRunning)
	gauge("sidecar_turns_waiting", l.TurnsWaiting)
	gauge("sidecar_calls_running", l.CallsRunning)
	gauge("sidecar_calls_waiting", l.CallsWaiting)
	gauge("sidecar_processes", l.Processes)
	gauge("sidecar_manifest_tools", l.Tools)
	ready := 0
	if l.Ready {
		ready = 1
	}
	gauge("sidecar_ready", ready)
}
