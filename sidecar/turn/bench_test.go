package turn_test

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// BenchmarkOneshotTurn prints the p50 of a one-shot turn over that of the bare
// fork and exec of the same program, in pairs of one run. The budget is 1.3.
func BenchmarkOneshotTurn(b *testing.B) {
	path, err := exec.LookPath("cat")
	if err != nil {
		b.Skip(err)
	}
	r := newRig(b, func(o *turn.Options) {
		withChannel(b, o)
		o.Command, o.RuntimeDir = []string{path}, memoryDir(b)
	})
	var bare, turns []time.Duration
	for b.Loop() {
		began := time.Now()
		bareRun(b, path, "hello")
		bare = append(bare, time.Since(began))

		began = time.Now()
		k := r.send("hello")
		if err := k.Wait(b.Context(), a2a.TaskState.Terminal); err != nil {
			b.Fatal(err)
		}
		turns = append(turns, time.Since(began))
	}
	floor, p50 := median(bare), median(turns)
	b.ReportMetric(float64(floor.Microseconds()), "µs-bare")
	b.ReportMetric(float64(p50.Microseconds()), "µs-turn")
	b.ReportMetric(float64(p50)/float64(floor), "×bare")
}

// memoryDir is where a sidecar puts its files when it can.
func memoryDir(b *testing.B) string {
	dir, err := os.MkdirTemp("/dev/shm", "turn-bench-")
	if err != nil {
		return b.TempDir()
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// bareRun is the least that gets an answer out of a program.
func bareRun(b *testing.B, path, text string) {
	inR, inW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	p, err := os.StartProcess(path, []string{path}, &os.ProcAttr{Files: []*os.File{inR, outW, nil}, Env: os.Environ()})
	if err != nil {
		b.Fatal(err)
	}
	inR.Close()
	outW.Close()
	io.Copy(inW, strings.NewReader(text))
	inW.Close()
	if _, err := io.ReadAll(outR); err != nil {
		b.Fatal(err)
	}
	outR.Close()
	// The status may go to the host's reaper, which knows nothing of this one.
	_, _ = p.Wait()
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
