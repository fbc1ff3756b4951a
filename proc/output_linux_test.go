package proc_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func TestGrandchildThatHoldsStdoutDelaysNothing(t *testing.T) {
	for name, args := range map[string][]string{
		"silent": {"spawn", "sx", "stubborn"},
		"noisy":  {"spawn", "sx", "flood", "1000000000000"},
	} {
		t.Run(name, func(t *testing.T) {
			child := proctest.Start(t, proctest.NewHost(t), proctest.Marked(t, proctest.Command(t, args...)))
			t.Cleanup(func() { child.Kill() })
			late := 0
			exit := child.Output(func(b []byte) {
				select {
				case <-child.Exited():
					late += len(b)
				default:
				}
			}, nil)
			if !exit.Success() {
				t.Error(exit)
			}
			// What was being read at the end, and a full pipe.
			if late > 128<<10 {
				t.Errorf("%d bytes after the end", late)
			}
		})
	}
}

// The last words of a process that its parent does not wait for still come.
func TestOutputWaitsALittleForTheEnd(t *testing.T) {
	out, _, _ := proctest.Output(proctest.Start(t, proctest.NewHost(t), proctest.Shell(`(while kill -0 $$ 2>&-; do :; done; echo last) & exit 0`)))
	if out != "last\n" {
		t.Errorf("%q", out)
	}
}
