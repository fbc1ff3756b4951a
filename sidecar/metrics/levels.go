package metrics

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Levels holds values that are not counted but read whenever somebody asks.
type Levels struct {
	// Tasks is how many tasks have not finished, by state.
	Tasks map[a2a.TaskState]int
	// Turns and Calls that run, and those that wait for their turn.
	TurnsRunning, TurnsWaiting int
	CallsRunning, CallsWaiting int
	// Processes is how many processes the sidecar runs: agents and tools, without their own
	// children.
	Processes int
	// Tools is how many tools the manifest that is served has.
	Tools int
	// Files are the files that are followed; the value reports whether their present
	// content is good.
	Files map[string]bool
	// Servers are the MCP servers, each once: there are at most as many as a file may name.
	Servers []Server
	// Ready reports whether new work is accepted.
	Ready bool
	// Push is about receivers of notifications, nil if push is off.
	Push *Push
	// Callers is about the tokens and certificates of callers, nil if none are required.
	Callers *Callers
	// Store is about tasks on disk, nil if they are in memory only.
	Store *Store
	// Audit is about the record of tool calls, nil if there is none.
	Audit *Audit
}

// Server is an MCP server. Starts is a count since it was configured.
type Server struct {
	Slug            string
	Running, Failed bool // neither: it is not needed, or is being started
	Tools, Calls    int
	Starts          uint64
}

// Audit holds counts since the audit was opened.
type Audit struct{ Records, Bytes, Syncs, Lost uint64 }

// Push holds counts since the start, and what is under way.
type Push struct {
	Delivered, Failed, Dropped uint64
	Receivers, Sending         int
}

// Callers holds counts of files that changed, and when the server's certificate expires;
// that is zero if there is none.
type Callers struct {
	Taken, Refused   uint64
	CertificateUntil time.Time
}

// Store holds counts since the store was opened, and what it has not written yet.
type Store struct {
	Changes, Commits, Bytes, Faults, Dropped uint64
	Queued                                   int64 // bytes
	Faulty                                   bool  // it cannot write now
}

// unfinished returns the states in which a task waits or works.
func unfinished() []a2a.TaskState {
	return []a2a.TaskState{a2a.StateSubmitted, a2a.StateWorking, a2a.StateInputRequired, a2a.StateAuthRequired}
}

func (l *Levels) write(e *exposition) {
	e.gauge("sidecar_tasks", "Tasks that have not finished, by state.")
	for _, state := range unfinished() {
		e.sample("sidecar_tasks", fmt.Sprintf("state=%q", stateWord(state)), float64(l.Tasks[state]))
	}
	e.level("sidecar_turns_running", "Turns that run.", float64(l.TurnsRunning))
	e.level("sidecar_turns_waiting", "Turns that wait in the queue.", float64(l.TurnsWaiting))
	e.level("sidecar_calls_running", "Tool calls that run.", float64(l.CallsRunning))
	e.level("sidecar_calls_waiting", "Tool calls that wait in the queue.", float64(l.CallsWaiting))
	e.level("sidecar_processes", "Agents and tools that run, without their own children.", float64(l.Processes))
	e.level("sidecar_manifest_tools", "Tools that are served.", float64(l.Tools))
	if len(l.Files) > 0 {
		e.gauge("sidecar_file_ok", "1 while a file that is followed is good; while it is not, what was read before is in force.")
	}
	for _, file := range slices.Sorted(maps.Keys(l.Files)) {
		e.sample("sidecar_file_ok", fmt.Sprintf("file=%q", file), truth(l.Files[file]))
	}
	writeServers(e, l.Servers)
	e.level("sidecar_ready", "1 while new work is taken.", truth(l.Ready))
	if l.Push != nil {
		l.Push.write(e)
	}
	if l.Callers != nil {
		l.Callers.write(e)
	}
	if l.Store != nil {
		l.Store.write(e)
	}
	if l.Audit != nil {
		l.Audit.write(e)
	}
}

// writeServers writes what is known of MCP servers.
func writeServers(e *exposition, all []Server) {
	if len(all) == 0 {
		return
	}
	gauge := func(name, help string, value func(*Server) float64) {
		e.gauge(name, help)
		for i := range all {
			e.sample(name, fmt.Sprintf("server=%q", all[i].Slug), value(&all[i]))
		}
	}
	gauge("sidecar_mcp_server_running", "1 while an MCP server runs; one that is not needed does not.", func(s *Server) float64 { return truth(s.Running) })
	gauge("sidecar_mcp_server_failed", "1 while an MCP server has failed and is not started yet.", func(s *Server) float64 { return truth(s.Failed) })
	gauge("sidecar_mcp_server_tools", "Tools that an MCP server offers.", func(s *Server) float64 { return float64(s.Tools) })
	gauge("sidecar_mcp_server_calls", "Calls that an MCP server works on.", func(s *Server) float64 { return float64(s.Calls) })
	e.counter("sidecar_mcp_server_starts", "How often an MCP server was started.")
	for i := range all {
		e.sample("sidecar_mcp_server_starts_total", fmt.Sprintf("server=%q", all[i].Slug), float64(all[i].Starts))
	}
}

func (p *Push) write(e *exposition) {
	e.counter("sidecar_push_deliveries", "Push notifications, by what became of them.")
	e.sample("sidecar_push_deliveries_total", `result="delivered"`, float64(p.Delivered))
	e.sample("sidecar_push_deliveries_total", `result="failed"`, float64(p.Failed))
	e.sample("sidecar_push_deliveries_total", `result="dropped"`, float64(p.Dropped))
	e.level("sidecar_push_receivers", "Receivers that are owed notifications.", float64(p.Receivers))
	e.level("sidecar_push_sending", "Notifications on their way.", float64(p.Sending))
}

func (c *Callers) write(e *exposition) {
	e.counter("sidecar_credentials_reloads", "Changes of token and certificate files, by what became of them.")
	e.sample("sidecar_credentials_reloads_total", `result="ok"`, float64(c.Taken))
	e.sample("sidecar_credentials_reloads_total", `result="refused"`, float64(c.Refused))
	if !c.CertificateUntil.IsZero() {
		e.level("sidecar_certificate_expiry_timestamp_seconds", "When the server's certificate expires.", float64(c.CertificateUntil.Unix()))
	}
}

func (s *Store) write(e *exposition) {
	e.count("sidecar_store_changes", "Changes of tasks given to the disk.", s.Changes)
	e.count("sidecar_store_commits", "Transactions on disk.", s.Commits)
	e.count("sidecar_store_written_bytes", "Bytes of changes on disk.", s.Bytes)
	e.count("sidecar_store_faults", "Transactions that failed.", s.Faults)
	e.count("sidecar_store_dropped", "Changes lost because the disk took none for too long.", s.Dropped)
	e.level("sidecar_store_queued_bytes", "Bytes of changes that wait for the disk.", float64(s.Queued))
	e.level("sidecar_store_ok", "1 while the disk takes changes.", truth(!s.Faulty))
}

func (a *Audit) write(e *exposition) {
	e.count("sidecar_audit_records", "Records of tool calls that were written.", a.Records)
	e.count("sidecar_audit_written_bytes", "Bytes of records that were written.", a.Bytes)
	e.count("sidecar_audit_syncs", "How often the disk was asked to have every record.", a.Syncs)
	e.count("sidecar_audit_lost", "Records of tool calls that could not be written.", a.Lost)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
