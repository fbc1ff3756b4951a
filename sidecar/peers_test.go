package sidecar_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// The tests of this file are one per defect that was seen in programs of this
// kind. Orphans of PID 1, TERM with a task running and the wide listening
// address are in process_test.go.

// TestGrandchildKeepsStdout: a background process that keeps stdout open does
// not hold up the answer, and lives on.
func TestGrandchildKeepsStdout(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "sh", "-c", "sleep 65 & echo $!")
	task := r.send("go")
	pid, err := strconv.Atoi(strings.TrimSpace(artifact(task, "response")))
	if err != nil || task.Status.State != a2a.StateCompleted {
		t.Fatalf("%s %q", task.Status.State, artifact(task, "response"))
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the background process did not live on: %v", err)
	}
}

// TestChildDoesNotRead: a child that never reads a long message is no fault.
func TestChildDoesNotRead(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "echo", "did not read")
	for range 3 {
		task := r.send(strings.Repeat("x", 1<<20))
		if task.Status.State != a2a.StateCompleted || artifact(task, "response") != "did not read\n" {
			t.Errorf("%s %q", task.Status.State, artifact(task, "response"))
		}
	}
}

// TestCancelEndsTheCommand: canceling ends what sh started, not only sh, and
// says canceled only when it is gone.
func TestCancelEndsTheCommand(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "sh", "-c", "echo begun; sleep 66; echo never")
	id := r.begin("go").ID
	await.True(r.t, "it runs", func() bool { return r.processes("sleep", "66") == 1 })
	task, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.processes("sleep", "66"); task.Status.State != a2a.StateCanceled || n != 0 {
		t.Errorf("%s with %d commands alive", task.Status.State, n)
	}
}

// TestBurst: 200 messages at once run at most --max-concurrency processes, and
// every one is answered or told busy.
func TestBurst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := runWith(t, []string{"DIR=" + dir}, "--mode", "oneshot", "--max-concurrency", "4", "--queue", "50", "--", "sh", "-c",
		`read n; : >"$DIR/run.$n"; ls "$DIR" | grep -c run >"$DIR/seen.$n"; sleep 0.05; rm "$DIR/run.$n"; echo "$n"`)
	var senders sync.WaitGroup
	var mu sync.Mutex
	answered, busy := 0, 0
	for i := range 200 {
		senders.Go(func() {
			body := fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"%d"}]}}`, i)
			res, err := http.Post(r.url+"/message:send", "application/json", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			text, _ := io.ReadAll(res.Body)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case res.StatusCode == 200 && strings.Contains(string(text), fmt.Sprintf(`"text":"%d\n"`, i)):
				answered++
			case res.StatusCode == 429 && res.Header.Get("Retry-After") != "":
				busy++
			default:
				t.Errorf("%d: %s", res.StatusCode, text)
			}
		})
	}
	senders.Wait()
	t.Logf("%d answered, %d busy", answered, busy)
	if answered+busy != 200 || answered < 54 {
		t.Errorf("%d answered, %d busy", answered, busy)
	}
	seen, _ := filepath.Glob(filepath.Join(dir, "seen.*"))
	for _, f := range seen {
		b, _ := os.ReadFile(f)
		var n int
		fmt.Sscan(string(b), &n)
		if n > 4 {
			t.Errorf("%s: %d processes at once", f, n)
		}
	}
}

// TestExitOneKeepsOutput: a failing agent's output, code and stderr are all
// told.
func TestExitOneKeepsOutput(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "sh", "-c", `read s; echo out; echo err >&2; [ "$s" = signal ] && kill -USR1 $$; exit 3`)
	task := r.send("exit")
	if task.Status.State != a2a.StateFailed || artifact(task, "response") != "out\n" || !strings.Contains(artifact(task, "stderr"), "err") || !strings.Contains(says(task), "3") {
		t.Errorf("%s %q: out %q, err %q", task.Status.State, says(task), artifact(task, "response"), artifact(task, "stderr"))
	}
	task = r.send("signal")
	if task.Status.State != a2a.StateFailed || !strings.Contains(says(task), "SIGUSR1") {
		t.Errorf("%s %q", task.Status.State, says(task))
	}
}

// TestBadBodies: what is not a message starts nothing and breaks nothing.
func TestBadBodies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := runWith(t, []string{"DIR=" + dir}, "--mode", "oneshot", "--max-body", "1MiB", "--", "sh", "-c", `: >"$DIR/ran"; cat`)
	cases := []struct{ name, body, says string }{
		{"null", `null`, "-32600"},
		{"a batch", `[]`, "-32600"},
		{"not JSON", `{`, "-32700"},
		{"no parts", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[]}}}`, "-32602"},
		{"white space", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":" \n\t"}]}}}`, "-32602"},
		{"bad context", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","contextId":"../../etc","parts":[{"text":"x"}]}}}`, "-32602"},
		{"a directory that is not there", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}],"metadata":{"urn:a2a-sidecar:directories:v1":["/not/there"]}}}}`, "-32602"},
		{"a directory that is not absolute", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}],"metadata":{"urn:a2a-sidecar:directories:v1":["x"]}}}}`, "-32602"},
		{"no id", `{"jsonrpc":"2.0","method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}]}}}`, ""},
		{"unknown task", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m","taskId":"nope","parts":[{"text":"x"}]}}}`, "-32001"},
	}
	for _, c := range cases {
		rep := r.do(http.MethodPost, "/", "application/json", c.body)
		if rep.status >= 500 || !strings.Contains(rep.body, c.says) {
			t.Errorf("%s: %d %s", c.name, rep.status, rep.body)
		}
	}
	rep := r.do(http.MethodPost, "/", "application/json", strings.Repeat("x", 2<<20))
	if rep.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d %s", rep.status, rep.body)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the agent ran")
	}
	if got := artifact(r.send("still here"), "response"); got != "still here" {
		t.Errorf("afterwards: %q", got)
	}
}

// TestFinishedTasksAreForgotten: finished tasks are bounded by count and bytes.
func TestFinishedTasksAreForgotten(t *testing.T) {
	r := run(t, "--mode", "oneshot", "--keep-bytes", "512KiB", "--", "cat")
	var ids []string
	for range 6 {
		ids = append(ids, r.send(strings.Repeat("x", 256<<10)).ID)
	}
	kept := 0
	for _, id := range ids {
		if _, err := r.client().Get(r.context(), &a2a.GetRequest{ID: id}); err == nil {
			kept++
		}
	}
	if kept == 0 || kept > 2 {
		t.Errorf("%d tasks of 256 KiB kept in 512", kept)
	}
	for range 10 {
		r.send("small")
	}
	list, err := r.client().List(r.context(), &a2a.ListRequest{PageSize: 100})
	if err != nil || list.TotalSize > 8 {
		t.Errorf("%d tasks kept of 8: %v", list.TotalSize, err)
	}
}

// TestStreamKeepsEverything: newlines stay, nothing is held back, a line may
// be longer than 10 MiB.
func TestStreamKeepsEverything(t *testing.T) {
	want := "one\ntwo\n\n" + strings.Repeat("x", 11_000_000) + "\nend"
	for {
		got, err := streamGated(t)
		if errors.Is(err, a2a.ErrUnavailable) {
			continue // this machine was too busy to read: as documented
		}
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("streamed %d bytes of %d: %.40q", len(got), len(want), got)
		}
		return
	}
}

// streamGated streams an answer that stops after "one\ntwo" until that much
// has arrived.
func streamGated(t *testing.T) (string, error) {
	gate := filepath.Join(t.TempDir(), "gate")
	r := run(t, "--mode", "oneshot", "--", "sh", "-c",
		`printf 'one\ntwo'; while [ ! -e "$0" ]; do sleep 0.02; done; printf '\n\n'; head -c 11000000 /dev/zero | tr '\0' x; printf '\nend'`, gate)
	stream, err := r.client().Stream(r.context(), &a2a.SendRequest{Message: userMessage("go")})
	if err != nil {
		return "", err
	}
	defer stream.Close()
	var text strings.Builder
	for opened := false; ; {
		batch, err := stream.Next(r.context())
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
		for _, e := range batch {
			if e.Artifact != nil {
				text.WriteString(e.Artifact.Artifact.Parts[0].Text)
			}
		}
		if !opened && text.String() == "one\ntwo" {
			writeFile(t, gate, "")
			opened = true
		}
	}
}

// TestSlowSubscriber: one who does not read harms neither the agent nor the
// others, and is cut off.
func TestSlowSubscriber(t *testing.T) {
	r := run(t, "--mode", "oneshot", "--", "sh", "-c", "head -c 33554432 /dev/zero | tr '\\0' x")
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	body := `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"go"}]}}`
	fmt.Fprintf(conn, "POST /message:stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	var id string
	await.True(r.t, "its task", func() bool {
		list, err := r.client().List(r.context(), &a2a.ListRequest{PageSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Tasks) == 1 {
			id = list.Tasks[0].ID
		}
		return id != ""
	})
	if task := r.settle(id); task.Status.State != a2a.StateCompleted {
		t.Errorf("%s %s", task.Status.State, says(task))
	}
}

// TestHalfHeaders: a connection that never finishes its headers is closed.
func TestHalfHeaders(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--header-timeout", "100ms", "--", "cat")
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: loc")
	conn.SetReadDeadline(time.Now().Add(5 * time.Second)) // the default would be 10
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("not closed: %v", err)
	}
}

// TestCardTellsTheTruth: the address is one that can be reached, the versions
// are spoken, and what is off is not claimed.
func TestCardTellsTheTruth(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--host", "0.0.0.0", "--allow-anonymous", "--push", "off", "--", "cat")
	for _, path := range []string{"/.well-known/agent.json", "/.well-known/agent-card.json"} {
		rep := r.getPath(path)
		if strings.Contains(rep.body, "0.0.0.0") || !strings.Contains(rep.body, r.url) || rep.header.Get("ETag") == "" || rep.header.Get("Cache-Control") == "" {
			t.Errorf("%s: %v %s", path, rep.header, rep.body)
		}
		var card struct {
			Capabilities        struct{ Streaming, PushNotifications, ExtendedAgentCard bool }
			SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
		}
		if err := json.Unmarshal([]byte(rep.body), &card); err != nil {
			t.Fatal(err)
		}
		if !card.Capabilities.Streaming || card.Capabilities.PushNotifications || card.Capabilities.ExtendedAgentCard {
			t.Errorf("capabilities %+v", card.Capabilities)
		}
		if len(card.SupportedInterfaces) != 4 {
			t.Errorf("interfaces %+v", card.SupportedInterfaces)
		}
	}
	if rep := r.do(http.MethodPost, "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"CreateTaskPushNotificationConfig","params":{}}`); !strings.Contains(rep.body, "-32003") {
		t.Errorf("push: %s", rep.body)
	}
}

// TestReadersDoNotWait: while a message is being worked on, everything that
// only reads answers.
func TestReadersDoNotWait(t *testing.T) {
	r := run(t, "--", "sh", "-c", "stty -echo; while read l; do sleep 67; done")
	id := r.begin("go").ID
	await.True(r.t, "it works", func() bool { return r.get(id).Status.State == a2a.StateWorking })
	for _, path := range []string{"/readyz", "/livez", "/healthz", "/a2a/tools", "/.well-known/agent.json", "/tasks", "/tasks/" + id} {
		if rep := r.getPath(path); rep.status != 200 {
			t.Errorf("%s: %d %s", path, rep.status, rep.body)
		}
	}
}

// TestHostileTerminalOutput: sequences that freeze screen models pass.
func TestHostileTerminalOutput(t *testing.T) {
	t.Parallel()
	r := run(t, "--prompt-pattern", "ready> $", "--", "sh", "-c",
		`stty -echo; printf 'ready> '; while read l; do printf '\033[9999999999Z\033[99999999999999999999999b\033]0;%s\007said %s\r\nready> ' "$l" "$l"; done`)
	for _, text := range []string{"one", "two"} {
		task := r.send(text)
		if task.Status.State != a2a.StateCompleted || strings.TrimSpace(artifact(task, "response")) != "said "+text {
			t.Errorf("%s %q", task.Status.State, artifact(task, "response"))
		}
	}
}

// TestForeignHost: a page under a name that leads here cannot call us.
func TestForeignHost(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "cat")
	req, _ := http.NewRequestWithContext(r.context(), http.MethodGet, r.url+"/a2a/tools", nil)
	req.Host = "evil.example"
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode < 400 {
		t.Errorf("Host evil.example: %d", res.StatusCode)
	}
	req, _ = http.NewRequestWithContext(r.context(), http.MethodPost, r.url+"/message:send", strings.NewReader(`{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"x"}]}}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", "http://evil.example")
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	if res, err = http.DefaultClient.Do(req); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("from a foreign page: %d", res.StatusCode)
	}
}

// TestClientGoesAway: hanging up cancels nothing.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	r := run(t, "--mode", "oneshot", "--", "sh", "-c", `while [ ! -e "$0" ]; do sleep 0.02; done; echo finished`, gate)
	ctx, hangUp := context.WithCancel(r.context())
	stream, err := r.client().Stream(ctx, &a2a.SendRequest{Message: userMessage("go")})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := stream.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	id := batch[0].Task.ID
	hangUp()
	stream.Close()
	writeFile(t, gate, "")
	if task := r.settle(id); task.Status.State != a2a.StateCompleted || artifact(task, "response") != "finished\n" {
		t.Errorf("%s %q", task.Status.State, artifact(task, "response"))
	}
}

// TestBinaryAndBrokenText: output that is not text arrives whole; bad bytes in
// text are replaced and counted.
func TestBinaryAndBrokenText(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "sh", "-c", `read k; case $k in binary) printf '\000\001\377';; late) head -c 10000 /dev/zero | tr '\0' x; printf 'a\377b';; esac`)
	task := r.send("binary")
	if got := artifact(task, "response"); got != "\x00\x01\xff" || task.Artifacts[0].Parts[0].Kind != a2a.PartRaw {
		t.Errorf("binary: %q", got)
	}
	if got := artifact(r.send("late"), "response"); !strings.HasSuffix(got, "xa\uFFFDb") {
		t.Errorf("late bad byte: %q", got[len(got)-10:])
	}
}

// TestClosedStdout: the sidecar outlives whoever read its output.
func TestClosedStdout(t *testing.T) {
	t.Parallel()
	cmd := sidecarCommand("run", "--port", "0", "--log-format", "json", "--tee", "--", "sh", "-c", "stty -echo; while read l; do echo \"got $l\"; printf '$ '; done")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r := startCommand(t, cmd)
	r.waitServing()
	r.send("first")
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "got first") {
		t.Errorf("teed %q, %v", line, err)
	}
	out.Close()
	for range 3 {
		if task := r.send("again"); task.Status.State != a2a.StateCompleted {
			t.Errorf("%s %s", task.Status.State, says(task))
		}
	}
	if err := r.cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the sidecar is gone: %v", err)
	}
}
