package terminal_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

func TestStreamShowsWhatTheTerminalShows(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.do("before")
	w := r.watch()
	first, _ := w.event()
	if first.name != "snapshot" || first.data.Session != "1" || first.data.Cols != 120 || first.data.Rows != 40 ||
		!strings.Contains(w.screen.Snapshot().Text(), "got before.") {
		t.Fatalf("begins with %+v", first)
	}
	keys := r.attach("?write=true")
	keys.types(`write "\x1b]2;t\x07\x1b[?2004h\x1b[5;10Hthere\x1b[32m\x1b[?1049h\x1b[2Jalternate\n"` + "\r")
	w.until("alternate")
	w.same(r)
	// Who comes later sees the same.
	late := r.watch()
	late.until("alternate")
	late.same(r)
	keys.types(`write "\x1b[?1049l\x1b[Hback"` + "\r")
	w.until("back")
	late.until("back")
	w.same(r)
	late.same(r)
}

// A picture that is taken in the middle of a sequence, or of a rune, is one that
// the rest of it belongs to.
func TestStreamBeginsInASequence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ begin, end, want string }{
		{"A\x1b[3", "1mB", "AB"}, {"A\x1b", "[1mB", "AB"}, {"A\x1b]2;tit", "le\x07B", "AB"}, {"A\xe2\x9d", "\xafB", "A❯B"},
	} {
		r := newRig(t, nil)
		keys := r.attach("?write=true")
		early := r.watch()
		early.until(">")
		keys.types("halves " + strconv.Quote(c.begin) + " " + strconv.Quote(c.end) + "\r")
		for !strings.HasSuffix(string(early.output), c.begin) {
			early.event()
		}
		late := r.watch()
		late.event()
		keys.types("x")
		late.until(c.want)
		late.until("done")
		late.same(r)
	}
}

// One that does not read is brought up to date with a picture, and holds neither
// the agent nor the others nor memory.
func TestStalledWatcherHoldsNobody(t *testing.T) {
	r := newRig(t, func(w *ways) {
		w.handler.Stall, w.handler.Heartbeat, w.server.StallTimeout = time.Hour, time.Hour, time.Hour
	})
	keys := r.attach("?write=true")
	flood := func(name string) (ms int) {
		keys.types("flood 100000 " + name + "\r")
		keys.shows(name + " took ")
		keys.shows(" ms.")
		shown := keys.output.String()
		if _, err := fmt.Sscanf(shown[strings.LastIndex(shown, name):], name+" took %d ms", &ms); err != nil {
			t.Fatal(err)
		}
		return ms
	}
	alone := flood("alone")
	stalled, cut, brisk := r.watch(), r.attach(""), r.watch()
	stalled.event()
	brisk.event()
	before := heap()
	done := make(chan struct{})
	go func() {
		defer close(done)
		brisk.until("watched took")
	}()
	watched := flood("watched")
	<-done
	brisk.same(r)
	if watched > 5*alone+2000 {
		t.Errorf("the agent took %d ms, and %d without watchers", watched, alone)
	}
	// 10 MB were written; what the kernel holds for those who do not read is not
	// ours.
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	keys.types("after\r")
	stalled.until("got after")
	stalled.same(r)
	if n := strings.Count(strings.Join(stalled.seen, " "), "snapshot"); n < 2 {
		t.Errorf("the stream was never brought up to date: %d snapshots", n)
	}
	cut.shows("got after")
	if len(cut.said) < 2 {
		t.Errorf("the connection was never brought up to date: %+v", cut.said)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Who takes the stream up again misses nothing and sees nothing twice.
func TestStreamIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	whole, part := r.watch(), r.watch()
	whole.event()
	part.event()
	from := part.next
	var got []byte
	keys := r.attach("?write=true")
	for i := range 5 {
		name := fmt.Sprintf("flood%d", i)
		keys.types(fmt.Sprintf("flood %d %s\r", 100*i, name))
		keys.shows(name + " took ")
		for len(part.output) < 50*i {
			if _, ok := part.event(); !ok {
				t.Fatal("the stream ended")
			}
		}
		got = append(got, part.output...)
		part.stop()
		again := r.watch("Last-Event-ID", part.last)
		again.next, again.last = part.next, part.last
		part = again
	}
	keys.types("the end\r")
	part.until("got the end")
	got = append(got, part.output...)
	if strings.Contains(strings.Join(part.seen, " "), "snapshot") {
		t.Error("a picture where the bytes were there")
	}
	for whole.next < from+uint64(len(got)) {
		whole.event()
	}
	begin := whole.next - uint64(len(whole.output))
	if begin > from { // the prompt came between the two
		got, from = got[begin-from:], begin
	}
	if want := whole.output[from-begin:]; len(got) < 100_000 || !bytes.Equal(got, want[:len(got)]) {
		t.Errorf("%d bytes in parts differ from %d in whole", len(got), len(want))
	}
}

// An id that leads nowhere leads to a picture.
func TestStreamBeginsAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.do("hello")
	w := r.watch()
	w.event()
	session, _, _ := strings.Cut(w.last, ".")
	r.do("flood 4000") // more than is kept
	for _, id := range []string{w.last, "nonsense", session + ".x", session + ".99999999", "1-other." + strconv.Itoa(int(r.screen().Offset)), session + ".-1"} {
		if e, _ := r.watch("Last-Event-ID", id).event(); e.name != "snapshot" {
			t.Errorf("%q is followed by %s", id, e.name)
		}
	}
}

func TestStreamTellsTheEnd(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	w := r.watch()
	w.event()
	r.send("", "", "exit 3")
	e := w.end()
	if e.name != "end" || e.data.Reason != "exited" || e.data.ExitCode == nil || *e.data.ExitCode != 3 || !strings.Contains(e.data.Text, "3") {
		t.Errorf("the last event is %+v", e)
	}
	if !strings.Contains(string(w.output), "exit 3") {
		t.Errorf("the last words are missing: %q", w.output)
	}
}

// The size that the person's terminal gets is everybody's.
func TestStreamTellsTheSize(t *testing.T) {
	master, pts, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer pts.Close()
	resize := func(cols, rows uint16) {
		if err := unix.IoctlSetWinsize(int(pts.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows}); err != nil {
			t.Fatal(err)
		}
	}
	resize(90, 20)
	r := newRig(t, func(w *ways) {
		w.runner.Person = func(term *tty.Terminal) (*tty.Passthrough, error) { return tty.Attach(term, pts, pts) }
	})
	w := r.watch()
	if e, _ := w.event(); e.data.Cols != 90 || e.data.Rows != 20 {
		t.Fatalf("begins with %+v", e)
	}
	w.until(">")
	last := w.last
	looks := r.attach("")
	resize(61, 17)
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	if e, _ := w.event(); e.name != "resize" || e.data.Cols != 61 || e.data.Rows != 17 {
		t.Errorf("the size changed, and %+v came", e)
	}
	if e, _ := w.event(); e.name != "snapshot" || e.data.Cols != 61 {
		t.Errorf("after the size comes %+v", e)
	}
	for len(looks.said) < 3 {
		if err := looks.next(); err != nil {
			t.Fatal(err)
		}
	}
	if m := looks.said[1:]; m[0].Type != "resize" || m[0].Cols != 61 || m[0].Rows != 17 || m[1].Type != "snapshot" || m[1].Cols != 61 {
		t.Errorf("a WebSocket is told %+v", m)
	}
	// What was drawn for the old size is of no use for the new one.
	if e, _ := r.watch("Last-Event-ID", last).event(); e.name != "snapshot" {
		t.Errorf("taken up again after a new size: %s", e.name)
	}
}

// Close ends every stream, tells why, and leaves nothing running.
func TestStreamsEndWithTheHandlers(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	w := r.watch()
	w.event()
	ctx := await.Context(t)
	closed := make(chan struct{})
	go func() { r.handlers.Close(); close(closed) }()
	if e := w.end(); e.name != "end" || e.data.Reason != "shutting-down" {
		t.Errorf("the last event is %+v", e)
	}
	select {
	case <-closed:
	case <-ctx.Done():
		t.Fatal("Close waits for ever")
	}
	if status, _, body := r.get("/terminal"); status != 503 {
		t.Errorf("after Close: %d %s", status, body)
	}
}
