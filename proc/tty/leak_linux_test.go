package tty_test

import (
	"os"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// Everything that can be done to a terminal, done often, leaves no open file and no
// goroutine behind. Nothing waits for the garbage collector.
func TestTerminalLeaksNothing(t *testing.T) {
	h := proctest.NewHost(t)
	proctest.NoLeaks(t, map[string]func(){
		"terminal": func() {
			proctest.StartTerminal(t, h, proctest.Shell("echo hello")).Output(nil)
		},
		"not started": func() {
			c := proc.Command{Argv: []string{"/bin/sh"}, Dir: "/no/such/dir"}
			if _, err := tty.Start(h, c, tty.Size{Cols: 80, Rows: 24}); err == nil {
				t.Error("it started")
			}
		},
		"person": func() {
			c := proctest.Shell("sleep 300")
			tm := proctest.StartTerminal(t, h, c)
			master, pts := openPTY(t)
			p, err := tty.Attach(tm, pts, pts)
			if err != nil {
				t.Fatal(err)
			}
			p.Close()
			if _, err := tty.Attach(tm, pts, os.Stdin); err == nil {
				t.Skip("standard input is a terminal")
			}
			tm.Child().Kill()
			tm.Output(nil)
			master.Close()
			pts.Close()
		},
	})
}
