package surface_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// A view stays as it was; the next one has what changed, for everybody, and those who wait are
// told.
func TestChanges(t *testing.T) {
	var current atomic.Pointer[surface.Grants]
	image := surface.Image{Snapshot: image(t, "acme.echo")}
	bell := make(chan struct{})
	s := surface.New(surface.Options{
		Image: func() surface.Image { return image }, Grants: current.Load,
		Changes: []func() <-chan struct{}{func() <-chan struct{} { return bell }},
	})
	first := s.For(surface.Viewer{})
	if first.Snapshot() != image.Snapshot {
		t.Error("the image's own list is copied")
	}
	current.Store(grants(t, `{"connectors":{"acme":{"bound":false}}}`))
	second := s.For(surface.Viewer{Caller: "ann"})
	if len(first.Snapshot().Tools()) != 1 || len(second.Snapshot().Tools()) != 0 {
		t.Errorf("%d tools before and %d after", len(first.Snapshot().Tools()), len(second.Snapshot().Tools()))
	}
	if first.Revision(t.Context()) == second.Revision(t.Context()) {
		t.Error("both have one revision")
	}
	current.Store(grants(t, `{}`))
	if a, b := first.Revision(t.Context()), s.For(surface.Viewer{Caller: "bob"}).Revision(t.Context()); a != b {
		t.Errorf("one list has the revisions %s and %s", a, b)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	told := s.Changed()
	var ran sync.WaitGroup
	ran.Go(func() { s.Run(ctx) })
	await.One(t, told, "what changed before the run")
	stop()
	ran.Wait()
}

// The platform's tools are those of the viewer's own turn.
func TestPlatformPerViewer(t *testing.T) {
	mine := &surface.Platform{Tools: tools(t, "platform", "sv.memory.read")}
	s := surface.New(surface.Options{
		Image: func() surface.Image { return surface.Image{} },
		Platform: func(v surface.Viewer) *surface.Platform {
			if v.Caller == "ann" {
				return mine
			}
			return nil
		},
	})
	for range 3 { // one does not become the other's
		if got := names(s.For(surface.Viewer{Caller: "ann"}).Listed(t.Context())); got != "sv.memory.read" {
			t.Errorf("ann sees %q", got)
		}
		if got := names(s.For(surface.Viewer{Caller: "bob"}).Listed(t.Context())); got != "" {
			t.Errorf("bob sees %q", got)
		}
	}
}

// judged is a surface whose judge counts how often it is asked.
func judged(t *testing.T, rules *atomic.Int64, judge surface.Absence) (s *surface.Surface, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	image := surface.Image{Snapshot: image(t, "acme.a", "acme.b+")}
	return surface.New(surface.Options{
		Image: func() surface.Image { return image },
		Rules: func() any { return rules.Load() },
		Judge: func(_ context.Context, v surface.Viewer, all []*manifest.Tool) []surface.Absence {
			asked.Add(1)
			out := make([]surface.Absence, len(all))
			if v.Caller == "bob" {
				out[0] = judge
			}
			return out
		},
	}), asked
}

// The rules are asked once for each viewer, again when they have changed, and again after a second.
func TestJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rules atomic.Int64
		s, asked := judged(t, &rules, surface.Absence{Reason: surface.Policy, Text: "not for bob"})
		for _, step := range []struct {
			caller string
			before func()
			listed string
			asked  int64
		}{
			{"ann", func() {}, "acme.a", 1},
			{"ann", func() {}, "acme.a", 1},
			{"bob", func() {}, "", 2},
			{"bob", func() { rules.Add(1) }, "", 3},
			{"ann", func() { <-time.After(2 * time.Second) }, "acme.a", 4},
		} {
			step.before()
			v := s.For(surface.Viewer{Caller: step.caller})
			if got := names(v.Listed(t.Context())); got != step.listed || names(v.Deferred(t.Context())) != "acme.b" || asked.Load() != step.asked {
				t.Errorf("%s is shown %q, the judge was asked %d times, want %q and %d", step.caller, got, asked.Load(), step.listed, step.asked)
			}
			if _, ok := v.Snapshot().Lookup("acme.a"); !ok {
				t.Error("the rules of a call's own moment are not asked")
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s.For(surface.Viewer{Caller: "eve"}).Rows(ctx)
		before := asked.Load()
		if s.For(surface.Viewer{Caller: "eve"}).Rows(t.Context()); asked.Load() != before+1 {
			t.Error("what a canceled request was told is believed")
		}
	})
}

// Many look at once, while everything changes: nobody sees half of it.
func TestManyAtOnce(t *testing.T) {
	var current atomic.Pointer[surface.Grants]
	all := []*surface.Grants{grants(t, `{"connectors":{"acme":{}}}`), grants(t, `{"connectors":{"acme":{"bound":false}}}`)}
	current.Store(all[0])
	image := surface.Image{Snapshot: image(t, "acme.a", "acme.b")}
	s := surface.New(surface.Options{Image: func() surface.Image { return image }, Grants: current.Load})
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for j := range 300 {
				current.Store(all[j%2])
				v := s.For(surface.Viewer{Caller: fmt.Sprint(i * j)}) // more than are kept
				if listed, n := len(v.Listed(t.Context())), len(v.Snapshot().Tools()); listed != n || n == 1 {
					t.Errorf("%d of %d", listed, n)
				}
			}
		})
	}
	work.Wait()
}
