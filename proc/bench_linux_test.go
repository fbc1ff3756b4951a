package proc_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// spawnFloor is fork, exec and wait, without any pipe.
func spawnFloor(b *testing.B, null uintptr) {
	var pid int
	release, err := reaper.Register(func() (_ int, err error) {
		pid, err = syscall.ForkExec("/bin/true", []string{"true"}, &syscall.ProcAttr{Files: []uintptr{null, null, null}})
		return pid, err
	})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
		b.Fatal(err)
	}
	release()
}

// BenchmarkSpawn is a whole life with three pipes and the reaper, over raw
// fork+exec+wait: the goal is 1.19.
func BenchmarkSpawn(b *testing.B) {
	h := proctest.NewHost(b)
	null := proctest.DevNull(b).Fd()
	proctest.Ratio(b, func() {
		child, err := h.Start(proc.Command{Argv: []string{"/bin/true"}})
		if err != nil {
			b.Fatal(err)
		}
		child.Stdin().Close()
		child.Output(nil, nil)
	}, func() { spawnFloor(b, null) })
}

// BenchmarkSpawnOSExec is the same with os/exec, for comparison.
func BenchmarkSpawnOSExec(b *testing.B) {
	null := proctest.DevNull(b).Fd()
	proctest.Ratio(b, func() {
		cmd := exec.Command("/bin/true")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		err, _ := cmd.StderrPipe()
		if cmd.Start() != nil {
			b.Fatal("start")
		}
		in.Close()
		var buf [4096]byte
		_, _ = out.Read(buf[:])
		_, _ = err.Read(buf[:])
		_ = cmd.Wait()
	}, func() { spawnFloor(b, null) })
}

// bulk writes proctest.Bulk bytes.
var bulk = []string{"/usr/bin/head", "-c", "67108864", "/dev/zero"}

// BenchmarkPipe64MiB is the floor of streaming: reads of 64 KiB from a pipe.
func BenchmarkPipe64MiB(b *testing.B) {
	h := proctest.NewHost(b)
	c := proc.Command{Argv: bulk}
	proctest.Ratio(b, func() {
		n := 0
		proctest.Start(b, h, c).Output(func(p []byte) { n += len(p) }, nil)
		if n != proctest.Bulk {
			b.Fatal(n)
		}
	}, func() { proctest.DrainRaw(b, bulk, os.Pipe) })
}
