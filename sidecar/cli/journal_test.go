package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// While the terminal is the agent's nothing else is written there; warnings
// come when it is ours again, and everything is in the log file.
func TestLogLeavesThePersonsTerminalAlone(t *testing.T) {
	state := t.TempDir()
	d := startDialogueWith(t, []string{
		"XDG_STATE_HOME=" + state, "PATH=" + os.Getenv("PATH"), "SIDECAR_MAX_CONCURENCY=\x1b[31m3", "SIDECAR_\x1bX=1",
	}, "run", "--port", "0", "--host", "127.0.0.1", "--", "sh", "-c", "printf 'name? '; read name; echo hello $name; exit 3")
	d.expect("http://127.0.0.1:")
	d.expect("name? ")
	during := d.seen.String()
	d.types("you\n")
	d.expect("hello you")
	code, shown := d.ends()
	after := shown[strings.Index(shown, "hello you"):]
	if code != 3 || strings.Contains(during, "SIDECAR_MAX") || !strings.Contains(after, "did you mean SIDECAR_MAX_CONCURRENCY?") {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
	if strings.Contains(after, "\x1bX") {
		t.Errorf("an escape reached the terminal: %q", after)
	}
	log, err := os.ReadFile(filepath.Join(state, "sidecar", "sidecar.log"))
	if err != nil || !strings.Contains(string(log), "SIDECAR_MAX_CONCURENCY") || !strings.Contains(string(log), `"url":"http://127.0.0.1:`) {
		t.Errorf("%v: %s", err, log)
	}
}

// What became of other people's tasks is in the log file, and not thrown at whoever
// leaves the agent.
func TestTasksThatFailedAreNotToldToThePerson(t *testing.T) {
	state := t.TempDir()
	d := startDialogueWith(t, []string{"XDG_STATE_HOME=" + state, "PATH=" + os.Getenv("PATH")},
		"run", "--port", "0", "--host", "127.0.0.1", "--", "sh", "-c", "printf 'name? '; read name; exit 3")
	d.expect("http://127.0.0.1:")
	d.expect("name? ")
	at := d.seen.String()
	at = at[strings.Index(at, "http://"):]
	at, _, _ = strings.Cut(at, "\r")
	if out, err := exec.Command("sidecar", "send", "--url", at, "me").CombinedOutput(); exitCode(err) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	code, shown := d.ends()
	log, err := os.ReadFile(filepath.Join(state, "sidecar", "sidecar.log"))
	if code != 3 || err != nil || !strings.Contains(string(log), `"level":"WARN","msg":"task ended"`) || strings.Contains(shown, "task ended") {
		t.Errorf("exit code %d, %v:\n%s\nlog:\n%s", code, err, shown, log)
	}
}

// Where no log file of our own choice can be, as on a read-only root without a home,
// the sidecar runs without one, and says so. One that was asked for must be there.
func TestLogFileThatCannotBeMade(t *testing.T) {
	env := []string{"XDG_STATE_HOME=/dev/null", "PATH=" + os.Getenv("PATH")}
	d := startDialogueWith(t, env, "run", "--port", "0", "--host", "127.0.0.1", "--", "sh", "-c", "echo there; exit 3")
	if code, shown := d.ends(); code != 3 || !strings.Contains(shown, "there is no log file") {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
	d = startDialogueWith(t, env, "run", "--port", "0", "--host", "127.0.0.1", "--log-file", "/dev/null/x", "--", "true")
	if code, shown := d.ends(); code != 125 || !strings.Contains(shown, "log file: ") {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
}
