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
	r := command(t, "cat")
	want(t, r.ask("hello\n\nworld\n"), a2a.StateCompleted, "hello\n\nworld\n")
}

func TestOneshotStreamsWithNewlinesAndWithoutHoldingBack(t *testing.T) {
	g := newGate(t)
	r := command(t, sh(`printf 'one\n\n'; read x < "$1"; printf 'two'`, string(g))...)
	k := r.send("go")
	r.said(k, "one\n\n") // while the agent still runs
	g.open(t)
	want(t, r.end(k), a2a.StateCompleted, "one\n\ntwo")
}

func TestOneshotLongLine(t *testing.T) {
	line := strings.Repeat("é", 6<<20) // 12 MiB without a newline
	r := newRig(t, func(o *turn.Options) { o.Command = []string{"cat"} })
	r.tasks = task.NewRegistry(task.Options{TaskBytes: 64 << 20})
	want(t, r.ask(line), a2a.StateCompleted, line)
}

func TestOneshotExitCodeKeepsOutput(t *testing.T) {
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

func TestOneshotDoesNotReadStdin(t *testing.T) {
	r := command(t, sh(`exec 0<&-; echo fine`)...)
	want(t, r.ask(strings.Repeat("x", 1<<20)), a2a.StateCompleted, "fine\n")
}

func TestOneshotCancelEndsTheRealCommand(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	// The command ignores TERM, and is not the process that was started.
	r := newRig(t, func(o *turn.Options) {
		o.Command = sh(`sh -c 'trap "" TERM; echo $$ > "$1"; echo started; while :; do sleep 1; done' sh "$1"; echo never`, pidFile)
		o.CancelGrace = 100 * time.Millisecond
	})
	k := r.send("x")
	r.said(k, "started")
	k.Cancel(task.ErrCanceled)
	want(t, r.end(k), a2a.StateCanceled, "started\n")
	if pid := readPID(t, pidFile); alive(pid) {
		t.Error("canceled, but the command lives")
	}
}

func TestOneshotCancelIsGentleFirst(t *testing.T) {
	r := command(t, sh(`trap 'echo bye; exit 0' TERM; echo started; while :; do sleep 0.05; done`)...)
	k := r.send("x")
	r.said(k, "started")
	k.Cancel(task.ErrCanceled)
	want(t, r.end(k), a2a.StateCanceled, "started\nbye\n")
}

func TestOneshotTurnTimeout(t *testing.T) {
	r := newRig(t, func(o *turn.Options) {
		o.Command, o.TurnTimeout = sh("sleep 600"), 300*time.Millisecond
	})
	got := r.ask("x")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "timed out after 300ms") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
}

func TestOneshotBinaryAnswerIsOneRawPart(t *testing.T) {
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
	r := command(t, sh(`printf 'a\303'; sleep 0.1; printf '\251b'`)...)
	k := r.send("x")
	for _, e := range r.events(k.Subscribe()) {
		if e.Artifact != nil && strings.ContainsRune(partsText(e.Artifact.Artifact.Parts), '\ufffd') {
			t.Errorf("a rune was cut: %q", partsText(e.Artifact.Artifact.Parts))
		}
	}
	want(t, r.end(k), a2a.StateCompleted, "aéb")
}

func TestOneshotStderrKeepsItsEnd(t *testing.T) {
	r := command(t, sh(`i=0; while [ $i -lt 3000 ]; do echo "line $i of what goes wrong here and there" >&2; i=$((i+1)); done`)...)
	got := r.ask("x")
	a := artifact(got, "stderr")
	if a == nil {
		t.Fatal("no stderr")
	}
	text := partsText(a.Parts)
	if len(text) != 64<<10 || !strings.HasSuffix(text, "line 2999 of what goes wrong here and there\n") || meta(a.Metadata, "truncated") != "true" {
		t.Errorf("stderr has %d bytes, ends %q, metadata %v", len(text), clip(text[len(text)-50:]), a.Metadata)
	}
}

func TestOneshotFloodIsBounded(t *testing.T) {
	r := newRig(t, func(o *turn.Options) { plays(o, "flood", strconv.Itoa(64<<20)) })
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
	for command, code := range map[string]int{"/no/such/program": 127, "/etc/passwd": 126} {
		r := prepareRig(t, func(o *turn.Options) { o.Command = []string{command} })
		var start *proc.StartError
		if err := r.Start(t.Context()); !errors.As(err, &start) || start.ExitCode() != code {
			t.Errorf("%s: %v, want exit code %d", command, err, code)
		}
		k := r.send("x")
		events := r.events(k.Subscribe())
		if m := lastStatus(events).Metadata; meta(m, "exitCode") != strconv.Itoa(code) {
			t.Errorf("%s: metadata %v, want %d", command, m, code)
		}
	}
}

func TestOneshotPartsInAndEnvironment(t *testing.T) {
	r := newRig(t, func(o *turn.Options) {
		withChannel(t, o)
		o.Command = sh(`cat; echo; cat "$SIDECAR_MESSAGE_FILE"; echo; env; for f in "$(dirname "$SIDECAR_MESSAGE_FILE")"/in/*; do stat -c '%a %n' "$f"; cat "$f"; done`)
		o.Env = append(o.Env, "AGENT_CMD=secret", "AGENT_PORT=1", "SPRING_BOOTSTRAP_TOKEN=secret", "SIDECAR_TOKEN_FILE=secret", "KEEP=me", "TRACEPARENT=old")
		o.URL = func() string { return "http://127.0.0.1:8999" }
	})
	k, err := r.post("ctx-1",
		a2a.TextPart("look at"),
		a2a.DataPart([]byte("{\n \"a\": 1\n}")),
		a2a.Part{Kind: a2a.PartRaw, Raw: []byte("content"), Filename: "../../etc/-pass wd;\x1b.txt"},
		a2a.Part{Kind: a2a.PartURL, URL: "https://example.com/x"})
	if err != nil {
		t.Fatal(err)
	}
	got := r.end(k)
	text := answer(got)
	for _, want := range []string{
		"look at\n{\"a\":1}\n/", "/in/pass_wd__.txt\nhttps://example.com/x\n", // stdin
		`"raw":"` + base64.StdEncoding.EncodeToString([]byte("content")), `"messageId":"` + k.Message().ID, // the message file
		"SIDECAR_TASK_ID=" + k.ID(), "SIDECAR_CONTEXT_ID=ctx-1", "SIDECAR_MESSAGE_ID=" + k.Message().ID,
		"SIDECAR_OUTBOX=/", "SIDECAR_SOCKET=/", "SIDECAR_CHANNEL_TOKEN=", "SIDECAR_URL=http://127.0.0.1:8999", "KEEP=me",
		"600 ", "content",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, never := range []string{"secret", "AGENT_PORT", "TRACEPARENT"} {
		if strings.Contains(text, never) {
			t.Errorf("the agent saw %q", never)
		}
	}
	eventually(t, "the task's files to go", func() bool {
		left, _ := filepath.Glob(filepath.Join(r.dir, "turns-*", "*"))
		return len(left) == 0
	})
}

func TestOneshotOutbox(t *testing.T) {
	r := command(t, sh(`cd "$SIDECAR_OUTBOX"; echo text > note.txt; mkdir sub; printf '\000\001' > sub/data.bin; ln -s /etc/passwd link; ln note.txt hard; mkfifo pipe; head -c 9000000 /dev/zero > big; echo ok`)...)
	got := r.ask("x")
	if a := artifact(got, "sub/data.bin"); a == nil || string(a.Parts[0].Raw) != "\x00\x01" || a.Parts[0].Filename != "data.bin" {
		t.Errorf("sub/data.bin: %v", a)
	}
	for _, never := range []string{"link", "pipe", "big", "hard", "note.txt"} { // the note is the hard link's file
		if artifact(got, never) != nil {
			t.Errorf("%s was published", never)
		}
	}
	if meta(got.Metadata, "outboxSkipped") != "5" {
		t.Errorf("metadata %v, want 5 skipped", got.Metadata)
	}
}

// TestOneshotOutboxInWhosePlaceIsAPipe: what an agent puts in its outbox's place
// holds no turn.
func TestOneshotOutboxInWhosePlaceIsAPipe(t *testing.T) {
	for _, swap := range []string{`mkfifo "$SIDECAR_OUTBOX"`, `ln -s /etc "$SIDECAR_OUTBOX"`} {
		got := command(t, sh(`rmdir "$SIDECAR_OUTBOX" && `+swap+` && echo swapped`)...).ask("x")
		if got.Status.State != a2a.StateCompleted || len(got.Artifacts) != 1 {
			t.Errorf("%s: %s, %d artifacts", swap, got.Status.State, len(got.Artifacts))
		}
	}
}

func TestOneshotEmptyMessageStartsNothing(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	r := command(t, "touch", ran)
	for _, parts := range [][]a2a.Part{nil, {a2a.TextPart(" \n\t")}} {
		if _, err := r.post("", parts...); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%v: %v, want invalid params", parts, err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the agent ran")
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

// TestAgentOfAnotherUserKeepsToItsFolder: the directory of all folders is not
// the agent's, or it could lead us to write through a link of its own.
func TestAgentOfAnotherUserKeepsToItsFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	base, err := os.MkdirTemp("", "turns-of-another-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if err := os.Chmod(base, 0o711); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *turn.Options) {
		o.User, o.RuntimeDir, o.Dir = &proc.User{UID: 65532, GID: 65532}, base, "/"
		o.Command = sh(`own=$(dirname "$SIDECAR_OUTBOX"); cd "$own" && head -c 1 "$SIDECAR_MESSAGE_FILE" && echo x > "$SIDECAR_OUTBOX/file"
			mkdir "$own/../planted" && echo planted; mv "$own" "$own-moved" && echo moved; true`)
	})
	got := r.ask("it")
	want(t, got, a2a.StateCompleted, "{")
	if artifact(got, "file") == nil {
		t.Errorf("artifacts %v", got.Artifacts)
	}
}
