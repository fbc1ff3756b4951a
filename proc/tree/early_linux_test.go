package tree_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// A program that starts a daemon with its first instructions, while the machine is busy with other
// starts, leaves nothing: it had its tag before it ran.
func TestStopFindsAnEarlyDaemon(t *testing.T) {
	box, err := sandbox.New(sandbox.Rules{Net: &sandbox.Net{Listen: true}, Off: sandbox.AllLayers})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	t.Run("in a sandbox", func(t *testing.T) { earlyDaemons(t, box) })
	t.Run("without", func(t *testing.T) { earlyDaemons(t, nil) })
}

func earlyDaemons(t *testing.T, box *sandbox.Sandbox) {
	h := proctest.NewHost(t)
	const name = "early-daemon"
	link := filepath.Join(t.TempDir(), name)
	sleep, err := filepath.EvalSymlinks("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sleep, link); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 12 {
				c := proctest.Marked(t, proc.Command{Argv: []string{"/bin/sh", "-c", "exec setsid -f env -i " + link + " 600 >/dev/null 2>&1 </dev/null"}})
				c.Sandbox = box
				child, err := h.Start(c)
				if err != nil {
					t.Error(err)
					return
				}
				child.Output(func([]byte) {}, func([]byte) {})
				child.Stop()
			}
		})
	}
	all.Wait()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, file := range files {
		if argv, err := os.ReadFile(file); err == nil && strings.HasPrefix(string(argv), link+"\x00") {
			left++
		}
	}
	if left > 0 {
		t.Errorf("%d of 96 daemons are left", left)
	}
}
