package proc_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// Everything that can be done to a child, done often, leaves no open file and no
// goroutine behind. Nothing waits for the garbage collector.
func TestNothingLeaks(t *testing.T) {
	h := proctest.NewHost(t)
	lives := map[string]func(){
		"pipes":  func() { proctest.Output(proctest.Start(t, h, proctest.Shell("echo hello"))) },
		"killed": func() { c := proctest.Start(t, h, proctest.Shell("sleep 300")); c.Kill(); proctest.Output(c) },
		"not started": func() {
			c := proc.Command{Argv: []string{"/bin/sh"}, Dir: "/no/such/dir"}
			if _, err := h.Start(c); err == nil {
				t.Error("it started")
			}
		},
		"host": func() {
			own := proc.NewHost(proc.HostOptions{})
			if _, err := own.Start(proctest.Shell("sleep 300")); err != nil {
				t.Error(err)
			}
			own.Close() // whose output nobody reads
		},
	}
	proctest.NoLeaks(t, lives)
}
