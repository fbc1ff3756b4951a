package sidecar_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// crashRounds is the variable that says how often TestCrash kills: it is 20
// times when it is not set, and `CRASH_ROUNDS=200 go test -run Crash ./sidecar`
// is what the product is held to. A round takes about half a second.
const crashRounds = "CRASH_ROUNDS"

// A state directory is used for so many rounds: what is in it grows, and all of
// it is looked at after each.
const roundsPerStore = 20

// TestCrash kills a sidecar under load at random moments, while it starts too,
// and looks at what is there after the next start. Whatever a client was told
// must be: tasks that had ended as they were told to have, their messages,
// the artifacts up to the newest status that was told, answers that were taken,
// calls with their results. What had not ended must have failed, once. Lists and
// single tasks must agree, and clients that come back get events that they have
// not had.
func TestCrash(t *testing.T) {
	t.Parallel()
	rounds := 20
	if text := os.Getenv(crashRounds); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", crashRounds, err)
		}
	}
	for first := 0; first < rounds; first += roundsPerStore {
		t.Run(fmt.Sprintf("rounds from %d", first+1), func(t *testing.T) {
			crashes(t, min(roundsPerStore, rounds-first))
		})
	}
}

func crashes(t *testing.T, rounds int) {
	state, tools := t.TempDir(), filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, `[{"name":"test.cat","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/cat"],"output":"json"}},"effects":"read"}}]`)
	args := append([]string{"--state-dir", state, "--manifest", tools, "--deliver", "channel", "--"}, agentCommand(t, "crashing")...)
	kept := &keepsake{tasks: map[string]*a2a.Task{}}
	told, kinds := 0, map[string]int{}
	r := run(t, args...)
	for round := range rounds {
		w := &witness{tasks: map[string]*account{}}
		wait := w.load(r)
		w.waitFor(t, 1+rand.IntN(150))
		if round%2 == 1 { // not right after somebody was told something
			<-time.After(rand.N(5 * time.Millisecond))
		}
		r.kill()
		wait()
		if round%5 == 4 { // the next start gets nowhere
			r = startOnly(t, nil, args...)
			<-time.After(rand.N(100 * time.Millisecond))
			r.kill()
		}
		r = run(t, args...)
		kept.check(t, r)
		w.check(t, r)
		if t.Failed() {
			t.Fatalf("in round %d", round+1)
		}
		told += len(w.tasks)
		for _, a := range w.tasks {
			kinds[a.kind()]++
		}
	}
	for _, kind := range []string{"message", "stream", "question", "call", "cancel", "unfinished"} {
		if kinds[kind] == 0 && rounds == roundsPerStore {
			t.Errorf("no client was told of a %s: %v", kind, kinds)
		}
	}
	t.Logf("%d rounds: clients were told of %d tasks %v, %d are kept", rounds, told, kinds, len(kept.tasks))
}

// crashing is an agent that echoes, streams or asks.
func crashing() int {
	var c *channel.Client
	ready := make(chan struct{}) // a message may come before Dial returns
	c, err := channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{
		OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
			<-ready
			verb, rest, _ := strings.Cut(d.Text, " ")
			switch verb {
			case "stream":
				for i := range 20 {
					u := a2a.ArtifactUpdate{Append: i > 0, Artifact: a2a.Artifact{ID: "out", Parts: []a2a.Part{a2a.TextPart(fmt.Sprintf("%s/%d;", rest, i))}}}
					if err := c.Artifact(ctx, u); err != nil {
						return channel.Delivered{}, err
					}
					if i%5 == 4 {
						if err := c.Status(ctx, channel.Status{Text: fmt.Sprint(i)}); err != nil {
							return channel.Delivered{}, err
						}
					}
				}
			case "ask":
				a, err := c.Ask(ctx, channel.Question{Text: "which?"})
				if err != nil {
					return channel.Delivered{}, err
				}
				rest = a.Text
			case "hold":
				<-ctx.Done()
				return channel.Delivered{}, context.Cause(ctx)
			}
			return channel.Delivered{Parts: []a2a.Part{a2a.TextPart(rest)}}, nil
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	close(ready)
	<-c.Lost()
	return 0
}

// account is what clients were told of one task.
type account struct {
	final    *a2a.Task       // as it ended, nil: nobody was told so
	state    a2a.TaskState   // how it ended, "": nobody was told so
	messages []string        // the IDs of its history's messages
	text     strings.Builder // of artifact "out"
	solid    int             // how much of that came before the newest status
	envelope string          // of a tool call
	event    uint64          // the newest event's ID
}

// kind is what the task was made for, as far as it can be told.
func (a *account) kind() string {
	switch {
	case a.envelope != "":
		return "call"
	case a.state == a2a.StateCanceled:
		return "cancel"
	case a.state == "":
		return "unfinished"
	case a.text.Len() > 0:
		return "stream"
	case len(a.messages) > 1:
		return "question"
	}
	return "message"
}

// witness notes what clients are told.
type witness struct {
	mu    sync.Mutex
	tasks map[string]*account
	count int
	more  chan struct{} // closed when there is more
	ended []error       // why clients ended before the sidecar did
}

// note has f write down what was told of a task.
func (w *witness) note(id string, f func(*account)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tasks[id]
	if t == nil {
		t = &account{}
		w.tasks[id] = t
	}
	f(t)
	w.count++
	if w.more != nil {
		close(w.more)
		w.more = nil
	}
}

// waitFor returns when so many things were told.
func (w *witness) waitFor(t *testing.T, n int) {
	t.Helper()
	after := time.After(deadline)
	for {
		w.mu.Lock()
		enough := w.count >= n
		if w.more == nil {
			w.more = make(chan struct{})
		}
		more := w.more
		w.mu.Unlock()
		if enough {
			return
		}
		select {
		case <-more:
		case <-after:
			t.Fatalf("clients were told %d things only; some ended with %v", w.count, w.ended)
		}
	}
}

// snapshot notes a task as an answer has it.
func (w *witness) snapshot(task *a2a.Task) {
	w.note(task.ID, func(t *account) {
		for _, m := range task.History {
			if !slices.Contains(t.messages, m.ID) {
				t.messages = append(t.messages, m.ID)
			}
		}
		if task.Status.State.Terminal() {
			t.final, t.state = task, task.Status.State
		}
	})
}

// event notes an event of a stream, and returns the task's id and state.
func (w *witness) event(e *a2a.Event) (string, a2a.TaskState) {
	switch {
	case e.Task != nil:
		w.snapshot(e.Task)
		return e.Task.ID, e.Task.Status.State
	case e.Status != nil:
		w.note(e.Status.TaskID, func(t *account) {
			t.event, t.solid = e.ID, t.text.Len()
			if s := e.Status.Status.State; s.Terminal() {
				t.state = s
			}
		})
		return e.Status.TaskID, e.Status.Status.State
	case e.Artifact != nil:
		w.note(e.Artifact.TaskID, func(t *account) {
			t.event = e.ID
			if a := e.Artifact.Artifact; a.ID == "out" {
				t.text.WriteString(a.Parts[0].Text)
			}
		})
	}
	return "", ""
}

// load runs clients until the sidecar is gone. The function it returns waits for
// them.
func (w *witness) load(r *running) func() {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	c := r.client()
	var wg sync.WaitGroup
	forever := func(what string, f func(n int) error) {
		wg.Go(func() {
			for n := 0; ; n++ {
				if err := f(n); err != nil {
					w.mu.Lock()
					w.ended = append(w.ended, fmt.Errorf("%s: %w", what, err))
					w.mu.Unlock()
					return
				}
			}
		})
	}
	for range 2 {
		forever("echo", func(n int) error { return w.send(ctx, c, fmt.Sprint("echo ", n), false) })
		forever("stream", func(n int) error { return w.follow(ctx, c, fmt.Sprint("stream ", n)) })
		forever("ask", func(n int) error { return w.follow(ctx, c, fmt.Sprint("ask ", n)) })
	}
	forever("begin", func(n int) error { return w.send(ctx, c, fmt.Sprint("echo ", n), true) })
	forever("cancel", func(n int) error { return w.cancel(ctx, c) })
	forever("call", func(n int) error { return w.call(ctx, c, n) })
	return func() {
		wg.Wait()
		cancel()
	}
}

func (w *witness) send(ctx context.Context, c *client.Client, text string, atOnce bool) error {
	result, err := c.Send(ctx, &a2a.SendRequest{Message: userMessage(text), ReturnImmediately: atOnce})
	if err != nil {
		return err
	}
	w.snapshot(result.Task)
	if !atOnce {
		return nil
	}
	task, err := c.Get(ctx, &a2a.GetRequest{ID: result.Task.ID})
	if err == nil {
		w.snapshot(task)
	}
	return err
}

// follow streams a turn to its end. It answers what it asks, where the stream ends,
// and comes back for what follows.
func (w *witness) follow(ctx context.Context, c *client.Client, text string) error {
	stream, err := c.Stream(ctx, &a2a.SendRequest{Message: userMessage(text)})
	for err == nil {
		var id string
		var asked uint64
		id, asked, err = w.read(ctx, stream)
		stream.Close()
		if err != nil || asked == 0 {
			return err
		}
		if err = w.answer(ctx, c, id); err == nil {
			stream, err = c.Subscribe(ctx, &a2a.SubscribeRequest{ID: id, After: asked})
		}
	}
	return err
}

// read reads a stream up to the task's end, or to a question: it returns that
// event.
func (w *witness) read(ctx context.Context, stream a2a.Stream) (id string, asked uint64, err error) {
	for err == nil {
		var events []*a2a.Event
		events, err = stream.Next(ctx)
		for _, e := range events {
			id, state := w.event(e)
			switch {
			case state.Terminal():
				return id, 0, nil
			case state == a2a.StateInputRequired:
				return id, e.ID, nil
			}
		}
	}
	return "", 0, err
}

// answer answers a task's question.
func (w *witness) answer(ctx context.Context, c *client.Client, id string) error {
	m := userMessage("this one")
	m.TaskID = id
	result, err := c.Send(ctx, &a2a.SendRequest{Message: m, ReturnImmediately: true})
	if err != nil {
		return err
	}
	w.note(id, func(t *account) { t.messages = append(t.messages, m.ID) })
	w.snapshot(result.Task)
	return nil
}

func (w *witness) cancel(ctx context.Context, c *client.Client) error {
	result, err := c.Send(ctx, &a2a.SendRequest{Message: userMessage("hold"), ReturnImmediately: true})
	if err != nil {
		return err
	}
	w.snapshot(result.Task)
	task, err := c.Cancel(ctx, &a2a.CancelRequest{ID: result.Task.ID})
	if err != nil {
		return err
	}
	w.snapshot(task)
	return nil
}

func (w *witness) call(ctx context.Context, c *client.Client, n int) error {
	reply, err := c.CallTool(ctx, &a2a.ToolRequest{Name: "test.cat", Arguments: fmt.Appendf(nil, `{"n":%d}`, n)})
	if err != nil {
		return err
	}
	if reply.Status == 200 {
		w.note(reply.TaskID, func(t *account) { t.state, t.envelope = a2a.StateCompleted, string(reply.Envelope) })
	}
	return nil
}

// check looks for everything that was told.
func (w *witness) check(t *testing.T, r *running) {
	t.Helper()
	resumed := 0
	for id, told := range w.tasks {
		task, err := r.client().Get(r.context(), &a2a.GetRequest{ID: id})
		if err != nil {
			t.Errorf("a task that clients were told of (%q, %d messages): %v", told.state, len(told.messages), err)
			continue
		}
		told.check(t, task)
		if told.state == "" && told.event > 0 && resumed < 3 {
			resumed++
			told.resume(t, r, id)
		}
	}
}

func (told *account) check(t *testing.T, task *a2a.Task) {
	t.Helper()
	if told.final != nil {
		if diff := cmp.Diff(told.final, task); diff != "" {
			t.Errorf("task %s (-told +there):\n%s", task.ID, diff)
		}
	}
	if told.state != "" && task.Status.State != told.state {
		t.Errorf("task %s is %s, its client was told %s", task.ID, task.Status.State, told.state)
	}
	for _, id := range told.messages {
		if !slices.ContainsFunc(task.History, func(m a2a.Message) bool { return m.ID == id }) {
			t.Errorf("task %s (%s): message %s is missing, %d are there", task.ID, task.Status.State, id, len(task.History))
		}
	}
	text := artifact(task, "out")
	if want := told.text.String(); !strings.HasPrefix(text, want[:told.solid]) || told.state != "" && told.solid > 0 && text != want {
		t.Errorf("task %s (%s, told %q) has text\n%q, its client saw\n%q, of which %d bytes before the newest status", task.ID, task.Status.State, told.state, text, want, told.solid)
	}
	if told.envelope != "" && !sameJSON(artifact(task, "result"), told.envelope) {
		t.Errorf("call %s has the result %s, told was %s", task.ID, artifact(task, "result"), told.envelope)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}

// resume comes back to a task that was interrupted: what comes is new, and ends
// with its end.
func (told *account) resume(t *testing.T, r *running, id string) {
	t.Helper()
	stream, err := r.client().Subscribe(r.context(), &a2a.SubscribeRequest{ID: id, After: told.event})
	if err != nil {
		t.Errorf("coming back to %s after event %d: %v", id, told.event, err)
		return
	}
	defer stream.Close()
	last, state := told.event, a2a.TaskState("")
	for err == nil {
		var events []*a2a.Event
		events, err = stream.Next(r.context())
		for _, e := range events {
			if e.ID <= last {
				t.Errorf("task %s: event %d comes after event %d", id, e.ID, last)
			}
			last = e.ID
			if s := e.State(); s != "" {
				state = s
			}
		}
	}
	if !state.Terminal() {
		t.Errorf("coming back to %s ended with %q, %v", id, state, err)
	}
}

// keepsake is all that was ever seen after a restart. None of it may change.
type keepsake struct{ tasks map[string]*a2a.Task }

// check reads all pages of the list and compares.
func (k *keepsake) check(t *testing.T, r *running) {
	t.Helper()
	seen := map[string]*a2a.Task{}
	total, token := -1, ""
	for {
		page, err := r.client().List(r.context(), &a2a.ListRequest{PageSize: 100, PageToken: token, IncludeArtifacts: true})
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		if total >= 0 && total != page.TotalSize {
			t.Errorf("one page says that there are %d tasks, the next %d", total, page.TotalSize)
		}
		total = page.TotalSize
		for _, task := range page.Tasks {
			if seen[task.ID] != nil {
				t.Errorf("task %s is listed twice", task.ID)
			}
			seen[task.ID] = task
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	if total != len(seen) {
		t.Errorf("%d tasks are listed, the total says %d", len(seen), total)
	}
	for id, before := range k.tasks {
		if diff := cmp.Diff(before, seen[id]); diff != "" {
			t.Errorf("task %s after one more restart (-before +after):\n%s", id, diff)
		}
	}
	var errs []error
	for id, task := range seen {
		if k.tasks[id] != nil {
			continue
		}
		if !task.Status.State.Terminal() {
			errs = append(errs, fmt.Errorf("task %s is %s, and nobody runs it", id, task.Status.State))
		}
		alone, err := r.client().Get(r.context(), &a2a.GetRequest{ID: id})
		if err != nil {
			errs = append(errs, fmt.Errorf("task %s is listed, and %w", id, err))
		} else if diff := cmp.Diff(alone, task); diff != "" {
			errs = append(errs, fmt.Errorf("task %s (-alone +listed):\n%s", id, diff))
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	maps.Copy(k.tasks, seen)
}
