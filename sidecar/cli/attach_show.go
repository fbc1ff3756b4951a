package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// attached is a terminal of the agent that is shown in ours.
type attached struct {
	std   Std
	conn  *websocket.Conn
	base  string
	write bool
	raw   bool // our terminal obeys what the agent writes

	seat     *tty.HostTerminal
	mu       sync.Mutex
	own      tty.Size      // size of our terminal
	resized  chan struct{} // signals that our terminal has another size
	agents   tty.Size      // size of the agent's terminal
	pictured bool          // the next bytes are a picture
	shown    bool          // a picture has been shown
	drawing  sync.Mutex    // held while crop draws, or changes
	crop     *crop         // nil if raw
	dirty    chan struct{} // signals that crop has something to draw
}

// told is a text message from the server.
type told struct {
	Type       string `json:"type"`
	Cols, Rows uint16
	Reason     string `json:"reason"`
	Text       string `json:"text"`
}

// closeTime is how long the server may take to close the connection.
const closeTime = time.Second

// errDetached says that the person has detached.
var errDetached = errors.New("detached; the agent goes on")

// overError is the server's last message.
type overError struct{ told }

func (e *overError) Error() string { return e.Text }

// run shows the terminal until the end, and then restores ours.
func (a *attached) run(ctx context.Context) error {
	// The connection outlives ctx until it is closed properly.
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.resized, a.dirty = make(chan struct{}, 1), make(chan struct{}, 1)
	defer a.conn.CloseNow()
	if a.raw {
		fmt.Fprintln(a.std.Err, "sidecar: warning: --raw lets the agent do to this terminal what its bytes say: set its title and its clipboard, print, ask it things")
	}
	if err := a.first(ctx); err != nil {
		return a.explain(err)
	}
	seat, err := tty.TakeHost(a.std.In, a.std.Out, a.sized)
	if err != nil {
		return &exitError{code: exitFault, err: err}
	}
	defer seat.Close()
	if path := self(); path != "" {
		_ = seat.Guard(path) // without it only a kill -9 leaves the terminal spoiled
	}
	a.seat = seat
	var running sync.WaitGroup
	running.Go(func() { cancel(a.receive(life)) })
	running.Go(func() { cancel(a.keys(ctx)) })
	running.Go(func() { cancel(a.follow(ctx)) })
	running.Go(func() { cancel(a.paint(ctx)) })
	<-ctx.Done()
	cause := context.Cause(ctx)
	seat.Close()
	goodbye := time.AfterFunc(closeTime, kill)
	defer goodbye.Stop()
	_ = a.conn.Close(websocket.StatusNormalClosure, "") // what was typed before still arrives
	kill()
	running.Wait()
	fmt.Fprint(a.std.Out, "\x1b[999;1H\r\n")
	return a.explain(cause)
}

// first waits for the server's first message, which says how large the terminal is,
// and warns if ours is smaller.
func (a *attached) first(ctx context.Context) error {
	kind, data, err := a.conn.Read(ctx)
	if err != nil {
		return err
	}
	if kind != websocket.MessageText {
		return errors.New("the server does not begin with a snapshot")
	}
	if err := a.told(data); err != nil {
		return err
	}
	cols, rows, err := term.GetSize(int(a.std.Out.Fd()))
	if err != nil {
		return nil // our terminal does not know its size
	}
	if own := (tty.Size{Cols: uint16(cols), Rows: uint16(rows)}); smaller(own, a.agents) {
		what := "what does not fit around the cursor is cut off"
		if a.raw {
			what = "what does not fit is drawn in the wrong place"
		}
		fmt.Fprintf(a.std.Err, "sidecar: this terminal is %dx%d, the agent's %dx%d: %s\n", own.Cols, own.Rows, a.agents.Cols, a.agents.Rows, what)
	}
	return nil
}

func smaller(a, b tty.Size) bool { return a.Cols < b.Cols || a.Rows < b.Rows }

// sized records the size of our terminal.
func (a *attached) sized(s tty.Size) error {
	a.mu.Lock()
	changed := a.own != s && a.own != tty.Size{}
	a.own = s
	a.mu.Unlock()
	if changed {
		poke(a.resized)
	}
	return nil
}

// follow asks for everything to be drawn again when the size of our terminal has
// changed.
func (a *attached) follow(ctx context.Context) error {
	for {
		select {
		case <-a.resized:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := a.conn.Write(ctx, websocket.MessageText, []byte(`{"type":"redraw"}`)); err != nil {
			return err
		}
	}
}

// receive shows what the server sends, until the connection ends.
func (a *attached) receive(ctx context.Context) error {
	for {
		kind, data, err := a.conn.Read(ctx)
		switch {
		case err != nil:
			return err
		case kind == websocket.MessageText:
			if err := a.told(data); err != nil {
				return err
			}
		case a.pictured:
			a.pictured = false
			a.picture(data)
		case a.crop != nil:
			_, _ = a.crop.screen.Write(data) // never fails
			poke(a.dirty)
		default:
			a.seat.Show(data)
		}
	}
}

// paintTime is how long the agent's terminal may change before it is drawn, so that
// what agents draw in pieces appears as a whole.
const paintTime = 20 * time.Millisecond

// paint draws the agent's terminal while it changes.
func (a *attached) paint(ctx context.Context) error {
	for {
		select {
		case <-a.dirty:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-time.After(paintTime):
		case <-ctx.Done():
			return ctx.Err()
		}
		a.drawing.Lock()
		if a.crop != nil {
			a.seat.Show([]byte(a.crop.draw()))
		}
		a.drawing.Unlock()
	}
}

// poke wakes whoever waits on c.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (a *attached) told(data []byte) error {
	var m told
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("the server's message is not readable: %w", err)
	}
	switch m.Type {
	case "snapshot":
		a.agents = tty.Size{Cols: m.Cols, Rows: m.Rows}
		a.pictured = true
	case "end":
		return &overError{m}
	}
	return nil
}

// picture draws the whole screen. The first time, what was on our terminal scrolls
// away first.
func (a *attached) picture(redraw []byte) {
	a.mu.Lock()
	own := a.own
	a.mu.Unlock()
	if !a.shown {
		a.shown = true
		a.seat.Show([]byte("\x1b[999;1H" + strings.Repeat("\n", int(own.Rows))))
	}
	a.drawing.Lock()
	defer a.drawing.Unlock()
	a.seat.Clear()
	if a.raw {
		a.seat.Show(redraw)
		return
	}
	a.crop = newCrop(a.agents, own)
	a.crop.mouse = a.write && !smaller(own, a.agents)
	_, _ = a.crop.screen.Write(redraw) // never fails
	poke(a.dirty)
}

// keys reads keys until one detaches, and sends the others to the agent.
func (a *attached) keys(ctx context.Context) error {
	buf := make([]byte, 4<<10)
	for {
		n, err := a.seat.Read(buf)
		if err != nil {
			return fmt.Errorf("the terminal is gone: %w", err)
		}
		pressed, leave := buf[:n], findControl(buf[:n], detachKey)
		if !a.write && leave < 0 {
			leave = findControl(pressed, interruptKey)
		}
		if leave >= 0 {
			pressed = pressed[:leave]
		}
		if a.write && len(pressed) > 0 {
			if err := a.conn.Write(ctx, websocket.MessageBinary, pressed); err != nil {
				return err
			}
		}
		if leave >= 0 {
			return errDetached
		}
	}
}

// explain returns the error that says how it ended.
func (a *attached) explain(err error) error {
	var over *overError
	switch {
	case errors.Is(err, errDetached):
		fmt.Fprintf(a.std.Err, "sidecar: %s\n", err)
		return nil
	case !errors.As(err, &over):
		return &exitError{code: exitFailed, err: fmt.Errorf("%s: the connection was lost: %w", a.base, closed(err))}
	case over.Reason == "exited", over.Reason == "shutting-down":
		fmt.Fprintf(a.std.Err, "sidecar: %s\n", printable(over.Text))
		return nil
	}
	return &exitError{code: exitFailed, err: fmt.Errorf("%s: %w", a.base, over)}
}

// closed returns the error of a lost connection in fewer words.
func closed(err error) error {
	var told websocket.CloseError
	switch {
	case errors.As(err, &told) && told.Reason != "":
		return errors.New(told.Reason)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the sidecar is gone")
	}
	return err
}

// signals are the signals that end the command, so that it can restore the terminal.
type signals struct {
	ch   chan os.Signal
	last atomic.Int32
	done chan struct{}
	end  context.CancelFunc
}

// untilSignal returns a context that the first of these signals ends.
func untilSignal(ctx context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancel(ctx)
	s := &signals{ch: make(chan os.Signal, 1), done: make(chan struct{}), end: cancel}
	signal.Notify(s.ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() { // stop waits for it
		defer close(s.done)
		select {
		case sig := <-s.ch:
			if n, ok := sig.(syscall.Signal); ok {
				s.last.Store(int32(n))
			}
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, s
}

// got returns the signal that came, 0 for none.
func (s *signals) got() int { return int(s.last.Load()) }

func (s *signals) stop() {
	signal.Stop(s.ch)
	s.end()
	<-s.done
}
