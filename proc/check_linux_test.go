package proc_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// A command that was only checked is gone, though it had begun.
func TestCheckLeavesNothing(t *testing.T) {
	h := proctest.NewHost(t)
	mark := "CHECKED=" + strconv.FormatInt(time.Now().UnixNano(), 36)
	for range 20 {
		if err := h.Check(proc.Command{Argv: []string{"/bin/sleep", "300"}, Env: []string{mark}}); err != nil {
			t.Fatal(err)
		}
	}
	if left := proctest.WithEntry(mark); len(left) > 0 {
		t.Errorf("%d processes left", len(left))
	}
}
