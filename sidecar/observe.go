package sidecar

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/metrics"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// taskObserver counts the tasks and writes one log line for each task that ended,
// which never quotes what was said. The line of a failed task is a warning that says
// why. The task of a tool call has no line: the call's own line says more.
type taskObserver struct {
	*metrics.Metrics
	log *slog.Logger
}

// TaskFinished implements task.Observer.
func (o taskObserver) TaskFinished(t *task.Task, f task.Finished) {
	o.Metrics.TaskFinished(t, f)
	if t.IsCall() {
		return
	}
	line := []slog.Attr{
		slog.String("task", t.ID()), slog.String("context", t.ContextID()), slog.String("state", string(f.State)),
		slog.Int64("duration_ms", f.Duration.Milliseconds()), slog.Int64("bytes", f.Bytes),
	}
	if caller := t.Owner(); caller != "" {
		line = append(line, slog.String("caller", caller))
	}
	if id := a2a.TraceID(t.TraceParent()); id != "" {
		line = append(line, slog.String("trace", id))
	}
	level := slog.LevelInfo
	if f.State == a2a.StateFailed {
		level, line = slog.LevelWarn, append(line, why(f)...)
	}
	o.log.LogAttrs(context.Background(), level, "task ended", line...)
}

// reasonText is the most bytes of a failure's reason that are logged.
const reasonText = 300

// why returns how a failed task's process ended, if that is known, and the reason in
// its last status.
func why(f task.Finished) (attrs []slog.Attr) {
	for _, key := range []string{"exitCode", "signal"} {
		var v any
		if raw, ok := f.Metadata[key]; ok && json.Unmarshal(raw, &v) == nil {
			attrs = append(attrs, slog.Any(key, v))
		}
	}
	if reason := strings.Join(strings.Fields(messageText(f.Message)), " "); reason != "" {
		attrs = append(attrs, slog.String("reason", text.Shorten(reason, reasonText)))
	}
	return attrs
}

// metricsText is the body of GET /metrics.
func (s *sidecar) metricsText() []byte { return s.metrics.Text(s.levels()) }

// levels reads the current levels of the parts. While the sidecar starts there may be
// no parts.
func (s *sidecar) levels() metrics.Levels {
	l := metrics.Levels{Tools: len(s.image().Tools()), Tasks: make(map[a2a.TaskState]int), Files: s.followedFiles()}
	for _, t := range s.tasks.Running() {
		l.Tasks[t.State()]++
	}
	l.Push = s.pushLevels()
	if by := s.callers; by.Tokens != nil || by.Certificates != nil {
		l.Callers = new(metrics.Callers)
		l.Callers.Taken, l.Callers.Refused = by.Reloads()
		if by.Certificates != nil {
			l.Callers.CertificateUntil = by.Certificates.Until()
		}
	}
	if s.store != nil {
		st := s.store.Stats()
		l.Store = &metrics.Store{
			Changes: st.Changes, Commits: st.Commits, Bytes: st.Bytes, Faults: st.Faults, Dropped: st.Dropped,
			Queued: st.Queued, Faulty: s.store.Err() != nil,
		}
	}
	if s.gate.State() == gate.Starting {
		return l
	}
	l.Servers = s.servers.levels()
	l.TurnsRunning, l.TurnsWaiting = s.runner.Load()
	l.CallsRunning, l.CallsWaiting = s.calls.Load()
	if s.audit != nil {
		l.Audit = new(metrics.Audit(s.audit.Stats()))
	}
	l.Processes = s.host.Running()
	l.Ready = s.gate.Refusal() == nil && s.runner.Ready() == nil
	return l
}
