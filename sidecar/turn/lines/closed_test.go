package lines

import (
	"testing"
	"time"
)

// TestClosedOutput: a program that lives without an output can answer nothing. If it has
// ended, that is told instead, which takes a moment.
func TestClosedOutput(t *testing.T) {
	speaking(t, func(t *testing.T, p *program) {
		u := p.deliver("hello")
		p.says("half of it\n")
		time.Sleep(quiet / 2)
		close(p.silent)
		time.Sleep(endTime - 1)
		u.running(t)
		u.fails(t, "closed its output")

		begun := time.Now()
		p.deliver("again").fails(t, "closed its output")
		c := p.calls("1", nil)
		if r := <-c.result; r.err != errClosed {
			t.Errorf("%q, %v", r.Output, r.err)
		}
		if took := time.Since(begun); took != 2*endTime {
			t.Errorf("two turns took %v", took)
		}
	})
}
