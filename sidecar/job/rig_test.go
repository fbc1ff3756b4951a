package job_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// patience bounds every wait for something that must happen.
const patience = time.Minute

// speaker makes the test binary a program that speaks over the channel: its
// arguments are what it says.
const speaker = "JOB_TEST_SPEAKER"

func TestMain(m *testing.M) {
	if os.Getenv(speaker) == "" {
		os.Exit(m.Run())
	}
	if err := speak(os.Args[1:]); err != nil {
		fmt.Print(err)
	}
}

// speak says each word over the channel.
func speak(words []string) error {
	ctx := context.Background()
	c, err := channel.Dial(ctx, os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
	if err != nil {
		return err
	}
	defer c.Close()
	for _, word := range words {
		word, rest, _ := strings.Cut(word, " ")
		switch word {
		case "status":
			half := 0.5
			err = c.Status(ctx, channel.Status{Text: rest, Progress: &half, Extensions: []string{"urn:x:1"}})
		case "artifact":
			err = c.Artifact(ctx, a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: rest, Name: rest, Parts: []a2a.Part{a2a.TextPart("a note")}}})
		case "usage":
			in, out, cost := int64(7), int64(9), 0.25
			err = c.Usage(ctx, channel.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: &cost, Model: "m-1"})
		case "ask":
			limit, _ := time.ParseDuration(rest) // none is none
			var a channel.Answer
			a, err = c.Ask(ctx, channel.Question{Text: "Which?", Timeout: limit, Options: []channel.Option{{ID: "a"}, {ID: "b", Label: "the other"}}})
			if err == nil {
				fmt.Printf("chose %s", a.OptionID)
			}
		case "done":
			err = c.Done(ctx, channel.Done{Text: rest})
		case "exit":
			os.Exit(3)
		case "stay":
			<-time.After(time.Hour) // killed long before
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rig is a runner and one piece of work.
type rig struct {
	*job.Runner
	t     testing.TB
	dir   string
	task  *task.Task
	owner *job.Owner
	files *job.Folder

	mu     sync.Mutex
	stdout strings.Builder
	wrote  chan struct{} // closed with the first output
}

// newRig makes a runner with the channel; tweak changes its options and the work.
func newRig(t testing.TB, tweak func(o *job.Options, w *job.Work)) *rig {
	t.Helper()
	host := proc.NewHost(proc.HostOptions{})
	t.Cleanup(host.Close)
	socket, err := channel.Listen(channel.Options{RuntimeDir: t.TempDir(), UID: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	tasks := task.NewRegistry(task.Options{})
	t.Cleanup(tasks.Close)
	r := &rig{t: t, dir: t.TempDir(), wrote: make(chan struct{})}
	r.task = tasks.Create("", "ctx-1", &a2a.Message{ID: "m-1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("the message")}}, nil)
	o := job.Options{
		Host: host, Channel: socket, RuntimeDir: r.dir, Prefix: "jobs", Grace: patience, AskTimeout: time.Hour,
		URL: func() string { return "http://127.0.0.1:8999" },
	}
	w := job.Work{Task: r.task}
	if tweak != nil {
		tweak(&o, &w)
	}
	r.Runner = job.NewRunner(o)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(r.dir); len(left) > 0 && o.RuntimeDir == r.dir {
			t.Errorf("left in the runtime directory: %v", left)
		}
	})
	r.owner = r.NewOwner(w)
	if r.files, err = r.Folder(r.task.ID()); err != nil {
		t.Fatal(err)
	}
	if err := r.files.WriteMessage(r.task.Message()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.files.Remove() })
	return r
}

// sh is the job of a shell script.
func sh(script string, args ...string) job.Job {
	return job.Job{Argv: append([]string{"sh", "-c", script, "sh"}, args...), Env: os.Environ()}
}

// speaks is the job of a program that says the words over the channel.
func speaks(words ...string) job.Job {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return job.Job{Argv: append([]string{self}, words...), Env: append(os.Environ(), speaker+"=1", "GORACE=atexit_sleep_ms=0")}
}

// run runs the job to its end.
func (r *rig) run(ctx context.Context, j job.Job) job.Result {
	r.t.Helper()
	j.Owner, j.Files = r.owner, r.files
	j.Output = func(chunk []byte) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.stdout.Len() == 0 {
			close(r.wrote)
		}
		r.stdout.Write(chunk)
	}
	res, err := r.Run(ctx, j)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// reset forgets what was written.
func (r *rig) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stdout.Reset()
	r.wrote = make(chan struct{})
}

// said is what the process wrote to stdout.
func (r *rig) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stdout.String()
}

// stopsWith runs the job, ends its context for that cause as soon as ready is
// closed, and returns how it ended.
func (r *rig) stopsWith(cause error, ready <-chan struct{}, j job.Job) job.Result {
	r.t.Helper()
	ctx, cancel := context.WithCancelCause(r.t.Context())
	defer cancel(nil)
	go func() {
		select {
		case <-ready:
		case <-time.After(patience):
		}
		cancel(cause)
	}()
	return r.run(ctx, j)
}

// until waits for a state of the task.
func (r *rig) until(ok func(a2a.TaskState) bool) {
	r.t.Helper()
	ctx := await.Context(r.t)
	if err := r.task.Wait(ctx, ok); err != nil {
		r.t.Errorf("the task is %s: %v", r.task.State(), err)
	}
}

var errStop = errors.New("stop")
