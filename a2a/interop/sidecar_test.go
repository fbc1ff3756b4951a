package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// binary is the sidecar under test, built once.
var binary string

func TestMain(m *testing.M) {
	if gate := os.Getenv(agentGate); gate != "" {
		if err := runAgent(gate); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "sidecar")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the sidecar: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// agentBinary is the command of the agent that this test binary is, too.
func agentBinary(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// serve runs the sidecar around a command until the test ends and returns its
// address.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, args...).url
}

// running is a sidecar.
type running struct {
	url    string
	cmd    *exec.Cmd
	logged chan struct{} // closed when its log has ended
	killed bool
}

// run is serve for a test that kills it.
func run(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{
		cmd:    exec.Command(binary, append([]string{"run", "--port", "0", "--log-format", "json"}, args...)...),
		logged: make(chan struct{}),
	}
	r.cmd.Env = append(os.Environ(), "SIDECAR="+binary)
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make(chan string, 1)
	go func() {
		defer close(r.logged)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			var line struct{ Msg, URL string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
				url <- line.URL
			}
			t.Logf("sidecar: %s", lines.Text())
		}
	}()
	t.Cleanup(func() {
		if r.killed {
			return
		}
		r.cmd.Process.Signal(syscall.SIGTERM)
		<-r.logged
		if err := r.cmd.Wait(); err != nil {
			t.Errorf("the sidecar ended with %v", err)
		}
	})
	select {
	case r.url = <-url:
	case <-time.After(time.Minute):
		t.Fatal("the sidecar did not say where it serves")
	}
	return r
}

// kill ends the sidecar with no time to do anything.
func (r *running) kill(t *testing.T) {
	t.Helper()
	r.killed = true
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait() // by the signal
	<-r.logged
}
