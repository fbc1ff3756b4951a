package gate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
)

// Work that comes too early waits until the sidecar serves, at
// most for the time after which its sender would be told to come again.
func TestEnterHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		patience := time.Duration(a2a.ErrUnavailable.RetryAfter) * time.Second
		g := gate.New(gate.Options{})
		begun := time.Now()
		if err := g.Enter(t.Context()); !errors.Is(err, a2a.ErrUnavailable) || time.Since(begun) != patience {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.Enter(gone); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a client that has gone: %v", err)
		}
		begun = time.Now()
		time.AfterFunc(2*time.Second, g.Open)
		if err := g.Enter(t.Context()); err != nil || time.Since(begun) != 2*time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
		g.Drain()
		if err := g.Enter(t.Context()); !errors.Is(err, a2a.ErrUnavailable) {
			t.Errorf("draining: %v", err)
		}
	})
}

// While tasks cannot be stored none is taken, and the sender learns no more than that.
func TestRefusalOfTheStore(t *testing.T) {
	full := errors.New("no space left on /secret")
	var fault error
	g := gate.New(gate.Options{StoreErr: func() error { return fault }})
	g.Open()
	if err := g.Refusal(); err != nil {
		t.Fatal(err)
	}
	fault = full
	err := g.Enter(t.Context())
	if !errors.Is(err, a2a.ErrUnavailable) || !strings.Contains(err.Error(), "cannot be stored") || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// However many come at once, as many tasks are created as the limits say, and the
// refusal says whose limit it was.
func TestCreateCounts(t *testing.T) {
	for _, one := range []struct {
		name                    string
		callerLimit, limit, get int
		want                    error
		text                    string
	}{
		{"the caller's limit", 3, 100, 3, a2a.ErrBusy, "this caller has 3 tasks"},
		{"the limit of all", 100, 2, 2, a2a.ErrUnavailable, "the sidecar has 2 tasks"},
		{"of one", 1, 0, 1, a2a.ErrBusy, "this caller has 1 task that"},
		{"no limit", 0, 0, 50, nil, ""},
	} {
		t.Run(one.name, func(t *testing.T) {
			created := 0
			g := gate.New(gate.Options{
				Unfinished:  func(string) (int, int) { return created, created },
				CallerTasks: one.callerLimit, Tasks: one.limit,
			})
			refusals := make(chan error, 50)
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					done, err := g.Create("alice", "c")
					if err != nil {
						refusals <- err
						return
					}
					created++
					done()
				})
			}
			all.Wait()
			close(refusals)
			if created != one.get || len(refusals) != 50-one.get {
				t.Errorf("%d were created, %d refused", created, len(refusals))
			}
			for err := range refusals {
				if !errors.Is(err, one.want) || !strings.Contains(err.Error(), one.text) {
					t.Fatal(err)
				}
			}
		})
	}
}

// Who may not use the context creates nothing, and the first who says so is heard.
func TestCreateClaims(t *testing.T) {
	no := a2a.ErrInvalidParams.With("contextId is not available")
	var asked []string
	claim := func(name string, err error) func(string, string) error {
		return func(caller, contextID string) error {
			asked = append(asked, name+" "+caller+" "+contextID)
			return err
		}
	}
	g := gate.New(gate.Options{
		Claims:     []func(string, string) error{claim("tasks", nil), claim("threads", no), claim("never", nil)},
		Unfinished: func(string) (int, int) { return 0, 0 },
	})
	_, err := g.Create("alice", "c")
	if !errors.Is(err, a2a.ErrInvalidParams) || !slices.Equal(asked, []string{"tasks alice c", "threads alice c"}) {
		t.Error(err, asked)
	}
}
