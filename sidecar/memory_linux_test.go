package sidecar_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// resident is how much of a process is in RAM, in bytes.
func resident(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\nVmRSS:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.Atoi(kib)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// TestMemoryIsGivenBack: some seconds after answers of 32 MiB in one piece nothing
// is left of the peak but what is kept. It runs the program as it is shipped: the
// race detector's own memory stays. Nothing is asked of it meanwhile, since work
// of any kind makes the runtime collect.
func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	const most = 96 << 20 // 32 MiB are kept, the program takes 16, and 32 are not worth a collection
	cmd := exec.Command(shipped(t), "run", "--host", "127.0.0.1", "--port", "0", "--log-format", "json",
		"--mode", "oneshot", "--task-bytes", "40MiB", "--keep-bytes", "1MiB", "--", "sh", "-c", `head -c 33554432 /dev/zero | tr '\0' x`)
	cmd.Env = cleanEnviron()
	r := startCommand(t, cmd)
	r.waitServing()
	for range 3 {
		answer := r.do("POST", "/message:send", "application/json", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"x"}]}}`)
		if len(answer.body) < 32<<20 {
			t.Fatalf("an answer of %d bytes: %.200s", len(answer.body), answer.body)
		}
	}
	before := resident(t, cmd.Process.Pid)
	if before < most+most/2 {
		t.Fatalf("the answers left %d MiB: too little to tell", before>>20)
	}
	begun := time.Now()
	await.True(r.t, "the memory is given back", func() bool { return resident(t, cmd.Process.Pid) < most })
	if took := time.Since(begun); took > 40*time.Second { // two looks, and a busy machine
		t.Errorf("the memory was given back after %v", took)
	}
	t.Logf("RSS: %d MiB after the answers, %d MiB later", before>>20, resident(t, cmd.Process.Pid)>>20)
}
