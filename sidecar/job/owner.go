package job

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Work is what a process works on, a turn or a tool call, as the readers of its task
// see it. A nil function is not called.
type Work struct {
	Task *task.Task
	// Reserved reports whether only the sidecar itself may publish an artifact with
	// this id.
	Reserved func(id string) bool
	// Annotate adds what the sidecar itself says of the work to a status update: to
	// the message, which may be nil, and to the metadata, which it returns.
	Annotate func(m *a2a.Message, meta a2a.Metadata) a2a.Metadata
	// Clean returns parts without what the readers of the task must not see. It is given
	// all that the process says over the channel but its done; it must not change what it
	// is given.
	Clean func(parts []a2a.Part) []a2a.Part
	// Reports is told what hooks saw of the process; nil: hooks are refused.
	Reports func(r channel.Report)
	// Refuse returns why a done cannot end this work, nil if it can.
	Refuse func(d channel.Done) error
	// Asks is called before a question is put to the client. What it returns is called
	// when the question has ended, before the process learns of that; it may wait, and
	// its context ends when nobody wants the answer any more.
	Asks func() (answered func(ctx context.Context))
}

// clean returns the parts as the readers of the task may see them.
func (w Work) clean(parts []a2a.Part) []a2a.Part {
	if w.Clean == nil {
		return parts
	}
	return w.Clean(parts)
}

// cleanText is clean for a text.
func (w Work) cleanText(s string) string {
	if w.Clean == nil || s == "" {
		return s
	}
	return w.Clean([]a2a.Part{a2a.TextPart(s)})[0].Text
}

// cleanMetadata is clean for metadata.
func (w Work) cleanMetadata(m a2a.Metadata) a2a.Metadata {
	if w.Clean == nil || len(m) == 0 {
		return m
	}
	return w.Clean([]a2a.Part{{Kind: a2a.PartText, Metadata: m}})[0].Metadata
}

func (w Work) reserves(id string) bool { return w.Reserved != nil && w.Reserved(id) }

// Owner is the channel's owner for one piece of work: it writes what the process
// emits into the task. After Close it refuses everything with channel.ErrEnded, so
// that what a process says too late is not lost in silence. All methods may be called
// from many goroutines.
type Owner struct {
	r    *Runner
	work Work

	over  context.Context // ends at the first done
	ended context.CancelFunc

	mu     sync.Mutex
	closed bool
	spoke  bool
	done   *channel.Done
	outbox *channel.Outbox
}

var (
	_ channel.OutboxOwner = (*Owner)(nil)
	_ channel.Reporter    = (*Owner)(nil)
)

// NewOwner makes the owner of one piece of work.
func (r *Runner) NewOwner(w Work) *Owner {
	o := &Owner{r: r, work: w}
	o.over, o.ended = context.WithCancel(context.Background())
	return o
}

// Task returns the task that the process works on, nil after Close.
func (o *Owner) Task() *task.Task {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	return o.work.Task
}

// Outbox implements channel.OutboxOwner.
func (o *Owner) Outbox() *channel.Outbox {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.outbox
}

// exchanges gives the process of the owner's work its outbox, nil for none.
func (o *Owner) exchanges(b *channel.Outbox) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.outbox = b
}

// ArtifactID returns the id of an artifact with that name: in the second turn of a
// task it is name-2.
func (o *Owner) ArtifactID(name string) string {
	if n := o.work.Task.Turn(); n > 1 {
		return name + "-" + strconv.Itoa(n)
	}
	return name
}

// fileID returns the id of the artifact that a file in the outbox becomes.
func (o *Owner) fileID(name string) string {
	id := o.ArtifactID(name)
	if o.work.reserves(id) {
		return "outbox/" + id
	}
	return id
}

// Over returns a context that ends when the process has said done.
func (o *Owner) Over() context.Context { return o.over }

// Outcome returns the first done that the process sent, nil for none.
func (o *Owner) Outcome() *channel.Done {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.done
}

// Speaks reports whether the process has told over the channel what it does: its
// silence elsewhere then means nothing.
func (o *Owner) Speaks() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.spoke
}

// Close makes the owner refuse everything from now on.
func (o *Owner) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// enter fails after Close; otherwise it notes that the process uses the channel.
func (o *Owner) enter() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return channel.ErrEnded
	}
	o.spoke = true
	return nil
}

// Status implements channel.Owner. A task that waits for an answer keeps waiting.
func (o *Owner) Status(s channel.Status) error {
	if err := o.enter(); err != nil {
		return err
	}
	t := o.work.Task
	var m *a2a.Message
	if s.Text != "" || len(s.Parts) > 0 || len(s.Extensions) > 0 {
		m = &a2a.Message{
			ID: a2a.NewID(), ContextID: t.ContextID(), TaskID: t.ID(), Role: a2a.RoleAgent,
			Parts: o.work.clean(a2a.WithText(s.Parts, s.Text)), Metadata: s.Metadata, Extensions: s.Extensions,
		}
	}
	meta := s.Metadata
	if s.Progress != nil {
		meta = a2a.Metadata{"progress": encode(*s.Progress)}.With(s.Metadata)
	}
	if o.work.Annotate != nil {
		meta = o.work.Annotate(m, meta)
	}
	state := a2a.StateWorking
	if now := t.State(); now.Interrupted() {
		state = now
	}
	return answerError(t.Status(state, m, meta))
}

// Artifact implements channel.Owner.
func (o *Owner) Artifact(ctx context.Context, u a2a.ArtifactUpdate) error {
	if err := o.enter(); err != nil {
		return err
	}
	if id := u.Artifact.ID; o.work.reserves(id) {
		return channel.ErrInvalidParams.With("artifactId: %q is kept for what the sidecar itself publishes; choose another", id)
	}
	a := &u.Artifact
	a.ID, a.Name, a.Description = o.work.cleanText(a.ID), o.work.cleanText(a.Name), o.work.cleanText(a.Description)
	a.Parts, a.Metadata = o.work.clean(a.Parts), o.work.cleanMetadata(a.Metadata)
	return answerError(o.work.Task.Artifact(ctx, u))
}

// Ask implements channel.Owner. A question waits for as long as it asks, but never
// longer than Options.AskTimeout.
func (o *Owner) Ask(ctx context.Context, q channel.Question) (channel.Answer, error) {
	if err := o.enter(); err != nil {
		return channel.Answer{}, err
	}
	if o.r.o.Headless {
		return channel.Answer{}, channel.ErrNobody
	}
	limit := o.r.o.AskTimeout
	if q.Timeout > 0 {
		limit = min(limit, q.Timeout)
	}
	options := make([]task.Option, len(q.Options))
	for i, one := range q.Options {
		options[i] = task.Option{ID: one.ID, Label: o.work.cleanText(one.Label)}
	}
	if o.work.Asks != nil {
		answered := o.work.Asks()
		defer func() { answered(ctx) }()
	}
	a, err := o.work.Task.Ask(ctx, task.Question{
		Text: o.work.cleanText(q.Text), Parts: o.work.clean(q.Parts), Options: options, State: a2a.StateInputRequired, Timeout: limit,
		Metadata: o.work.cleanMetadata(q.Metadata), Extensions: q.Extensions,
	})
	answer := channel.Answer{Text: a.Text, OptionID: a.OptionID}
	if m := a.Message; m != nil {
		answer.Parts, answer.Metadata, answer.Extensions = m.Parts, m.Metadata, m.Extensions
	}
	return answer, answerError(err)
}

// Report implements channel.Reporter.
func (o *Owner) Report(r channel.Report) error {
	if o.work.Reports == nil {
		return channel.ErrNoReports
	}
	o.mu.Lock()
	closed := o.closed
	o.mu.Unlock()
	if closed {
		return channel.ErrEnded
	}
	o.work.Reports(r)
	return nil
}

// Done implements channel.Owner. Only the first done counts.
func (o *Owner) Done(d channel.Done) error {
	if o.work.Refuse != nil {
		if err := o.work.Refuse(d); err != nil {
			return err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return channel.ErrEnded
	case o.done != nil:
		return channel.ErrEnded.With("the work was already ended by an earlier done")
	}
	o.done = &d
	o.ended()
	return nil
}

// Usage implements channel.Owner.
func (o *Owner) Usage(u channel.Usage) error {
	o.mu.Lock()
	closed := o.closed
	o.mu.Unlock()
	if closed {
		return channel.ErrEnded
	}
	RecordUsage(o.work.Task, u)
	return nil
}

// answerError maps a task's errors to those of the channel.
func answerError(err error) error {
	switch {
	case errors.Is(err, task.ErrFinished):
		return channel.ErrEnded
	case errors.Is(err, task.ErrTimeout):
		return channel.ErrTimeout
	case errors.Is(err, task.ErrQuestionOpen):
		return channel.ErrQuestionOpen
	}
	return err
}
