package unseen_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/a2a-sidecar/sidecar/a2a/client"
)

const (
	// patience is for what must happen around a program; a step has its own.
	patience = time.Minute
	// calm is how long a program's terminal has to rest after a step before the next: what comes late is seen as late.
	calm = time.Second
)

// rig is a program under a sidecar.
type rig struct {
	*place
	program
	cmd    *exec.Cmd
	done   chan struct{} // closed when the sidecar has ended
	log    journal
	client *client.Client
}

// journal is what a sidecar logs.
type journal struct {
	mu      sync.Mutex
	text    bytes.Buffer
	serving chan string // the address, once
}

func (j *journal) read(r io.Reader) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		j.mu.Lock()
		j.text.Write(append(lines.Bytes(), '\n'))
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

// start runs the program under a sidecar until the test ends. It does not wait for the program:
// a client sends its first message as soon as the sidecar serves.
func start(t *testing.T, p program, l *place) *rig {
	t.Helper()
	r := &rig{place: l, program: p, done: make(chan struct{}), log: journal{serving: make(chan string, 1)}}
	argv := strings.Fields(l.fill(p.Command))
	r.cmd = exec.Command(os.Getenv("SIDECAR_BIN"), slices.Concat([]string{"run", "--host", "127.0.0.1", "--port", "0", "--terminal", "off",
		"--log-format", "json", "--log-level", "debug", "--workspace", l.dir + "/work", "--record", r.cast(), "--"}, argv)...)
	r.cmd.Env, r.cmd.Dir = l.environ(p), l.dir+"/work"
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		r.log.read(stderr)
		_ = r.cmd.Wait() // it is told to end, or the log says why
	}()
	t.Cleanup(r.stop)
	select {
	case url := <-r.log.serving:
		r.client = client.New(url, &http.Client{Transport: &http.Transport{}})
	case <-r.done:
		t.Fatalf("the sidecar has ended: %s\n%s", r.cmd.ProcessState, &r.log)
	case <-time.After(patience):
		t.Fatalf("the sidecar does not serve:\n%s", &r.log)
	}
	return r
}

func (r *rig) stop() {
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return
	}
	select {
	case <-r.done:
	case <-time.After(15 * time.Second):
		_ = r.cmd.Process.Kill() // what it leaves ends with the namespace
		<-r.done
	}
}

// keep puts the recording and the log into a folder.
func (r *rig) keep(t *testing.T, folder string) {
	t.Helper()
	if folder == "" {
		return
	}
	session, err := os.ReadFile(r.cast())
	name := filepath.Join(folder, r.Name)
	if err := errors.Join(err, os.MkdirAll(folder, 0o700), os.WriteFile(name+".cast", session, 0o600), os.WriteFile(name+".log", []byte(r.log.String()), 0o600)); err != nil {
		t.Error(err)
	}
}

// cast is the recording of the session.
func (r *rig) cast() string { return filepath.Join(r.dir, "session.cast") }

// rest waits until the recording has not grown for a while.
func (r *rig) rest(calm, limit time.Duration) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close() // it only watched
	if err := w.Add(r.cast()); err != nil {
		return err
	}
	still, over := time.NewTimer(calm), time.After(limit)
	defer still.Stop()
	for {
		select {
		case <-w.Events:
			still.Reset(calm)
		case <-still.C:
			return nil
		case <-over:
			return nil
		}
	}
}
