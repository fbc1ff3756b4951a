package job_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func TestInputBecomesOutput(t *testing.T) {
	for _, size := range []int{0, 5, 4 << 10, 1 << 20} {
		r, j := newRig(t, nil), sh("cat; echo why >&2; exit 7")
		j.Input = strings.Repeat("x", size)
		res := r.run(t.Context(), j)
		if r.said() != j.Input || res.Exit != (proc.Exit{Code: 7}) || res.Stderr.Text() != "why\n" || res.Stopped != nil || res.Done != nil {
			t.Errorf("%d bytes: %d came back, %+v", size, len(r.said()), res)
		}
	}
}

// A process that does not read its input, however long it is, does nothing wrong
// and holds nobody up.
func TestInputThatIsNotRead(t *testing.T) {
	r, j := newRig(t, nil), sh("exec 0<&-; echo fine")
	j.Input = strings.Repeat("x", 1<<20)
	if res := r.run(t.Context(), j); r.said() != "fine\n" || !res.Exit.Success() {
		t.Errorf("%q, %s", r.said(), res.Exit)
	}
}

func TestEnvironment(t *testing.T) {
	r, j := newRig(t, nil), sh(`env; cat "$SIDECAR_MESSAGE_FILE"`)
	j.CallID, j.Tool, j.TraceParent = "c-1", "acme\x00tool", "00-aa-bb-01"
	j.Env = job.Inherit(append(os.Environ(),
		"AGENT_CMD=secret", "AGENT_PORT=1", "SPRING_BOOTSTRAP_TOKEN=secret", "SIDECAR_TOKEN_FILE=secret", "KEEP=me", "TRACEPARENT=old"), nil)
	r.run(t.Context(), j)
	for _, want := range []string{
		"SIDECAR_TASK_ID=" + r.task.ID(), "SIDECAR_CONTEXT_ID=ctx-1", "SIDECAR_MESSAGE_ID=m-1", "SIDECAR_CALL_ID=c-1", "TRACEPARENT=00-aa-bb-01",
		"SIDECAR_OUTBOX=" + r.dir, "SIDECAR_SOCKET=/", "SIDECAR_CHANNEL_TOKEN=", "SIDECAR_URL=http://127.0.0.1:8999", "KEEP=me",
		`"messageId":"m-1"`, "the message",
	} {
		if !strings.Contains(r.said(), want) {
			t.Errorf("%q is missing in\n%s", want, r.said())
		}
	}
	for _, never := range []string{"secret", "AGENT_PORT", "TRACEPARENT=old", "SIDECAR_TOOL"} {
		if strings.Contains(r.said(), never) {
			t.Errorf("the process saw %q", never)
		}
	}
	if got := job.Inherit([]string{"A=1", "B=2", "SIDECAR_X=3", "TRACEPARENT=old", "AGENT_CMD=x", "odd"}, func(name string) bool { return name != "B" }); strings.Join(got, " ") != "A=1" {
		t.Errorf("inherited %q", got)
	}
}

func TestProgramThatCannotStart(t *testing.T) {
	r := newRig(t, nil)
	var start *proc.StartError
	_, err := r.Run(t.Context(), job.Job{Argv: []string{"/no/such/program"}, Owner: r.owner})
	if !errors.As(err, &start) || start.ExitCode() != 127 {
		t.Errorf("%v, want exit code 127", err)
	}
}

func TestStoppedBeforeItBegins(t *testing.T) {
	r, ran := newRig(t, nil), filepath.Join(t.TempDir(), "ran")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStop)
	j := sh(`touch "$1"`, ran)
	j.Owner = r.owner
	if _, err := r.Run(ctx, j); !errors.Is(err, errStop) {
		t.Errorf("%v, want the cause", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the process ran")
	}
}

// A background process that holds stdout does not delay the end, is counted, and is
// left alone.
func TestBackgroundProcess(t *testing.T) {
	r := newRig(t, nil)
	res := r.run(t.Context(), sh(`sleep 600 & echo $!`)) // which waits for less than the background process sleeps
	pid, err := strconv.Atoi(strings.TrimSpace(r.said()))
	if err != nil || !alive(pid) {
		t.Fatalf("%q: %v", r.said(), err)
	}
	if n := res.Background(); n != 1 {
		t.Errorf("%d processes in the background", n)
	}
	syscall.Kill(pid, syscall.SIGKILL)
}

func TestStopIsGentleFirst(t *testing.T) {
	r := newRig(t, nil)
	res := r.stopsWith(errStop, r.wrote, sh(`trap 'echo bye; exit 0' TERM; echo started; while :; do sleep 0.05; done`))
	if r.said() != "started\nbye\n" || !errors.Is(res.Stopped, errStop) {
		t.Errorf("%q, stopped by %v", r.said(), res.Stopped)
	}
}

// A job that was stopped has left nothing: not a command that ignores TERM and is
// not the process that was started, not what runs in the background.
func TestStopEndsEverything(t *testing.T) {
	r := newRig(t, func(o *job.Options, _ *job.Work) { o.Grace = 100 * time.Millisecond })
	pidFile := filepath.Join(t.TempDir(), "pid")
	res := r.stopsWith(task.ErrCanceled, r.wrote,
		sh(`sh -c 'trap "" TERM; echo $$ > "$1"; echo started; while :; do sleep 1; done' sh "$1"; echo never`, pidFile))
	data, err := os.ReadFile(pidFile)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || pid == 0 || alive(pid) || r.said() != "started\n" {
		t.Errorf("process %d, %v, %q", pid, err, r.said())
	}
	if !errors.Is(res.Stopped, task.ErrCanceled) || res.Background() != 0 {
		t.Errorf("stopped by %v, %d in the background", res.Stopped, res.Background())
	}
}

func TestHardKills(t *testing.T) {
	r := newRig(t, nil)
	hard, kill := context.WithCancel(t.Context())
	go func() {
		<-r.wrote
		kill()
	}()
	j := sh(`trap "" TERM; echo started; while :; do sleep 0.1; done`)
	j.Hard = hard
	if res := r.run(t.Context(), j); res.Exit.Signal != syscall.SIGKILL {
		t.Errorf("exit %s", res.Exit)
	}
}

func TestStartedIsTold(t *testing.T) {
	r, pid := newRig(t, nil), 0
	j := sh(`echo $$`)
	j.Started = func(c *proc.Child) { pid = c.PID() }
	if r.run(t.Context(), j); r.said() != strconv.Itoa(pid)+"\n" {
		t.Errorf("process %d, told of %q", pid, r.said())
	}
}

func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
