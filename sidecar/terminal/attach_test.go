package terminal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// attached is a WebSocket on a terminal.
type attached struct {
	t      testing.TB
	ctx    context.Context
	conn   *websocket.Conn
	said   []message // the text messages
	screen *term.Screen
	output strings.Builder
}

// message is a text message.
type message struct {
	Type, Session, ContextID, Reason, Text string
	Cols, Rows                             int
	Write                                  bool
	ExitCode                               *int
}

// dial opens a WebSocket, or tells the status and body that refused it.
func (r *rig) dial(query string, header ...string) (*attached, int, string) {
	r.t.Helper()
	ctx := await.Context(r.t)
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	conn, res, err := websocket.Dial(ctx, r.url+"/terminal/attach"+query, &websocket.DialOptions{HTTPHeader: h})
	if err != nil {
		if res == nil {
			r.t.Fatal(err)
		}
		body := make([]byte, 1024)
		n, _ := res.Body.Read(body)
		return nil, res.StatusCode, string(body[:n])
	}
	conn.SetReadLimit(16 << 20)
	r.t.Cleanup(func() { conn.CloseNow() })
	return &attached{t: r.t, ctx: ctx, conn: conn}, 101, ""
}

// attach is dial that must work, with its first picture.
func (r *rig) attach(query string, header ...string) *attached {
	r.t.Helper()
	a, status, body := r.dial(query, header...)
	if a == nil {
		r.t.Fatalf("attach: %d %s", status, body)
	}
	a.next()
	a.next()
	if len(a.said) != 1 || a.said[0].Type != "snapshot" || a.screen == nil {
		r.t.Fatalf("begins with %+v", a.said)
	}
	return a
}

// next takes the next message; the error is the connection's end.
func (a *attached) next() error {
	a.t.Helper()
	kind, data, err := a.conn.Read(a.ctx)
	if err != nil {
		return err
	}
	if kind == websocket.MessageBinary {
		if a.screen == nil {
			last := a.said[len(a.said)-1]
			a.screen = term.New(term.Options{Cols: last.Cols, Rows: last.Rows})
		}
		a.screen.Write(data)
		if a.output.Len() > keeps {
			a.output.Reset()
		}
		a.output.Write(data)
		return nil
	}
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		a.t.Fatalf("%v: %s", err, data)
	}
	a.said = append(a.said, m)
	if m.Type == "snapshot" {
		a.screen = nil // the next draws it
	}
	return nil
}

// shows reads until the output has the text.
func (a *attached) shows(text string) {
	a.t.Helper()
	for !strings.Contains(a.output.String(), text) {
		if err := a.next(); err != nil {
			a.t.Fatalf("%v before %q: %q", err, text, a.output.String())
		}
	}
}

func (a *attached) types(keys string) {
	a.t.Helper()
	a.sends(websocket.MessageBinary, keys)
}

func (a *attached) sends(kind websocket.MessageType, data string) {
	a.t.Helper()
	if err := a.conn.Write(a.ctx, kind, []byte(data)); err != nil {
		a.t.Fatal(err)
	}
}

// ends reads to the end and returns the close code, its reason and the server's
// last message.
func (a *attached) ends() (websocket.StatusCode, string, message) {
	a.t.Helper()
	for {
		err := a.next()
		if err == nil {
			continue
		}
		var told websocket.CloseError
		if !errors.As(err, &told) {
			a.t.Fatalf("the connection broke: %v", err)
		}
		return told.Code, told.Reason, a.said[len(a.said)-1]
	}
}

func TestAttachShowsAndTypes(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.do("before")
	looks, types := r.attach(""), r.attach("?write=true")
	if !strings.Contains(looks.screen.Snapshot().Text(), "got before.") || looks.said[0].Cols != 120 || looks.said[0].Write || !types.said[0].Write {
		t.Errorf("%+v %+v", looks.said, types.said)
	}
	types.types("hel")
	types.types("lo\r")
	looks.shows("got hello.")
	types.shows("got hello.")
	if !strings.Contains(r.text(), "got hello.") {
		t.Error("the terminal shows something else")
	}
	// A fresh picture for who asks.
	before := len(looks.said)
	looks.sends(websocket.MessageText, `{"type":"size","cols":10,"rows":5}`) // means nothing
	looks.sends(websocket.MessageText, `{"type":"redraw"}`)
	for len(looks.said) == before || looks.screen == nil {
		if err := looks.next(); err != nil {
			t.Fatal(err)
		}
	}
	if m := looks.said[before]; m.Type != "snapshot" || m.Cols != 120 || !strings.Contains(looks.screen.Snapshot().Text(), "got hello.") {
		t.Errorf("asked for a picture, got %+v", m)
	}
}

func TestAttachRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(w *ways) { w.handler.PublicHost = "agent.example" })
	for origin, status := range map[string]int{
		"http://evil.example": 403, "null": 403, "http://127.0.0.1:1": 403, "https://agent.example": 101, r.url: 101,
	} {
		if _, got, body := r.dial("", "Origin", origin); got != status {
			t.Errorf("a page of %s: %d %s, want %d", origin, got, body, status)
		}
	}
	for _, c := range []struct {
		what string
		kind websocket.MessageType
		data string
		code websocket.StatusCode
	}{
		{"keys without the right", websocket.MessageBinary, "x", websocket.StatusPolicyViolation},
		{"text that is no JSON", websocket.MessageText, "x", websocket.StatusUnsupportedData},
		{"text without a type", websocket.MessageText, "{}", websocket.StatusUnsupportedData},
		{"too much", websocket.MessageText, strings.Repeat(" ", 65<<10), websocket.StatusMessageTooBig},
	} {
		a := r.attach("")
		a.sends(c.kind, c.data)
		if code, reason, _ := a.ends(); code != c.code {
			t.Errorf("%s: %d %s, want %d", c.what, code, reason, c.code)
		}
	}
	if strings.Contains(r.text(), "x") {
		t.Error("a key without the right arrived")
	}
}

// What the terminal in which it is shown answers by itself is not typed; keys
// are.
func TestAttachLeavesAnswersOut(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	a := r.attach("?write=true")
	a.types("raw 6\r")
	a.shows("raw\r\n")
	a.types("a\x1b[?62;22c\x1b[5;1R\x1b]11;rgb:00/00/00\x1b\\b\x1b[?")
	a.types("7u\x1bP>|x(1)\x1b\\\x1b[A")
	a.types("\x1b")
	a.shows("keys 61621b5b411b.")
}

func TestAttachTellsTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	a := r.attach("?write=true")
	a.types("exit 3\r")
	code, reason, last := a.ends()
	if code != websocket.StatusNormalClosure || !strings.Contains(reason, "ended") || last.Type != "end" || last.Reason != "exited" || last.ExitCode == nil || *last.ExitCode != 3 {
		t.Errorf("%d %s %+v", code, reason, last)
	}
	if _, status, body := r.dial(""); status != 503 {
		t.Errorf("without an agent: %d %s", status, body)
	}
}

// At the server's end everybody is told, and whoever does not listen is cut off:
// nothing of it is left.
func TestAttachEndsWithTheHandlers(t *testing.T) {
	r := newRig(t, nil)
	a := r.attach("")
	stalled := r.attach("?write=true") // reads nothing any more
	r.do("flood 40000")
	r.do("after the flood")
	a.shows("got after the flood") // it reads, and has little left to read
	begin := time.Now()
	closed := make(chan struct{})
	go func() { r.handlers.Close(); close(closed) }()
	code, reason, last := a.ends()
	if code != websocket.StatusGoingAway || reason == "" || last.Reason != "shutting-down" {
		t.Errorf("%d %q %+v", code, reason, last)
	}
	await.One(t, closed, "Close, which must not wait for ever")
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("a stalled one held it for %v", took)
	}
	for stalled.next() == nil {
	}
	await.True(r.t, "nothing of it runs", func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return !bytes.Contains(stacks, []byte("terminal.(*Handlers).show")) && !bytes.Contains(stacks, []byte("terminal.(*attachment)")) &&
			!bytes.Contains(stacks, []byte("proc.(*Typist)"))
	})
}

// A turn's text and somebody's keys are never mixed in a line, and the task says
// that somebody typed.
func TestAttachWaitsForTurns(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	a := r.attach("?write=true")
	var reading, typing sync.WaitGroup
	reading.Go(func() {
		for a.next() == nil {
		}
	})
	stop, begun := make(chan struct{}), make(chan struct{}, 1)
	typing.Go(func() {
		for n := 0; ; n++ {
			line := fmt.Sprintf("key%d\r", n)
			for i, piece := range []string{line[:2], line[2:]} {
				if a.conn.Write(a.ctx, websocket.MessageBinary, []byte(piece)) != nil {
					return
				}
				if i == 0 {
					select {
					case begun <- struct{}{}:
					default:
					}
				}
				select { // people pause, else no turn would begin
				case <-time.After(time.Duration(100+500*i) * time.Millisecond):
				case <-stop:
				}
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	const message = "the message that must arrive as a whole"
	for range 4 {
		<-begun // somebody is in the middle of a line
		k := r.end(r.send("", "", message))
		if !strings.Contains(answer(k), "got "+message+".") {
			t.Errorf("answer %q", answer(k))
		}
	}
	close(stop)
	typing.Wait()
	a.conn.CloseNow()
	reading.Wait()
	await.True(r.t, "all was typed", func() bool { return strings.HasSuffix(strings.TrimSpace(r.text()), ">") })
	for line := range strings.Lines(r.text()) {
		line = strings.TrimSpace(line)
		if got, ok := strings.CutPrefix(line, "got "); ok && got != message+"." && !(strings.HasPrefix(got, "key") && strings.Count(got, "key") == 1) {
			t.Errorf("a line is mixed: %q", line)
		}
	}
}

// Keys in the middle of a turn are the person's business, and told.
func TestAttachKeysDuringATurnAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	a := r.attach("?write=true")
	k := r.send("", "", "raw 3")
	a.shows("raw\r\n")
	a.types("abc")
	got := r.end(k)
	if !strings.Contains(answer(got), "keys 616263.") || string(got.Metadata["interleaved"]) != "true" {
		t.Errorf("answer %q, metadata %v", answer(got), got.Metadata)
	}
}

// A line that was left behind does not become a part of a message.
func TestAttachLeavesALineBehind(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	a := r.attach("?write=true")
	a.types("half a li")
	a.shows("half a li")
	if err := a.conn.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	k := r.do("hello")
	if !strings.Contains(answer(k), "got hello.") || strings.Contains(answer(k), "half") {
		t.Errorf("answer %q", answer(k))
	}
}

// What is typed where nothing is echoed is nowhere: not on a screen, not in a
// recording, not in the log.
func TestAttachKeepsNoPasswords(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "session.cast")
	r := newRig(t, func(w *ways) { w.runner.Record = record })
	w := r.watch()
	a := r.attach("?write=true")
	a.types("secret\r")
	a.shows("Password: ")
	a.types("hunter2hunter2\r")
	a.shows("thanks for 14 bytes")
	w.until("thanks for 14 bytes")
	w.same(r)
	if err := r.runner.Close(); err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile(record)
	if err != nil || !strings.Contains(string(recorded), "thanks for") {
		t.Fatalf("the recording is %q: %v", recorded, err)
	}
	for what, text := range map[string]string{
		"the recording": string(recorded), "the log": r.log.String(), "the stream": string(w.output), "the connection": a.output.String(),
	} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("%s has the password", what)
		}
	}
}
