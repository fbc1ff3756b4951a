package surface_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// A tool that is lost is told once in the log, and again after it was served.
func TestLostIsLogged(t *testing.T) {
	var log await.Log
	var connectors atomic.Pointer[surface.Connectors]
	served := image(t, "github.a", "acme.b")
	bell := make(chan chan struct{})
	s := surface.New(surface.Options{
		Image: func() surface.Image { return surface.Image{Snapshot: served} }, Connectors: connectors.Load, Log: log.Logger(),
		Changes: []func() <-chan struct{}{func() <-chan struct{} { next := make(chan struct{}); bell <- next; return next }},
	})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	change := await.One(t, bell, "the first list")
	for n, names := range [][]string{{"github.a"}, {"github.a", "github.c"}, {"github.c"}, {"github.a"}} {
		connectors.Store(&surface.Connectors{All: []surface.Connector{{Slug: "github", Tools: tools(t, "github", names...)}}})
		close(change)
		change = await.One(t, bell, "the list after the change")
		close(change)
		change = await.One(t, bell, "the list that is the same") // the change before was told by then
		if got, want := len(log.Lines(`level=WARN msg="a tool is not served" tool=github.a reason="another tool`)), []int{1, 1, 1, 2}[n]; got != want {
			t.Errorf("%v: told %d times, want %d:\n%s", names, got, want, &log)
		}
	}
	stop()
	close(change)
	go func() { <-bell }()
	await.One(t, done, "the end")
	if strings.Contains(log.String(), "acme.b") {
		t.Error(log.String())
	}
}

// What is told of one change has a limit.
func TestLostIsBounded(t *testing.T) {
	var log await.Log
	var names []string
	for i := range 30 {
		names = append(names, "github.t"+strings.Repeat("x", i))
	}
	all := &surface.Connectors{All: []surface.Connector{{Slug: "github", Tools: tools(t, "github", names...)}}}
	served := image(t, names...)
	ctx, stop := context.WithCancel(t.Context())
	s := surface.New(surface.Options{
		Image: func() surface.Image { return surface.Image{Snapshot: served} }, Connectors: func() *surface.Connectors { return all }, Log: log.Logger(),
		Changes: []func() <-chan struct{}{func() <-chan struct{} { stop(); return nil }},
	})
	s.Run(ctx) // one list
	if n := len(log.Lines("a tool is not served")); n != 20 || len(log.Lines("more=10")) != 1 || len(s.For(surface.Viewer{}).Lost()) != 30 {
		t.Errorf("%d tools are told of:\n%s", n, &log)
	}
}
