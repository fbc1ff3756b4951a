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

// serve runs the sidecar around a command and returns its address.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, append([]string{"run", "--port", "0", "--log-format", "json"}, args...)...)
	cmd.Env = append(os.Environ(), "SIDECAR="+binary)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := make(chan string, 1)
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			var line struct{ Msg, URL string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
				url <- line.URL
			}
			t.Logf("sidecar: %s", lines.Text())
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-logged
		if err := cmd.Wait(); err != nil {
			t.Errorf("the sidecar ended with %v", err)
		}
	})
	select {
	case u := <-url:
		return u
	case <-time.After(20 * time.Second):
		t.Fatal("the sidecar did not say where it serves")
		return ""
	}
}
