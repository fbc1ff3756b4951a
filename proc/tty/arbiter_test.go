package tty_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// office is an agent's terminal with nobody at it, and places to sit.
func leased(t *testing.T) (*proctest.Stream, *tty.Arbiter) {
	t.Helper()
	s := proctest.FollowTerminal(t, startAgent(t))
	s.Line("size")
	return s, s.Terminal.Arbiter()
}

func press(t *testing.T, at *tty.Lease, keys string) {
	t.Helper()
	if err := at.Type(t.Context(), []byte(keys)); err != nil {
		t.Fatal(err)
	}
}

func gets(t *testing.T, s *proctest.Stream, keys string) {
	t.Helper()
	for _, want := range []byte(keys) {
		if got := s.Line("key"); got != strconv.Itoa(int(want)) {
			t.Errorf("key %s, want %d", got, want)
		}
	}
}

// Who types from elsewhere is held like the person, and keeps the order.
func TestTypistsAreHeld(t *testing.T) {
	t.Parallel()
	s, desk := leased(t)
	a, b := desk.Lease(), desk.Lease()
	defer a.Release()
	defer b.Release()
	child := s.Terminal
	err := desk.Exclusive(t.Context(), nil, func() {}, func() error {
		press(t, a, "bc")
		press(t, a, "d\r")
		if got := desk.Keys(); got != 4 {
			t.Errorf("%d keys, want 4", got)
		}
		_, err := child.Write([]byte("a\r"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	gets(t, s, "a\rbcd\r")
	press(t, b, "e")
	gets(t, s, "e")
}

// A line is everybody's: who ends it need not be who began it.
func TestTypistsShareOneLine(t *testing.T) {
	t.Parallel()
	s, desk := leased(t)
	a, b := desk.Lease(), desk.Lease()
	defer a.Release()
	defer b.Release()
	press(t, a, "x")
	gets(t, s, "x")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := desk.Exclusive(ctx, nil, func() {}, func() error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("typed into a line: %v", err)
	}
	press(t, b, "\r")
	if err := desk.Exclusive(t.Context(), nil, func() {}, func() error { return nil }); err != nil {
		t.Error(err)
	}
}

// What somebody leaves behind is told once, and nobody waits for who has gone.
func TestTypistLeavesALine(t *testing.T) {
	t.Parallel()
	s, desk := leased(t)
	a := desk.Lease()
	if !desk.Occupied() || desk.Left() {
		t.Error("somebody sits there, and has left nothing")
	}
	press(t, a, "half")
	if err := a.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Release()
	a.Release()
	gets(t, s, "half")
	if err := a.Type(t.Context(), []byte("x")); !errors.Is(err, tty.ErrReleased) {
		t.Error(err)
	}
	if desk.Occupied() {
		t.Error("nobody sits there any more")
	}
	if err := desk.Exclusive(t.Context(), nil, func() {}, func() error { return nil }); err != nil {
		t.Error(err)
	}
	if !desk.Left() || desk.Left() {
		t.Error("a line was left there, which is told once")
	}
	b := desk.Lease()
	press(t, b, "whole\r")
	b.Release()
	if desk.Left() {
		t.Error("a whole line is nothing that was left")
	}
}

// Who types more than the process reads waits, and is let go by its context or by
// leaving.
func TestTypistWaitsForTheProcess(t *testing.T) {
	t.Parallel()
	_, desk := leased(t)
	a := desk.Lease()
	defer a.Release()
	ctx, cancel := context.WithCancel(t.Context())
	stuck := make(chan struct{})
	var typing sync.WaitGroup
	typing.Go(func() {
		_ = desk.Exclusive(ctx, nil, func() {}, func() error { close(stuck); <-ctx.Done(); return nil })
	})
	<-stuck
	much := []byte(strings.Repeat("x", 64<<10))
	if err := a.Type(t.Context(), much); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := a.Type(short, much); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("more than 64 KiB wait: %v", err)
	}
	waits := make(chan error, 1)
	typing.Go(func() { waits <- a.Type(t.Context(), much) })
	a.Release()
	if err := proctest.Receive(t, waits, "who waits"); !errors.Is(err, tty.ErrReleased) {
		t.Error(err)
	}
	cancel()
	typing.Wait()
}

// What a program shows of the line counts too, once it has shown it after the
// last key.
func TestExclusiveSeesTheLine(t *testing.T) {
	t.Parallel()
	s, desk := leased(t)
	a := desk.Lease()
	defer a.Release()
	var mu sync.Mutex
	line, last, changed := tty.LineBegun, time.Now(), make(chan struct{})
	show := func(l tty.Line) {
		mu.Lock()
		defer mu.Unlock()
		line, last = l, time.Now()
		close(changed)
		changed = make(chan struct{})
	}
	look := func() (tty.Line, time.Time, <-chan struct{}) {
		mu.Lock()
		defer mu.Unlock()
		return line, last, changed
	}
	exclusive := func(ctx context.Context) error {
		return desk.Exclusive(ctx, look, func() {}, func() error { return nil })
	}
	press(t, a, "x")
	gets(t, s, "x")
	short, stop := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer stop()
	if err := exclusive(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a line: %v", err)
	}
	press(t, a, "\x7f")
	gets(t, s, "\x7f")
	begin := time.Now()
	time.AfterFunc(800*time.Millisecond, func() { show(tty.LineEmpty) })
	if err := exclusive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d < 800*time.Millisecond {
		t.Errorf("after %v", d)
	}
	begin = time.Now()
	press(t, a, "\x1b[Z") // nothing comes of it
	gets(t, s, "\x1b[Z")
	if err := exclusive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(begin); d < 2*time.Second {
		t.Errorf("after %v, though nothing was echoed", d)
	}
	press(t, a, "y\x15") // it did not take all of it
	gets(t, s, "y\x15")
	show(tty.LineBegun)
	short, stop = context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer stop()
	if err := exclusive(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with another line: %v", err)
	}
}

// What is typed for something that is gone goes nowhere, for as long as nobody can
// have seen that; what comes later is for what is there then.
func TestDropLateKeys(t *testing.T) {
	t.Parallel()
	const following = 2 * time.Second
	s, desk := leased(t)
	a := desk.Lease()
	defer a.Release()
	told := make(chan int, 9)
	err := desk.Exclusive(t.Context(), nil, func() {}, func() error {
		press(t, a, "xy\x03z\x1b[<0;3;4M")
		desk.DropStale(following, func(n int) {
			desk.Occupied() // whoever is told may ask
			told <- n
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	press(t, a, "late\r")
	if a, b := proctest.Receive(t, told, "the first"), proctest.Receive(t, told, "the second"); a != 3 || b != 5 {
		t.Errorf("told of %d and %d keys, want 3 and 5", a, b)
	}
	<-time.After(following)
	press(t, a, "k")
	gets(t, s, "\x03\x1b[<0;3;4Mk")
	if got := desk.Keys(); got != 10 {
		t.Errorf("%d keys, want 10: dropped ones are a person's too", got)
	}
}

// Who waits for the end of somebody's line hears of it, once.
func TestExclusiveTellsThatItWaits(t *testing.T) {
	t.Parallel()
	_, desk := leased(t)
	a := desk.Lease()
	defer a.Release()
	waits := make(chan time.Time, 9)
	tell := func() { waits <- time.Now() }
	nothing := func() error { return nil }
	press(t, a, "x\r")
	if err := desk.Exclusive(t.Context(), nil, tell, nothing); err != nil {
		t.Fatal(err)
	}
	press(t, a, "x")
	begin := time.Now()
	done := make(chan error, 1)
	go func() { done <- desk.Exclusive(t.Context(), nil, tell, nothing) }()
	if d := proctest.Receive(t, waits, "what is told").Sub(begin); d < 900*time.Millisecond {
		t.Errorf("told after %v", d)
	}
	press(t, a, "\r")
	if err := proctest.Receive(t, done, "the end"); err != nil {
		t.Error(err)
	}
	if len(waits) != 0 {
		t.Error("told twice, or of a wait for a key that is just old enough")
	}
}

// A question is no line: a key that it did not take does not keep anybody waiting
// for ever, one that it may just be taking does.
func TestExclusiveAtAQuestion(t *testing.T) {
	t.Parallel()
	s, desk := leased(t)
	a := desk.Lease()
	defer a.Release()
	look := func() (tty.Line, time.Time, <-chan struct{}) { return tty.LineNone, time.Now(), nil }
	for _, key := range []string{"x", "\r"} {
		press(t, a, key)
		gets(t, s, key)
		begin := time.Now()
		if err := desk.Exclusive(t.Context(), look, func() {}, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begin); d < 2500*time.Millisecond {
			t.Errorf("%q: after %v, and it may be about to be taken", key, d)
		}
	}
}
