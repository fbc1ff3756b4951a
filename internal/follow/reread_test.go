package follow_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// A bad file is read twice before it is believed to be bad; whoever asks for a look, is sure.
func TestReader(t *testing.T) {
	t.Parallel()
	looks, now := make(chan bool), make(chan struct{})
	var good, glanced atomic.Bool
	r := follow.Reader{
		Options: follow.Options{Debounce: time.Millisecond, Poll: 5 * time.Millisecond}, Now: now,
		Look:   func(sure bool) bool { looks <- sure; return sure || good.Load() },
		Glance: func() bool { return glanced.Swap(false) },
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx, filepath.Join(t.TempDir(), "file"))
	}()
	next := func(what string, want bool) {
		t.Helper()
		if got := await.One(t, looks, what); got != want {
			t.Errorf("%s: sure is %v", what, got)
		}
	}
	next("the first look", false)
	next("the look after it", true)
	good.Store(true)
	glanced.Store(true)
	next("what a glance saw", false)
	now <- struct{}{}
	next("what was asked for", true)
	stop()
	await.One(t, done, "the end")
}
