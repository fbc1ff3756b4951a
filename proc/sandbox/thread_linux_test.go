package sandbox_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// restricted returns the threads of this process that something restricts.
func restricted() (threads []string) {
	files, _ := filepath.Glob("/proc/self/task/*/status")
	for _, f := range files {
		status, err := os.ReadFile(f)
		if err == nil && (!bytes.Contains(status, []byte("\nNoNewPrivs:\t0\n")) || !bytes.Contains(status, []byte("\nSeccomp:\t0\n"))) {
			threads = append(threads, f)
		}
	}
	return threads
}

// needUnrestricted skips a test of threads where everything is restricted from the beginning.
func needUnrestricted(t *testing.T) {
	t.Helper()
	if got := restricted(); len(got) > 0 {
		t.Skip("the test itself runs under no_new_privs or a filter")
	}
}

func TestManySpawnsLeaveTheCallerUnrestricted(t *testing.T) {
	needUnrestricted(t)
	h := proctest.NewHost(t)
	box := newSandbox(t, system(), 0)
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.WriteFile(closed, []byte("open\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := proctest.Shell("cat " + closed)
	const spawns = 400
	var work sync.WaitGroup
	room := make(chan struct{}, 16)
	wrong := make(chan string, spawns)
	for i := range spawns {
		c := script
		if i%3 != 0 {
			c.Sandbox = box
		}
		room <- struct{}{}
		work.Go(func() {
			defer func() { <-room }()
			child, err := h.Start(c)
			if err != nil {
				wrong <- err.Error()
				return
			}
			out, _, _ := proctest.Output(child)
			if (out == "open\n") != (c.Sandbox == nil) {
				wrong <- fmt.Sprintf("sandboxed %t, read %q", c.Sandbox != nil, out)
			}
			if _, err := os.ReadFile(closed); err != nil {
				wrong <- err.Error()
			}
		})
	}
	work.Wait()
	close(wrong)
	for w := range wrong {
		t.Error(w)
	}
	proctest.Eventually(t, "the end of the threads", func() bool { return len(restricted()) == 0 })
}

// playEmbed is a program that uses the package. Its argument says how main is bound to its
// thread. It prints how often a goroutine got the main thread, and which threads stay restricted.
func playEmbed(args []string) int {
	if args[0] == "locked" {
		runtime.LockOSThread()
	}
	box, err := sandbox.New(system())
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	onMain := 0
	for range 50 {
		on := make(chan bool)
		go func() { on <- unix.Gettid() == os.Getpid() }()
		if <-on {
			onMain++
		}
		if err := startTrue(box); err != nil {
			fmt.Println("error", err)
			return 1
		}
	}
	fmt.Println("main", onMain)
	left := proctest.Within(proctest.Patience, func() bool { return len(restricted()) == 0 })
	fmt.Println("free", left)
	return 0
}

func startTrue(box *sandbox.Sandbox) error {
	p, err := box.Start("/bin/true", []string{"true"}, &os.ProcAttr{Env: []string{}, Sys: &syscall.SysProcAttr{}})
	if err != nil {
		return err
	}
	state, err := p.Wait()
	if err == nil && !state.Success() {
		err = fmt.Errorf("true: %v", state)
	}
	return err
}

func TestAnEmbeddingProgramIsNeverRestricted(t *testing.T) {
	needUnrestricted(t)
	for _, how := range []string{"free", "locked"} {
		t.Run(how, func(t *testing.T) {
			t.Setenv("GOMAXPROCS", "1") // so that goroutines get the main thread
			out := proctest.RunApart(t, proctest.Self(t), "embed", how)
			if !strings.Contains(out, "free true\n") {
				t.Errorf("the program stays restricted:\n%s", out)
			}
			rest, _, _ := strings.Cut(strings.TrimPrefix(out, "main "), "\n")
			n, err := strconv.Atoi(rest)
			if err != nil || how == "free" && n == 0 {
				t.Errorf("no goroutine was on the main thread, so nothing was tested:\n%s", out)
			}
		})
	}
}
