package proc_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func TestStreamsAreApart(t *testing.T) {
	out, err, exit := proctest.Output(proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "say", "to stdout", "to stderr")))
	if out != "to stdout" || err != "to stderr" || !exit.Success() {
		t.Errorf("%q, %q, %v", out, err, exit)
	}
}

// What is written to both streams comes in the order in which it was written.
func TestStreamsAreMerged(t *testing.T) {
	c := proctest.Shell("for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done; exit 3")
	c.Merged = true
	out, err, exit := proctest.Output(proctest.Start(t, proctest.NewHost(t), c))
	if out != "out1\nerr1\nout2\nerr2\nout3\nerr3\nout4\nerr4\nout5\nerr5\n" || err != "" || exit.Code != 3 {
		t.Errorf("%q, %q, %v", out, err, exit)
	}
}

func TestStdinComesBack(t *testing.T) {
	c := proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "cat"))
	want := strings.Repeat("a line of input\n", 1<<16) // more than pipes hold
	var writing sync.WaitGroup
	writing.Go(func() {
		if _, err := c.Stdin().WriteString(want); err != nil {
			t.Error(err)
		}
		c.Stdin().Close()
	})
	got, _, exit := proctest.Output(c)
	writing.Wait()
	if got != want || !exit.Success() {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), exit)
	}
}

func TestStdinFromAFile(t *testing.T) {
	f, err := os.Open(write(t, t.TempDir(), "in", "from a file", 0o600))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := proctest.Command(t, "cat")
	c.Stdin = f
	child := proctest.Start(t, proctest.NewHost(t), c)
	if child.Stdin() != nil {
		t.Error("there is a pipe too")
	}
	if got, _, _ := proctest.Output(child); got != "from a file" {
		t.Errorf("%q", got)
	}
}

func TestChildThatDoesNotReadStdin(t *testing.T) {
	c := proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "exit", "0"))
	failed := make(chan error, 1)
	var writing sync.WaitGroup
	writing.Go(func() {
		_, err := c.Stdin().Write(make([]byte, 1<<20))
		failed <- err
	})
	_, _, exit := proctest.Output(c)
	writing.Wait()
	err := proctest.Receive(t, failed, "the write to end")
	if !errors.Is(err, syscall.EPIPE) && !errors.Is(err, os.ErrClosed) {
		t.Errorf("the write ended with %v", err)
	}
	if !exit.Success() {
		t.Error(exit)
	}
}

func TestNothingIsLostAtTheEnd(t *testing.T) {
	h := proctest.NewHost(t)
	for _, n := range []int{1, 4095, 4096, 4097, 65536, 65537, 1 << 20} {
		got, _, exit := proctest.Output(proctest.Start(t, h, proctest.Command(t, "flood", strconv.Itoa(n))))
		if len(got) != n || !exit.Success() {
			t.Errorf("%d of %d bytes, %v", len(got), n, exit)
		}
		if !proctest.IsPattern(got) {
			t.Errorf("%d bytes in another order", n)
		}
	}
}

// A callback that blocks past the process's end must still get what was written
// before it.
func TestSlowReaderGetsAll(t *testing.T) {
	c := proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "flood", "60000"))
	first := true
	n := 0
	c.Output(func(b []byte) {
		if first {
			first = false
			<-c.Exited()
		}
		n += len(b)
	}, nil)
	if n != 60000 {
		t.Errorf("%d of 60000 bytes", n)
	}
}

func TestBackPressure(t *testing.T) {
	c := proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "flood", "1000000"))
	block := make(chan struct{})
	var reading sync.WaitGroup
	n := 0
	reading.Go(func() {
		c.Output(func(b []byte) { <-block; n += len(b) }, nil)
	})
	select {
	case <-c.Exited():
		t.Error("the process ended though nobody took its output")
	case <-time.After(200 * time.Millisecond):
	}
	close(block)
	reading.Wait()
	if n != 1000000 {
		t.Errorf("%d bytes", n)
	}
}

func TestOutputClosedEarlyWaitsForTheExit(t *testing.T) {
	c := proctest.Shell(`exec >&- 2>&-; read line; exit 4`)
	child := proctest.Start(t, proctest.NewHost(t), c)
	done := make(chan int, 1)
	var reading sync.WaitGroup
	reading.Go(func() { _, _, exit := proctest.Output(child); done <- exit.Code })
	if _, err := child.Stdin().WriteString("go\n"); err != nil {
		t.Error(err)
	}
	if code := proctest.Receive(t, done, "the exit"); code != 4 {
		t.Errorf("exit %d", code)
	}
	reading.Wait()
}
