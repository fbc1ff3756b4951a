package cli_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// dialogue is a command on a terminal with somebody at it.
type dialogue struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	seen bytes.Buffer
	read int // how much of it was expected
}

func startDialogue(t *testing.T, url string, args ...string) *dialogue {
	return startDialogueWith(t, []string{"SIDECAR_URL=" + url}, args...)
}

func startDialogueWith(t *testing.T, env []string, args ...string) *dialogue {
	ctx := await.Context(t)
	cmd := exec.CommandContext(ctx, "sidecar", args...)
	cmd.Env = append(env, "GORACE="+raceOptions)
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	return &dialogue{t: t, cmd: cmd, tty: tty}
}

// expect reads until the text was shown.
func (d *dialogue) expect(text string) {
	d.t.Helper()
	buf := make([]byte, 1024)
	for {
		if at := strings.Index(d.seen.String()[d.read:], text); at >= 0 {
			d.read += at + len(text)
			return
		}
		n, err := d.tty.Read(buf)
		d.seen.Write(buf[:n])
		if err != nil {
			d.t.Fatalf("%v before %q:\n%s", err, text, d.seen.String())
		}
	}
}

func (d *dialogue) types(text string) {
	d.t.Helper()
	if _, err := io.WriteString(d.tty, text); err != nil {
		d.t.Fatal(err)
	}
}

// ends waits for the command and returns its exit code and all that was shown.
func (d *dialogue) ends() (int, string) {
	_, _ = io.Copy(&d.seen, d.tty) // ends with EIO
	return exitCode(d.cmd.Wait()), strings.ReplaceAll(d.seen.String(), "\r\n", "\n")
}

func TestSendAsksThePersonAtTheTerminal(t *testing.T) {
	d := startDialogue(t, startAgent(t), "send", "ask")
	d.expect("> ")
	d.types("perhaps\n")
	d.expect("please answer with one of the words above")
	d.expect("> ")
	d.types("yes\n")
	code, shown := d.ends()
	if code != 0 || strings.Count(shown, "before\n") != 1 {
		t.Errorf("exit code %d, and the answer repeats itself:\n%s", code, shown)
	}
	for _, part := range []string{"Delete it?\n  y  Yes\n  n  No\n> ", "you said y\n"} {
		if !strings.Contains(shown, part) {
			t.Errorf("no %q in:\n%s", part, shown)
		}
	}
}

// A question that somebody at the agent's terminal answers is asked no more.
func TestSendSeesThatTheQuestionIsWithdrawn(t *testing.T) {
	d := startDialogue(t, startAgent(t), "send", "brief")
	code, shown := d.ends()
	want := "\nrm -rf [31m/tmp/x\n\nRun it?\n  y  Yes\n> \n(answered elsewhere)\n"
	if code != 0 || !strings.Contains(shown, want) || !strings.HasSuffix(shown, "somebody said yes\n") {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
}

// Whoever waits sees what the agent does meanwhile, and none of that is left in
// the answer.
func TestSendShowsWhatTheAgentDoes(t *testing.T) {
	d := startDialogue(t, startAgent(t), "send", "slow")
	d.expect("… asking (permission) for ")
	d.expect(`: rm -rf /\x1b[31m …`)
	d.expect("\r\x1b[K")
	code, shown := d.ends()
	if code != 0 || !strings.HasSuffix(shown, "\r\x1b[K… thinking\nat last\n") {
		t.Errorf("exit code %d: %q", code, shown)
	}
}

func TestSendLeavesTheQuestionWhenNobodyAnswers(t *testing.T) {
	d := startDialogue(t, startAgent(t), "send", "ask")
	d.expect("> ")
	d.types("\x04") // Ctrl-D
	code, shown := d.ends()
	if code != 3 || !strings.Contains(shown, "hint: sidecar send --task ") {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
}

// Ctrl-C cancels the task at a question too: it would hold the agent until its time
// is over.
func TestSendCancelsATaskThatAsks(t *testing.T) {
	d := startDialogue(t, startAgent(t), "send", "ask")
	d.expect("> ")
	d.types("\x03")
	code, shown := d.ends()
	if code != 130 || !strings.Contains(shown, " canceled\n") {
		t.Errorf("exit code %d:\n%s", code, shown)
	}
}

func TestSendCleansWhatReachesATerminal(t *testing.T) {
	d := startDialogue(t, startAgent(t), "send", "evil")
	code, shown := d.ends()
	if code != 1 || strings.ContainsAny(shown, "\x1b\x07\u202e\u0085") || strings.Contains(shown, "\nsidecar: all is well") {
		t.Errorf("exit code %d: %q", code, shown)
	}
	if !strings.Contains(shown, `\x1b[2J\u202eabc`) {
		t.Errorf("what was cleaned is not shown: %q", shown)
	}
}

func TestInterruptCancelsTheTask(t *testing.T) {
	ctx := await.Context(t)
	cmd := exec.CommandContext(ctx, "sidecar", "send", "hang")
	cmd.Env = []string{"SIDECAR_URL=" + startAgent(t)}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(out).Peek(len("begun"))
	if err != nil || string(first) != "begun" {
		t.Fatalf("%q, %v", first, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(cmd.Wait()); code != 130 || !strings.Contains(stderr.String(), " canceled\n") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
