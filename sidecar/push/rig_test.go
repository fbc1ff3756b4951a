package push_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// sent is one attempt that a receiver saw.
type sent struct {
	at   time.Time
	what string // see said
	id   uint64
	ok   bool
}

// receivers are all receivers of a test. By default each takes what it is sent
// at once; answer, by host, says otherwise.
type receivers struct {
	answer map[string]answer

	mu  sync.Mutex
	got map[string][]sent
}

func (r *receivers) Send(ctx context.Context, c *a2a.PushConfig, e *a2a.Event) error {
	host := strings.TrimPrefix(c.URL, "https://")
	at := time.Now()
	r.mu.Lock()
	attempt := len(r.got[host]) + 1
	r.mu.Unlock()
	var err error
	if f := r.answer[host]; f != nil {
		err = f(ctx, attempt)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.got == nil {
		r.got = make(map[string][]sent)
	}
	r.got[host] = append(r.got[host], sent{at, said(e), e.ID, err == nil})
	return err
}

// attempts are all that a host has seen.
func (r *receivers) attempts(host string) []sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got[host])
}

// taken is what a host has taken, in one line.
func (r *receivers) taken(host string) string {
	var all []string
	for _, s := range r.attempts(host) {
		if s.ok {
			all = append(all, s.what)
		}
	}
	return strings.Join(all, " ")
}

// said is an event in a word: a state, a task with its state and text, or the
// text of a chunk.
func said(e *a2a.Event) string {
	state := func(s a2a.TaskState) string { return strings.ToLower(strings.TrimPrefix(string(s), "TASK_STATE_")) }
	switch {
	case e.Task != nil:
		out := "task:" + state(e.Task.Status.State)
		for _, a := range e.Task.Artifacts {
			out += ":" + text(a.Parts)
		}
		return out
	case e.Status != nil:
		return state(e.Status.Status.State)
	}
	return text(e.Artifact.Artifact.Parts)
}

func text(parts []a2a.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func status(code int) error {
	return fmt.Errorf("wrapped: %w", &a2apush.Error{Host: "h", Status: code, Permanent: code < 500})
}

// answer is how a receiver takes an attempt, the first of which is 1.
type answer func(ctx context.Context, attempt int) error

// isDown is the answer of a receiver that is down for good.
func isDown(context.Context, int) error { return errDown }

// downAfter takes n attempts, and is down from then on.
func downAfter(n int) answer {
	return func(_ context.Context, attempt int) error {
		if attempt > n {
			return errDown
		}
		return nil
	}
}

// downWhile is down while it is told so.
func downWhile(down *atomic.Bool) answer {
	return func(context.Context, int) error {
		if down.Load() {
			return errDown
		}
		return nil
	}
}

// hangs is the answer of a receiver that gives none.
func hangs(ctx context.Context, _ int) error {
	<-ctx.Done()
	return ctx.Err()
}

var errDown = &a2apush.Error{Host: "h", Err: errors.New("connection refused")}

// rig is a registry with a dispatcher to receivers.
type rig struct {
	*testing.T
	*receivers
	tasks *task.Registry
	push  *push.Dispatcher
}

func newRig(t *testing.T, o push.Options, to task.Options) *rig {
	t.Helper()
	r := &rig{T: t, receivers: &receivers{answer: make(map[string]answer)}, tasks: task.NewRegistry(to)}
	o.Sender = r.receivers
	o.Concurrency, o.RetryFor = cmp.Or(o.Concurrency, 16), cmp.Or(o.RetryFor, time.Hour)
	r.push = push.New(o)
	t.Cleanup(func() {
		r.push.Close()
		r.tasks.Close()
	})
	return r
}

func (r *rig) create() *task.Task { return r.of("") }

// of creates a task of a caller's.
func (r *rig) of(caller string) *task.Task {
	return r.tasks.Create(caller, "ctx", &a2a.Message{Parts: []a2a.Part{a2a.TextPart("hello")}}, nil)
}

// add gives a task a receiver at a host.
func (r *rig) add(k *task.Task, host string, v a2a.Version) string {
	r.Helper()
	c, err := k.SetPush(a2a.PushConfig{URL: "https://" + host, Version: v})
	if err != nil {
		r.Fatal(err)
	}
	r.push.Serve(k, c.ID)
	return c.ID
}

func (r *rig) status(k *task.Task, s a2a.TaskState) {
	r.Helper()
	if err := k.Status(s, nil, nil); err != nil {
		r.Fatal(err)
	}
}

// resume answers a task that asks.
func (r *rig) resume(k *task.Task) {
	r.Helper()
	if err := k.Continue(&a2a.Message{Parts: []a2a.Part{a2a.TextPart("more")}}); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) write(k *task.Task, text string) {
	r.Helper()
	err := k.Artifact(r.Context(), a2a.ArtifactUpdate{
		Append: true, Artifact: a2a.Artifact{ID: "response", Name: "response", Parts: []a2a.Part{a2a.TextPart(text)}},
	})
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) want(host, taken string) {
	r.Helper()
	if got := r.taken(host); got != taken {
		r.Errorf("%s took %q, want %q", host, got, taken)
	}
}
