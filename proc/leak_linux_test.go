package proc_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
)

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// Everything that can be done to a child, done often, leaves no open file and no
// goroutine behind. Nothing waits for the garbage collector.
func TestNothingLeaks(t *testing.T) {
	h := newHost(t)
	lives := map[string]func(){
		"pipes":  func() { output(start(t, h, shell("echo hello"))) },
		"killed": func() { c := start(t, h, shell("sleep 300")); c.Kill(); output(c) },
		"terminal": func() {
			c := shell("echo hello")
			c.PTY = &proc.Size{Cols: 80, Rows: 24}
			output(start(t, h, c))
		},
		"not started": func() {
			for _, size := range []*proc.Size{nil, {Cols: 80, Rows: 24}} {
				if _, err := h.Start(proc.Command{Argv: []string{"/bin/sh"}, Dir: "/no/such/dir", PTY: size}); err == nil {
					t.Error("it started")
				}
			}
		},
		"host": func() {
			own := proc.NewHost(proc.HostOptions{})
			if _, err := own.Start(shell("sleep 300")); err != nil {
				t.Error(err)
			}
			own.Close() // whose output nobody reads
		},
		"person": func() {
			c := shell("sleep 300")
			c.PTY = &proc.Size{Cols: 80, Rows: 24}
			child := start(t, h, c)
			master, tty := openPTY(t)
			p, err := proc.AttachPerson(child.Terminal(), tty, tty)
			if err != nil {
				t.Fatal(err)
			}
			p.Close()
			if _, err := proc.AttachPerson(child.Terminal(), tty, os.Stdin); err == nil {
				t.Skip("standard input is a terminal")
			}
			child.Kill()
			output(child)
			master.Close()
			tty.Close()
		},
	}
	for _, live := range lives {
		live() // what is made once stays
	}
	for name, live := range lives {
		files, goroutines := openFiles(t), runtime.NumGoroutine()
		for range 5 {
			live()
		}
		eventually(t, name+" to let its files go", func() bool { return openFiles(t) <= files })
		eventually(t, name+" to end its goroutines", func() bool { return runtime.NumGoroutine() <= goroutines })
	}
}
