package agents_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/client"
)

// deadline is for what must happen: the tests wait for events, not for time.
const deadline = time.Minute

// rig is an agent under a sidecar, and the model that it asks.
type rig struct {
	agent
	place
	model *model

	self   string   // the sidecar's binary; "": that of SIDECAR_BIN
	flags  []string // of run
	args   []string // of the agent
	cmd    *exec.Cmd
	before presence
	began  time.Time
	log    *journal
	told   bool          // the evidence has been given
	done   chan struct{} // closed when the sidecar has ended
	url    string
	client *client.Client
}

// journal is what a sidecar logs.
type journal struct {
	mu      sync.Mutex
	text    bytes.Buffer
	more    chan struct{} // closed at the next line
	serving chan string   // the address, once
}

func (j *journal) read(r io.Reader) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		j.mu.Lock()
		j.text.Write(append(lines.Bytes(), '\n'))
		close(j.more)
		j.more = make(chan struct{})
		j.mu.Unlock()
		var entry struct{ Msg, URL string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
			j.serving <- entry.URL
		}
	}
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// start runs the agent under a sidecar with more flags, and waits until it
// serves. When the test ends all of it must be gone.
func start(t *testing.T, a agent, flags ...string) *rig {
	t.Helper()
	return startWith(t, a, nil, flags...)
}

// startWith is start with arguments for the agent.
func startWith(t *testing.T, a agent, args []string, flags ...string) *rig {
	t.Helper()
	needAgents(t)
	m := newModel(t)
	r := &rig{agent: a, model: m, place: newPlace(t, a, m.url), args: args, flags: flags}
	r.launch(t)
	t.Cleanup(func() { r.stop(t) })
	return r
}

func (r *rig) launch(t *testing.T) {
	t.Helper()
	args := slices.Concat([]string{"run", "--host", "127.0.0.1", "--port", "0", "--terminal", "off", "--log-format", "json", "--log-level", "debug", "--workspace", r.work, "--record", r.cast()}, r.flags, []string{"--", r.command()}, r.args)
	r.cmd = exec.Command(cmp.Or(r.self, os.Getenv("SIDECAR_BIN")), args...)
	r.cmd.Env = r.environ(r.agent, r.model.url)
	r.cmd.Dir = r.work
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.told = false
	r.log, r.done, r.before, r.began = &journal{serving: make(chan string, 1), more: make(chan struct{})}, make(chan struct{}), present(), time.Now()
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		r.log.read(stderr)
		_ = r.cmd.Wait() // stop looks at its state
	}()
	select {
	case r.url = <-r.log.serving:
	case <-r.done:
		t.Fatalf("the sidecar has ended: %s\n%s", r.cmd.ProcessState, r.log)
	case <-time.After(deadline):
		t.Fatalf("the sidecar does not serve:\n%s", r.log)
	}
	r.client = client.New(r.url, &http.Client{Transport: &http.Transport{}})
}

// running reports whether the sidecar has not ended.
func (r *rig) running() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}

// stop ends the sidecar as an operator would and looks for what it has left.
// It returns how long that took.
func (r *rig) stop(t *testing.T) time.Duration {
	t.Helper()
	if r.cmd == nil {
		return 0
	}
	began := time.Now()
	if r.running() {
		if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		select {
		case <-r.done:
		case <-time.After(deadline):
			t.Errorf("the sidecar does not end:\n%s", r.log)
			_ = r.cmd.Process.Kill()
			<-r.done
		}
	}
	took := time.Since(began)
	r.cmd = nil
	if left := r.left(r.before); len(left) > 0 {
		t.Errorf("the sidecar has left:\n%s", strings.Join(left, "\n"))
		r.told = false
	}
	if t.Failed() {
		r.evidence(t)
	}
	return took
}

// screen is what the agent shows.
func (r *rig) screen() string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/terminal", nil)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Accept", "text/plain")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body) + errorText(err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
