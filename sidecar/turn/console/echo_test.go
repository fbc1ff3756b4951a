package console_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// lineTTY is the terminal of a program that reads lines.
type lineTTY struct{ echo atomic.Bool }

func (t *lineTTY) Type(context.Context, string) (int, error) { return 0, nil }
func (t *lineTTY) Size() (tty.Size, error)                   { return tty.Size{Cols: 80, Rows: 24}, nil }
func (t *lineTTY) Resize(tty.Size) error                     { return nil }
func (t *lineTTY) Mode() (tty.Mode, error) {
	return tty.Mode{Canonical: true, Echo: t.echo.Load()}, nil
}

// A program may take the echo away after its prompt, and give it back, without a word.
func TestEchoWithoutAWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term := &lineTTY{}
		term.echo.Store(true)
		c := console.New(console.Options{
			Log: slog.New(slog.DiscardHandler), TTY: term, Profile: profile.Generic(), Size: tty.Size{Cols: 80, Rows: 24},
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			c.Run(ctx)
		}()
		c.Submitted("login")
		c.Write([]byte("Secret word "))
		for _, step := range []struct {
			echo bool
			want profile.State
		}{{true, profile.Working}, {false, profile.Asking}, {true, profile.Working}} {
			term.echo.Store(step.echo)
			time.Sleep(500 * time.Millisecond)
			if v := c.Look().Verdict; v.State != step.want {
				t.Errorf("with echo %v: %+v, want %s", step.echo, v, step.want)
			}
		}
		stop()
		<-ended
	})
}
