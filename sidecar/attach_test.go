package sidecar_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	realterm "golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// drawer is an agent that has drawn something, has set modes, and tells lines
// back.
var drawer = []string{"sh", "-c", `printf '\033]2;its title\007\033[?1049h\033[?2004h\033[?1000h\033[2J\033[3;5H\033[31mbanner\033[m\r\n'
while printf '$ '; read line; do [ "$line" = quit ] && exit 3; echo "got $line."; done`}

// viewer is a real terminal with a command in it.
type viewer struct {
	t      *testing.T
	master *os.File
	tty    *os.File
	before realterm.State
	cmd    *exec.Cmd
	done   chan struct{}

	mu     sync.Mutex
	all    bytes.Buffer
	screen *term.Screen
	more   chan struct{}
}

// view runs a sidecar command in a terminal of that size.
func view(t *testing.T, cols, rows uint16, env []string, args ...string) *viewer {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: cols, Rows: rows}); err != nil {
		t.Fatal(err)
	}
	v := &viewer{t: t, master: master, tty: tty, done: make(chan struct{}), more: make(chan struct{}),
		screen: term.New(term.Options{Cols: int(cols), Rows: int(rows)})}
	v.before = v.termios()
	v.cmd = sidecarCommand(args...)
	v.cmd.Env = append(v.cmd.Env, env...)
	v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr = tty, tty, tty
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			v.mu.Lock()
			v.all.Write(buf[:n])
			v.screen.Write(buf[:n])
			close(v.more)
			v.more = make(chan struct{})
			v.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { v.cmd.Wait(); close(v.done) }()
	t.Cleanup(func() {
		v.cmd.Process.Kill()
		<-v.done
		tty.Close()
		<-read // the last one to have it open has closed it
		master.Close()
	})
	return v
}

func (v *viewer) termios() realterm.State {
	v.t.Helper()
	got, err := realterm.GetState(int(v.tty.Fd()))
	if err != nil {
		v.t.Fatal(err)
	}
	return *got
}

// until waits until something holds of what was shown, all of it and the screen.
func (v *viewer) until(what string, holds func(all, screen string) bool) {
	v.t.Helper()
	after := time.After(deadline)
	for {
		v.mu.Lock()
		all, screen, more := v.all.String(), v.screen.Snapshot().Text(), v.more
		v.mu.Unlock()
		if holds(all, screen) {
			return
		}
		select {
		case <-more:
		case <-after:
			v.t.Fatalf("%s never came:\n%s\n%q", what, screen, all)
		}
	}
}

func (v *viewer) shows(text string) {
	v.t.Helper()
	v.until(text, func(_, screen string) bool { return strings.Contains(screen, text) })
}

func (v *viewer) types(keys string) {
	v.t.Helper()
	if _, err := io.WriteString(v.master, keys); err != nil {
		v.t.Fatal(err)
	}
}

// ends waits for the command's end and checks that the terminal is as it was.
func (v *viewer) ends(code int, says string) {
	v.t.Helper()
	await.One(v.t, v.done, "the command's end")
	if got := v.cmd.ProcessState.ExitCode(); got != code {
		v.t.Errorf("exit code %d, want %d", got, code)
	}
	if code < 0 { // then it is its guard's to do
		await.True(v.t, "the terminal's own settings", func() bool { return v.termios() == v.before })
	}
	if got := v.termios(); got != v.before {
		v.t.Errorf("the terminal has %+v, had %+v", got, v.before)
	}
	v.until(says, func(all, _ string) bool { return strings.Contains(all, says) })
	v.until("a terminal without modes", func(string, string) bool {
		snap := v.screen.Snapshot()
		m := snap.Modes
		return !snap.Alternate && !m.BracketedPaste && m.Mouse == 0 && m.KittyKeyboard == 0 && snap.CursorShown
	})
}

func TestAttachShowsTheTerminal(t *testing.T) {
	t.Parallel()
	r := run(t, append([]string{"--size", "80x20", "--"}, drawer...)...)
	looks := view(t, 80, 20, nil, "attach", "--url", r.url)
	looks.shows("    banner")
	types := view(t, 80, 20, []string{"SIDECAR_URL=" + r.url}, "attach", "--write")
	types.shows("    banner")
	if types.termios() == types.before {
		t.Error("the terminal is not raw")
	}
	looks.types("nobody reads this\r")
	types.types("hello\r")
	looks.shows("got hello.")
	types.shows("got hello.")
	if body := r.getPath("/terminal").body; !strings.Contains(body, "got hello.") || strings.Contains(body, "nobody") {
		t.Errorf("the terminal shows %s", body)
	}
	// A client's message is seen by all who look.
	r.send("from a client")
	looks.shows("got from a client.")

	types.types("last\r\x1d") // what was typed before it leaves arrives
	types.ends(0, "detached")
	looks.shows("got last.")
	looks.types("\x03") // who only looks leaves by Ctrl-C too
	looks.ends(0, "detached")
	if got := r.getPath("/terminal"); got.status != http.StatusOK {
		t.Errorf("the agent has not gone on: %+v", got)
	}
}

// The terminal is given back however it ends.
func TestAttachGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		do   func(r *running, v *viewer)
		code int
		says string
	}{
		{"the agent ends", func(_ *running, v *viewer) { v.types("quit\r") }, 0, "the agent ended: exit"},
		{"the sidecar is asked to end", func(r *running, _ *viewer) { r.cmd.Process.Signal(syscall.SIGTERM) }, 0, "the agent ended"},
		{"the sidecar is killed", func(r *running, _ *viewer) { r.cmd.Process.Kill() }, 1, "connection was lost"},
		{"TERM", func(_ *running, v *viewer) { v.cmd.Process.Signal(syscall.SIGTERM) }, 143, ""},
		{"HUP", func(_ *running, v *viewer) { v.cmd.Process.Signal(syscall.SIGHUP) }, 129, ""},
		{"INT", func(_ *running, v *viewer) { v.cmd.Process.Signal(syscall.SIGINT) }, 130, ""},
		{"KILL", func(_ *running, v *viewer) { v.cmd.Process.Kill() }, -1, ""},
		{"Ctrl-] of the kitty protocol", func(_ *running, v *viewer) { v.types("\x1b[93;5u") }, 0, "detached"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			r := run(t, append([]string{"--size", "80x20", "--"}, drawer...)...)
			v := view(t, 80, 20, nil, "attach", "-w", "--url", r.url)
			v.shows("    banner")
			c.do(r, v)
			v.ends(c.code, c.says)
		})
	}
}

// A smaller terminal shows what fits, and says so; one that grows is drawn anew.
func TestAttachInAnotherSize(t *testing.T) {
	t.Parallel()
	r := run(t, append([]string{"--size", "100x30", "--"}, drawer...)...)
	v := view(t, 60, 15, nil, "attach", "-w", "--url", r.url)
	v.until("the warning", func(all, _ string) bool {
		return strings.Contains(all, "this terminal is 60x15, the agent's 100x30: what does not fit around the cursor is cut off")
	})
	v.shows("    banner")
	v.types(strings.Repeat("w", 70) + "\r")
	v.until("the line", func(all, _ string) bool { return strings.Contains(all, "got w") })
	v.mu.Lock()
	v.screen.Resize(100, 30)
	v.mu.Unlock()
	// Not by pty.Setsize, which would make the file blocking.
	raw, err := v.master.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: 100, Row: 30})
	})
	if err != nil {
		t.Fatal(err)
	}
	v.shows("got " + strings.Repeat("w", 70) + ".")
	v.types("\x1d")
	v.ends(0, "detached")
}

func TestAttachIsRefused(t *testing.T) {
	t.Parallel()
	r := run(t, append([]string{"--token-file", writeTokens(t), "--"}, drawer...)...)
	r.untilState(aliceToken, r.beginAs(aliceToken, "hello", "").ID, "TASK_STATE_COMPLETED")
	for _, c := range []struct {
		env, says string
		code      int
	}{
		{"SIDECAR_TOKEN=", "hint: say who calls", 1},
		{"SIDECAR_TOKEN=" + bobToken, "another caller", 1},
		{"SIDECAR_CHANNEL_TOKEN=x", "would show itself in itself", 2},
	} {
		v := view(t, 120, 40, []string{"SIDECAR_URL=" + r.url, c.env}, "attach")
		v.ends(c.code, c.says)
	}
	v := view(t, 120, 40, []string{"SIDECAR_TOKEN=" + aliceToken}, "attach", "--url", r.url)
	v.shows("got hello.")
	v.types("\x1d")
	v.ends(0, "detached")
	view(t, 120, 40, nil, "attach", "--url", "http://127.0.0.1:1").ends(4, "no sidecar at")
}

// Beyond loopback only callers who are known see anything.
func TestTerminalBeyondLoopback(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flag, token string
		status      int
	}{
		{"--allow-anonymous", "", 403},
		{"--token-file=" + writeTokens(t), aliceToken, 200},
	} {
		r := startCommand(t, sidecarCommand("run", "--host", "0.0.0.0", "--port", "0", "--log-format", "json", c.flag, "--", "cat"))
		r.waitServing()
		for _, path := range []string{"/terminal", "/terminal/stream", "/terminal/attach?write=true"} {
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.token != "" {
				req.Header.Set("Authorization", "Bearer "+c.token)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			want := c.status
			if want == 200 && strings.HasPrefix(path, "/terminal/attach") {
				want = http.StatusUpgradeRequired
			}
			if body := make([]byte, 1000); res.StatusCode != want {
				n, _ := res.Body.Read(body)
				t.Errorf("%s: %d %s, want %d", path, res.StatusCode, body[:n], want)
			}
			cancel()
			res.Body.Close()
		}
	}
}

// At the end of the sidecar whoever looks is told, and whoever does not listen
// holds nothing up.
func TestDrainEndsWatching(t *testing.T) {
	t.Parallel()
	r := run(t, append([]string{"--"}, drawer...)...)
	dial := func() *websocket.Conn {
		conn, _, err := websocket.Dial(r.context(), r.url+"/terminal/attach", nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.CloseNow() })
		return conn
	}
	listens := dial()
	dial() // does not
	stream, err := http.Get(r.url + "/terminal/stream")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	begin := time.Now()
	r.cmd.Process.Signal(syscall.SIGTERM)
	last := ""
	for {
		_, data, err := listens.Read(r.context())
		if err == nil {
			last = string(data)
			continue
		}
		if told := (websocket.CloseError{}); !errors.As(err, &told) || told.Code != websocket.StatusNormalClosure || !strings.Contains(told.Reason, "the agent ended") {
			t.Errorf("the connection ends with %v", err)
		}
		break
	}
	if !strings.Contains(last, `"type":"end","reason":"exited"`) {
		t.Errorf("the last message is %s", last)
	}
	body, err := io.ReadAll(stream.Body)
	if err != nil || !strings.Contains(string(body), "event: end\ndata: {\"reason\":\"exited\"") {
		t.Errorf("the stream ends with %v: %s", err, body)
	}
	r.wait()
	if took := time.Since(begin); took > 9*time.Second { // drain-timeout + grace + 2 s
		t.Errorf("the end took %v", took)
	}
}

// What an agent writes is drawn, not obeyed: no clipboard, title, printer or query
// reaches the terminal of whoever looks, and nothing that hides text; --raw gives
// the bytes, and says what that means.
func TestAttachPassesNoControls(t *testing.T) {
	t.Parallel()
	const script = `printf '\033]52;c;aGlkZGVu\007\033]0;evil title\007\033]2;evil\033\\\033[5i\033]1337;File=x\007\033P+q544e\033\\\033[c\033]10;?\007'
printf '\342\200\256backwards\363\240\201\262 banner\r\n'; read line; printf '\033]52;c;bGF0ZXI=\007\033[5i\033]2;later title\007later\r\n'; cat`
	r := run(t, "--size", "80x20", "--", "sh", "-c", script)
	bad := []string{"\x1b]52", "\x1b]0;", "\x1b]2;", "evil", "\x1b[5i", "1337", "+q544e", "\x1b[c", "\x1b]10", "\u202e", "\U000e0072", "later title"}
	looks := view(t, 80, 20, nil, "attach", "--write", "--url", r.url)
	looks.shows("backwards banner")
	raw := view(t, 80, 20, nil, "attach", "--raw", "--url", r.url)
	raw.until("the warning", func(all, _ string) bool { return strings.Contains(all, "--raw") && strings.Contains(all, "clipboard") })
	raw.until("the picture", func(all, _ string) bool { return strings.Contains(all, "banner") })
	looks.types("go\r")
	looks.shows("later")
	raw.until("the bytes", func(all, _ string) bool {
		return strings.Contains(all, "\x1b]52;c;bGF0ZXI=\x07") && strings.Contains(all, "\x1b[5i") && strings.Contains(all, "later title")
	})
	looks.types("\x1d")
	looks.ends(0, "detached")
	looks.until("nothing but a picture", func(all, _ string) bool {
		for _, b := range bad {
			if strings.Contains(all, b) {
				t.Errorf("the terminal got %q", b)
			}
		}
		return true
	})
}
