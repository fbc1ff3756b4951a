package sidecar_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// flood is how much the program of a tool writes.
const flood = 10 << 30

// floods is the program of a tool that writes that much.
func floods() int {
	chunk := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
	for n := 0; n < flood; {
		written, err := os.Stdout.Write(chunk)
		if n += written; err != nil {
			return 1
		}
	}
	return 0
}

// memoryOf returns a line of /proc/PID/status, in KiB.
func memoryOf(t *testing.T, pid int, name string) (kib int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	sure(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			_, err := fmt.Sscan(rest, &kib)
			sure(t, err)
		}
	}
	return kib
}

// A tool that writes 10 GiB is stopped at --output-bytes, 1 GiB if nobody says otherwise: the
// side file has that much, and the sidecar needs no memory for it. `make escapes` runs it.
func TestTenGiBOfOutput(t *testing.T) {
	if os.Getenv("SIDECAR_ESCAPES") == "" {
		t.Skip("SIDECAR_ESCAPES=1 has it write 1 GiB")
	}
	self, err := os.Executable()
	sure(t, err)
	temp := t.TempDir()
	manifest := writeManifest(t, `[{"name":"test.flood","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"timeout":"10m",
		"bridge":{"exec":{"command":["`+self+`"],"env":["`+asAgent+`"],"output":"text"}},"requires":{}}}]`)
	r := runWith(t, []string{"TMPDIR=" + temp, asAgent + "=floods"}, "--mode", "oneshot", "--manifest", manifest, "--", "cat")
	before := memoryOf(t, r.cmd.Process.Pid, "VmRSS")
	ended := make(chan reply, 1)
	go func() {
		res, err := http.Post(r.url+"/a2a/tools/test.flood", "application/json", strings.NewReader("{}"))
		if err != nil {
			panic(err)
		}
		defer res.Body.Close()
		var body bytes.Buffer
		_, err = body.ReadFrom(res.Body)
		must(err)
		ended <- reply{res.StatusCode, res.Header, body.String()}
	}()
	got := <-ended
	peak := memoryOf(t, r.cmd.Process.Pid, "VmHWM")
	var e struct {
		Metadata struct {
			Outcome, Reason string
			Truncated       bool
			Path            string `json:"output_path"`
			Task            string `json:"output_url"`
			Duration        int    `json:"duration_ms"`
		}
	}
	sure(t, json.Unmarshal([]byte(got.body), &e))
	m := e.Metadata
	info, err := os.Stat(m.Path)
	if err != nil {
		t.Fatalf("the side file: %v, %.500s", err, got.body)
	}
	t.Logf("| 10 GiB of output | %s, %s, truncated %v | side file %d bytes | memory %d MiB before, %d MiB at most | %d ms |",
		m.Outcome, m.Reason, m.Truncated, info.Size(), before>>10, peak>>10, m.Duration)
	if m.Outcome != "partial" || m.Reason != "too_large" || !m.Truncated {
		t.Errorf("it ended as %+v", m)
	}
	if info.Size() > 1<<30 || info.Size() < 1<<30-1<<20 {
		t.Errorf("the side file has %d bytes", info.Size())
	}
	if peak-before > 64<<10 {
		t.Errorf("it took %d MiB", (peak-before)>>10)
	}
	if list, err := r.client().List(r.context(), &a2a.ListRequest{}); err != nil || len(list.Tasks) != 1 {
		t.Errorf("the sidecar is not well: %v", err)
	}
	await.True(t, "the program's end", func() bool { return r.processes(self) <= 1 })
	r.stop()
	if left, err := filepath.Glob(filepath.Join(temp, "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
