package console_test

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// kernel is a fake of what tells what a program waits for, and its terminal.
type kernel struct {
	plainTTY
	mu     sync.Mutex
	look   waits.Look
	unread int
	during func()
}

func (k *kernel) Look() waits.Look {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.during != nil {
		k.during()
	}
	return k.look
}

func (k *kernel) Unread() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.unread
}

func (k *kernel) set(l waits.Look, unread int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.look, k.unread = l, unread
}

// plainTTY is a terminal in line mode, with echo.
type plainTTY struct{}

func (plainTTY) Type(context.Context, string) (int, error) { return 0, nil }
func (plainTTY) Mode() (tty.Mode, error)                   { return tty.Mode{Canonical: true, Echo: true}, nil }
func (plainTTY) Size() (tty.Size, error)                   { return tty.Size{Cols: 80, Rows: 24}, nil }
func (plainTTY) Resize(tty.Size) error                     { return nil }

// run runs a console whose program waits for what k says, and calls f.
func (k *kernel) run(t *testing.T, log *await.Log, f func(*console.Console)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := console.New(console.Options{
			Log: slog.New(slog.NewTextHandler(log, nil)), TTY: k, Profile: profile.Generic(),
			Size: tty.Size{Cols: 80, Rows: 24}, Waits: k.Look,
		})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { c.Run(ctx) })
		f(c)
		cancel()
		running.Wait()
	})
}

// TestKernelLooks: an idle program costs no look, one that works silently costs four in a second,
// and its wait for a line makes it ready.
func TestKernelLooks(t *testing.T) {
	k := &kernel{look: waits.Look{Kind: waits.Reads}}
	k.run(t, &await.Log{}, func(c *console.Console) {
		c.Write([]byte("> "))
		time.Sleep(10 * time.Second)
		if v := c.Look().Verdict; v.State != profile.Ready || v.Source != state.SourceKernel {
			t.Fatalf("%+v", v)
		}
		before := c.Looks().Times
		time.Sleep(time.Hour)
		if n := c.Looks().Times - before; n > 0 {
			t.Errorf("%d looks at an idle program", n)
		}
		c.Submitted("one")
		c.Entering()
		k.set(waits.Look{Kind: waits.Busy, Doing: waits.Sleeps}, 0)
		c.Write([]byte("one\r\n> "))
		time.Sleep(time.Nanosecond)
		if o := c.Look(); !o.Unlooked && o.Verdict.Source != state.SourceKernel {
			t.Errorf("the row is believed before the first look: %+v", o.Verdict)
		}
		before = c.Looks().Times
		time.Sleep(10 * time.Second)
		if n := c.Looks().Times - before; n < 30 || n > 50 {
			t.Errorf("%d looks in 10 s at a program that works silently", n)
		}
		if v := c.Look().Verdict; v.State != profile.Working || v.Source != state.SourceKernel {
			t.Errorf("%+v", v)
		}
		k.set(waits.Look{Kind: waits.Reads, Switches: 9}, 0)
		time.Sleep(300 * time.Millisecond)
		if v := c.Look().Verdict; v.State != profile.Ready {
			t.Errorf("%+v", v)
		}
	})
}

// TestKernelUnread: a program whose output is not known yet is not ready.
func TestKernelUnread(t *testing.T) {
	k := &kernel{look: waits.Look{Kind: waits.Reads}, unread: 5}
	k.run(t, &await.Log{}, func(c *console.Console) {
		c.Write([]byte("> "))
		time.Sleep(10 * time.Second)
		if v := c.Look().Verdict; v.State == profile.Ready {
			t.Errorf("%+v", v)
		}
		k.set(waits.Look{Kind: waits.Reads}, 0)
		time.Sleep(time.Second)
		if v := c.Look().Verdict; v.State != profile.Ready {
			t.Errorf("%+v", v)
		}
	})
}

// TestKernelHidden: the log says once that nothing can be seen, with the reason, and the screen
// decides.
func TestKernelHidden(t *testing.T) {
	log := &await.Log{}
	k := &kernel{look: waits.Look{Kind: waits.Hidden, Why: "the rules forbid it"}}
	k.run(t, log, func(c *console.Console) {
		c.Write([]byte("> "))
		time.Sleep(5 * time.Second)
		if o := c.Look(); o.Verdict.State != profile.Ready || o.Verdict.Source != profile.SourcePrompt || o.Unlooked {
			t.Errorf("%+v", o)
		}
		c.Submitted("one")
		c.Entering()
		time.Sleep(5 * time.Second)
	})
	if told := log.Lines("cannot see what the agent waits for"); len(told) != 1 {
		t.Errorf("told %d times: %q", len(told), told)
	}
	log.Says(t, "the rules forbid it")
}

// TestKernelHangs: a look that does not return costs the console no more than a moment. It says so once,
// goes by the screen, and looks again when that look has returned.
func TestKernelHangs(t *testing.T) {
	log := &await.Log{}
	var looks, switches atomic.Int64
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{}, 1)
		c := console.New(console.Options{
			Log: slog.New(slog.NewTextHandler(log, nil)), TTY: plainTTY{}, Profile: profile.Generic(), Size: tty.Size{Cols: 80, Rows: 24},
			Waits: func() waits.Look {
				looks.Add(1)
				hang <- struct{}{} // it hangs if there is a value already
				<-hang
				return waits.Look{Kind: waits.Reads, Switches: uint64(switches.Load())}
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Run(ctx)
		}()
		hang <- struct{}{}
		c.Write([]byte("> "))
		time.Sleep(10 * time.Second)
		if o := c.Look(); o.Verdict.State != profile.Ready || o.Verdict.Source != profile.SourcePrompt || o.Unlooked || looks.Load() != 1 {
			t.Errorf("%d looks, %+v", looks.Load(), o)
		}
		for range 3 {
			c.Submitted("one")
			c.Entering()
			c.Write([]byte("one\r\n> "))
			time.Sleep(10 * time.Second)
		}
		if looks.Load() != 1 {
			t.Errorf("%d looks while the first one hangs", looks.Load())
		}
		<-hang
		c.Submitted("two")
		c.Entering()
		switches.Add(1)
		c.Write([]byte("two\r\n> "))
		time.Sleep(time.Second)
		if v := c.Look().Verdict; v.State != profile.Ready || v.Source != state.SourceKernel {
			t.Errorf("after the look has returned: %+v", v)
		}
		hang <- struct{}{}
		c.Submitted("three")
		time.Sleep(5 * time.Second)
		cancel()
		time.Sleep(2 * time.Second)
		select {
		case <-ended:
		default:
			t.Error("a look that hangs keeps the console from ending")
		}
		<-hang
	})
	if told := log.Lines("cannot see what the agent waits for"); len(told) != 1 {
		t.Errorf("told %d times: %q", len(told), told)
	}
	log.Says(t, "file system that hangs")
	log.Says(t, "still hangs, and was left")
}

// TestEntersCount: the looks before an Enter count.
func TestEntersCount(t *testing.T) {
	c := console.New(console.Options{
		Log: slog.New(slog.DiscardHandler), TTY: plainTTY{}, Profile: profile.Generic(), Size: tty.Size{Cols: 80, Rows: 24},
		Waits: func() waits.Look { return waits.Look{Kind: waits.Reads, Cost: time.Millisecond} },
	})
	c.Entering()
	c.Replied()
	if got, want := c.Looks(), (console.Looks{Times: 2, Took: 2 * time.Millisecond}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestKernelUnlocked: the console can be used during a look.
func TestKernelUnlocked(t *testing.T) {
	k := &kernel{look: waits.Look{Kind: waits.Reads}}
	k.run(t, &await.Log{}, func(c *console.Console) {
		k.mu.Lock()
		k.during = func() { c.Look(); c.Write([]byte("x")); c.Reports() }
		k.mu.Unlock()
		c.Write([]byte("> "))
		time.Sleep(10 * time.Second)
		c.Submitted("one")
		c.Entering()
		time.Sleep(time.Second)
	})
}
