package turn

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// turn is one message or call on its way through the agent. Its fields belong to
// the goroutine that owns it. Its Owner takes what the agent says over the channel.
type turn struct {
	*job.Owner

	r    *Runner
	work job.Work // what the Owner was made of
	task *task.Task
	msg  *a2a.Message // as the agent gets it; nil for a call
	call *driver.Call // nil for a message

	entry *entry // its entry in the table of turns

	began   time.Time      // when the turn left the queue
	trace   string         // W3C traceparent, "" for none
	text    string         // the text that the agent gets
	paths   map[int]string // of the message's raw parts, by their index
	judge   driver.Judge   // nil until the driver asks for it
	files   *job.Folder    // nil: none could be made
	out     *response      // where the answer goes
	release func()         // gives the session back; nil: the turn has none
	// background counts what the turn's own process has left running; nil: it had
	// no process.
	background func() int

	notes a2a.Metadata // metadata about how the turn went
}

// run is the goroutine that owns a submitted message from its place in the queue
// until it is settled.
func (r *Runner) run(t *task.Task, m *a2a.Message, q Request, e *entry) {
	p := e.place
	defer r.queue.leave(p)
	defer r.turns.remove(e)
	if err := r.await(t.Context(), p); err != nil {
		finishQueued(t, err)
		return
	}
	defer r.cancelAtDrain(t)()

	end := func() {}
	if q.Begin != nil {
		end = q.Begin()
		defer end() // should the turn panic
	}
	u := r.newTurn(t, e, job.Work{})
	u.msg, u.trace = heard(m, q), q.TraceParent
	u.out = newResponse(t, u.ArtifactID("response"))
	// If the task has ended meanwhile, settling the turn notices it.
	_ = t.Status(a2a.StateWorking, nil, nil)
	r.o.Log.LogAttrs(t.Context(), slog.LevelDebug, "turn started", slog.String("task", t.ID()), slog.String("context", t.ContextID()),
		slog.Int64("waited_ms", u.began.Sub(p.entered).Milliseconds()))
	o := u.deliver()
	end()
	u.settle(o)
	runtime.Gosched() // the goroutine that waits for the answer goes first
	u.finish()
}

// await waits until the place may run. The error says why it never will.
func (r *Runner) await(ctx context.Context, p *place) error {
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-r.queue.shut:
	}
	select {
	case <-p.turn:
		return nil
	default:
		return task.ErrDraining
	}
}

// cancelAtDrain stops the task when running turns have to stop. The function that
// it returns undoes that.
func (r *Runner) cancelAtDrain(t *task.Task) (forget func() bool) {
	return context.AfterFunc(r.drain, func() { t.Cancel(task.ErrDraining) })
}

func (r *Runner) newTurn(t *task.Task, e *entry, w job.Work) *turn {
	if r.governing != nil {
		w.Reports = func(report channel.Report) { r.watch(report, func() { t.Cancel(r.BrokenBy()) }) }
	}
	also := w.Reserved
	w.Task, w.Reserved = t, func(id string) bool { return reserved(id) || also != nil && also(id) }
	return &turn{Owner: r.jobs.NewOwner(w), r: r, work: w, task: t, entry: e, began: time.Now()}
}

// deliver prepares what the agent gets, hands it over and waits for the end.
func (t *turn) deliver() driver.Outcome {
	defer t.closeJudge()
	ctx, cancel := t.deadline(t.task.Context())
	defer cancel()
	if err := t.prepare(); err != nil {
		return driver.Failed(err)
	}
	var o driver.Outcome
	switch s, err := t.acquire(ctx); {
	case err != nil:
		o = driver.NotStarted(err)
	case s == nil:
		o = t.r.oneshot.Driver(t.process()).Deliver(ctx, t)
	default:
		o = s.deliver(ctx, t)
	}
	o = t.decide(ctx, o)
	if o.State == a2a.StateCompleted && !o.Message {
		t.out.add(o.Parts, o.Extras)
	}
	t.out.Close()
	return o
}

// acquire waits for the turn's session, which finish gives back. It returns nil if every
// turn has a process of its own.
func (t *turn) acquire(ctx context.Context) (*session, error) {
	if t.r.sessions == nil {
		return nil, nil
	}
	s, err := t.r.sessions.acquire(ctx, t)
	if err != nil {
		return nil, err
	}
	t.release = func() { t.r.sessions.release(s) }
	t.entry.pid.Store(int64(s.child.PID()))
	return s, nil
}

// closeJudge ends what was started in the turn's name, before the task's end is told: who has
// canceled a turn then knows that nothing of it runs.
func (t *turn) closeJudge() {
	if t.judge != nil {
		t.judge.Close()
	}
}

// finish releases what the turn held, after its task was settled.
func (t *turn) finish() {
	if t.background != nil {
		if n := t.background(); n > 0 {
			t.log().Info("the agent left processes in the background", "processes", n, "pid", t.entry.pid.Load())
		}
	}
	t.files.Release(t.task)
	if t.release != nil {
		t.release()
	}
}

// log returns the logger for messages about the turn.
func (t *turn) log() *slog.Logger {
	return t.r.o.Log.With("task", t.task.ID(), "context", t.task.ContextID())
}

// Note implements driver.Turn.
func (t *turn) Note(key string, value any) {
	if t.notes == nil {
		t.notes = a2a.Metadata{}
	}
	t.notes[key] = driver.JSON(value)
}

// deadline adds the turn's own limit to a context.
func (t *turn) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.r.o.TurnTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, t.r.o.TurnTimeout, task.ErrDeadline)
}

// prepare renders the message and makes its files.
func (t *turn) prepare() (err error) {
	if t.r.sessions == nil || t.sendsFiles() {
		if t.files, err = t.r.jobs.Folder(t.task.ID()); err != nil {
			return fmt.Errorf("no folder for the turn: %w", err)
		}
	}
	if t.msg == nil {
		return nil
	}
	if t.text, err = driver.Render(t.msg.Parts, t.receive); err != nil {
		return err
	}
	t.text = t.r.message(t.text)
	return t.files.WriteMessage(t.msg)
}

// receive makes the file of a raw part.
func (t *turn) receive(p a2a.Part, i int) (string, error) {
	path, err := t.files.Receive(p, i)
	if err == nil {
		if t.paths == nil {
			t.paths = map[int]string{}
		}
		t.paths[i] = path
	}
	return path, err
}

// sendsFiles reports whether the message has parts that become files: the process
// of a session, which lives through many turns, gets no other files.
func (t *turn) sendsFiles() bool {
	return t.msg != nil && slices.ContainsFunc(t.msg.Parts, func(p a2a.Part) bool { return p.Kind == a2a.PartRaw })
}

var _ driver.Turn = (*turn)(nil)

// Task implements driver.Turn.
func (t *turn) Task() *task.Task { return t.task }

// Message implements driver.Turn.
func (t *turn) Message() *a2a.Message { return t.msg }

// Text implements driver.Turn.
func (t *turn) Text() string { return t.text }

// Files implements driver.Turn.
func (t *turn) Files() map[int]string { return t.paths }

// Judge implements driver.Turn. It is for the goroutine that runs the driver.
func (t *turn) Judge() driver.Judge {
	if t.judge == nil {
		t.judge = t.r.judge(t.r.o.Judges(t.task))
	}
	return t.judge
}

// Call implements driver.Turn.
func (t *turn) Call() *driver.Call { return t.call }

// TraceParent implements driver.Turn.
func (t *turn) TraceParent() string { return t.trace }

// Out implements driver.Turn.
func (t *turn) Out() driver.Out { return t.out }
