package sidecar_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The end of a person's session is the person's to know: what is stopped then is
// in the log, and no warning comes on the terminal that is given back. A shell
// ends at once, by HUP.
func TestEndOfAPersonsSession(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		busy bool // with a client's message
		code int
		do   func(v *viewer)
	}{
		{"the terminal is closed while a client's message runs", true, 129, func(v *viewer) { v.cmd.Process.Signal(syscall.SIGHUP) }},
		{"the sidecar is asked to end", true, 129, func(v *viewer) { v.cmd.Process.Signal(syscall.SIGTERM) }},
		{"the agent is killed", true, 137, func(v *viewer) { v.types("\x03kill -9 $$\r") }},
		{"the agent is killed at its prompt", false, 137, func(v *viewer) { v.types("kill -9 $$\r") }},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			journal := filepath.Join(state, "sidecar", "sidecar.log")
			t.Cleanup(func() {
				if text, err := os.ReadFile(journal); t.Failed() {
					t.Logf("log of the sidecar (%v):\n%s", err, text)
				}
			})
			v := view(t, 100, 30, []string{"XDG_STATE_HOME=" + state, "PATH=" + os.Getenv("PATH"), "SIDECAR_DRAIN_TIMEOUT=100ms"},
				"run", "--port", "0", "--host", "127.0.0.1", "--", "bash", "--norc", "-i")
			var url string
			v.until("the address", func(all, _ string) bool {
				url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(all)
				return url != ""
			})
			v.until("the prompt", func(_, screen string) bool { return strings.Contains(screen, "bash-") })
			r := &running{t: t, url: url}
			if c.busy {
				r.begin("echo be''gun; exec -a sidecar_test_sleep sleep 100 & wait")
				v.shows("begun")
			}
			began := time.Now()
			c.do(v)
			v.ends(c.code, "")
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("the end took %s", took)
			}
			if _, err := v.tty.WriteString("all is shown"); err != nil {
				t.Fatal(err)
			}
			v.until("all is shown", func(all, _ string) bool {
				if !strings.Contains(all, "all is shown") {
					return false
				}
				if strings.Contains(all, "WARN") || strings.Contains(all, "warning") {
					t.Errorf("a warning on the terminal: %q", all)
				}
				return true
			})
			log, err := os.ReadFile(journal)
			if err != nil || !strings.Contains(string(log), "the agent ended") || !c.busy && strings.Contains(string(log), `"WARN","msg":"the agent ended`) {
				t.Errorf("%v: %s", err, log)
			}
		})
	}
}
