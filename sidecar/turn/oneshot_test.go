package turn_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// command is a rig of one-shot processes.
func command(t testing.TB, argv ...string) *rig {
	return newRig(t, func(o *turn.Options) { o.Command = argv })
}

func TestOneshotEchoes(t *testing.T) {
	t.Parallel()
	r := command(t, "cat")
	want(t, r.ask("hello\n\nworld\n"), a2a.StateCompleted, "hello\n\nworld\n")
}

func TestOneshotStreamsWithNewlinesAndWithoutHoldingBack(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	r := command(t, sh(`printf 'one\n\n'; read x < "$1"; printf 'two'`, string(g))...)
	k := r.send("go")
	r.said(k, "one\n\n") // while the agent still runs
	g.open(t)
	want(t, r.end(k), a2a.StateCompleted, "one\n\ntwo")
}

func TestOneshotLongLine(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("é", 2<<20) // 4 MiB without a newline
	want(t, command(t, "cat").ask(line), a2a.StateCompleted, line)
}

func TestOneshotExitCodeKeepsOutput(t *testing.T) {
	t.Parallel()
	r := command(t, sh(`cat; echo why >&2; exit 7`)...)
	k := r.send("hello")
	events := r.events(k.Subscribe())
	got := r.end(k)
	want(t, got, a2a.StateFailed, "hello")
	if s := status(got); !strings.Contains(s, "exit status 7") || !strings.Contains(s, "why") {
		t.Errorf("status says %q, want the code and stderr", s)
	}
	if m := lastStatus(events).Metadata; meta(m, "exitCode") != "7" {
		t.Errorf("metadata %v, want exitCode 7", m)
	}
	if a := artifact(got, "stderr"); a == nil || partsText(a.Parts) != "why\n" {
		t.Errorf("stderr is %v", a)
	}
}

func TestOneshotSignal(t *testing.T) {
	t.Parallel()
	r := command(t, sh(`echo before; kill -KILL $$`)...)
	k := r.send("x")
	events := r.events(k.Subscribe())
	got := r.end(k)
	want(t, got, a2a.StateFailed, "before\n")
	m := lastStatus(events).Metadata
	if !strings.Contains(status(got), "killed by SIGKILL") || meta(m, "signal") != `"SIGKILL"` || meta(m, "exitCode") != "137" {
		t.Errorf("%q %v, want SIGKILL and 137", status(got), m)
	}
}

func TestOneshotGrandchildKeepsStdout(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	r := command(t, sh(`sleep 600 & echo $! > "$1"; echo answer`, pidFile)...)
	want(t, r.ask("x"), a2a.StateCompleted, "answer\n") // which waits for less than the grandchild sleeps
	pid := readPID(t, pidFile)
	if !alive(pid) {
		t.Error("a background process was killed by a turn that ended well")
	}
	eventually(t, "the log tells of the background process", func() bool { return strings.Contains(r.log.String(), "in the background") })
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}

func TestOneshotCancelIsGentleFirst(t *testing.T) {
	t.Parallel()
	r := command(t, sh(`trap 'echo bye; exit 0' TERM; echo started; while :; do sleep 0.05; done`)...)
	k := r.send("x")
	r.said(k, "started")
	k.Cancel(task.ErrCanceled)
	want(t, r.end(k), a2a.StateCanceled, "started\nbye\n")
}

func TestOneshotTurnTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		o.Command, o.TurnTimeout = sh("sleep 600"), 300*time.Millisecond
	})
	got := r.ask("x")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "timed out after 300ms") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
}

func TestOneshotBinaryAnswerIsOneRawPart(t *testing.T) {
	t.Parallel()
	data := "GIF89a\x00\x01\xff" + strings.Repeat("\xfe\xed", 30000)
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	r := command(t, sh(`printf head; sleep 0.1; cat "$1"`, file)...)
	got := r.ask("x")
	a := artifact(got, "response")
	if a == nil || len(a.Parts) != 1 || a.Parts[0].Kind != a2a.PartRaw || string(a.Parts[0].Raw) != "head"+data {
		t.Errorf("the answer is not one raw part of %d bytes: %d artifacts", len(data)+4, len(got.Artifacts))
	}
}

func TestOneshotBadBytesLater(t *testing.T) {
	t.Parallel()
	head := strings.Repeat("x", 9000)
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte(head+"a\xffb\xc3"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := command(t, "cat", file).ask("x")
	want(t, got, a2a.StateCompleted, head+"a\ufffdb\ufffd")
	if m := artifact(got, "response").Metadata; meta(m, "invalidBytes") != "2" {
		t.Errorf("metadata %v, want 2 invalid bytes", m)
	}
}

func TestOneshotRunesAreNeverCut(t *testing.T) {
	t.Parallel()
	r := command(t, sh(`printf 'a\303'; sleep 0.1; printf '\251b'`)...)
	k := r.send("x")
	for _, e := range r.events(k.Subscribe()) {
		if e.Artifact != nil && strings.ContainsRune(partsText(e.Artifact.Artifact.Parts), '\ufffd') {
			t.Errorf("a rune was cut: %q", partsText(e.Artifact.Artifact.Parts))
		}
	}
	want(t, r.end(k), a2a.StateCompleted, "aéb")
}

func TestOneshotFloodIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) { plays(o, "flood", strconv.Itoa(24<<20)) })
	got := r.ask("x")
	if got.Status.State != a2a.StateCompleted {
		t.Fatalf("task is %s", got.Status.State)
	}
	a := artifact(got, "response")
	if n := len(partsText(a.Parts)); n > 9<<20 || meta(a.Metadata, "truncated") != "true" {
		t.Errorf("kept %d bytes, metadata %v", n, a.Metadata)
	}
}

func TestOneshotCommandThatCannotStart(t *testing.T) {
	t.Parallel()
	for command, code := range map[string]int{"/no/such/program": 127, "/etc/passwd": 126} {
		r := prepareRig(t, func(o *turn.Options) { o.Command = []string{command} })
		var start *proc.StartError
		if err := r.Start(t.Context()); !errors.As(err, &start) || start.ExitCode() != code {
			t.Errorf("%s: %v, want exit code %d", command, err, code)
		}
		if got := r.ask("x"); got.Status.State != a2a.StateFailed || meta(got.Metadata, "exitCode") != strconv.Itoa(code) {
			t.Errorf("%s: task is %s, metadata %v, want %d", command, got.Status.State, got.Metadata, code)
		}
	}
}

func TestOneshotGetsTheMessage(t *testing.T) {
	t.Parallel()
	r := command(t, sh(`cat; echo; cat "$SIDECAR_MESSAGE_FILE"; for f in "$(dirname "$SIDECAR_MESSAGE_FILE")"/in/*; do stat -c '%a %n' "$f"; cat "$f"; done`)...)
	k, err := r.post("ctx-1",
		a2a.TextPart("look at"),
		a2a.DataPart([]byte("{\n \"a\": 1\n}")),
		a2a.Part{Kind: a2a.PartRaw, Raw: []byte("content"), Filename: "photo.png"},
		a2a.Part{Kind: a2a.PartURL, URL: "https://example.com/x"})
	if err != nil {
		t.Fatal(err)
	}
	got := r.end(k)
	text := answer(got)
	for _, want := range []string{
		"look at\n{\"a\":1}\n/", "/in/photo.png\nhttps://example.com/x\n", // stdin
		`"raw":"` + base64.StdEncoding.EncodeToString([]byte("content")), `"messageId":"` + k.Message().ID, // the message file
		"600 ", "content",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	eventually(t, "the task's files to go", func() bool {
		left, _ := filepath.Glob(filepath.Join(r.dir, "turns-*", "*"))
		return len(left) == 0
	})
}

func TestOneshotOutbox(t *testing.T) {
	t.Parallel()
	r := command(t, sh(`cd "$SIDECAR_OUTBOX"; echo text > note.txt; ln -s /etc/passwd link`)...)
	got := r.ask("x")
	if a := artifact(got, "note.txt"); a == nil || a.Parts[0].Text != "text\n" {
		t.Errorf("note.txt: %v", a)
	}
	if meta(got.Metadata, "outboxSkipped") != "1" {
		t.Errorf("metadata %v, want the link to be skipped", got.Metadata)
	}
}

func readPID(t testing.TB, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}
