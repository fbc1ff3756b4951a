package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// state returns the state of the only server.
func state(r *rig) client.Status { return r.Status()[0] }

func TestIdleServerIsStoppedAndItsListStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: sdk(t, echo), Idle: time.Minute})
		if st := state(r); st.State != client.StateIdle {
			t.Fatalf("before the first call it is %s", st.State)
		}
		call(t, r, "sayBack")
		time.Sleep(50 * time.Second)
		call(t, r, "sayBack")
		time.Sleep(50 * time.Second)
		if st := state(r); st.State != client.StateRunning || st.Starts != 1 {
			t.Errorf("it is %s before its time, started %d times", st.State, st.Starts)
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if st := state(r); st.State != client.StateIdle || st.Tools != 1 || len(r.Tools()[0].Tools) != 1 {
			t.Errorf("it is %s with %d tools", st.State, st.Tools)
		}
		call(t, r, "sayBack")
		if st := state(r); st.State != client.StateRunning || st.Starts != 2 {
			t.Errorf("it is %s, started %d times", st.State, st.Starts)
		}
	})
}

// call calls a tool without arguments, and must succeed.
func call(t *testing.T, r *rig, tool string) {
	t.Helper()
	if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: tool}); err != nil {
		t.Fatal(err)
	}
}

func TestServerThatFailsIsTriedAgainInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials, broken := 0, true
		working := sdk(t, echo)
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: func(ctx context.Context) (mcp.Transport, error) {
			if dials++; broken {
				return nil, errors.New("no such program")
			}
			return working(ctx)
		}})
		_, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "sayBack"})
		if !errors.Is(err, client.ErrUnavailable) || !strings.Contains(err.Error(), "250ms") || !strings.Contains(err.Error(), "no such program") {
			t.Fatalf("got %v", err)
		}
		time.Sleep(249 * time.Millisecond)
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "sayBack"}); !errors.Is(err, client.ErrUnavailable) || dials != 1 {
			t.Fatalf("got %v after %d dials", err, dials)
		}
		if st := state(r); st.State != client.StateBackingOff || st.LastError != "no such program" || time.Until(st.Retry) != time.Millisecond {
			t.Errorf("got %+v", st)
		}
		time.Sleep(time.Millisecond)
		broken = false
		call(t, r, "sayBack")
		if st := state(r); st.State != client.StateRunning || st.LastError != "" || dials != 2 {
			t.Errorf("got %+v after %d dials", st, dials)
		}
	})
}

func TestStartTimeout(t *testing.T) {
	for what, serve := range map[string]func(*raw){
		"says nothing":      func(r *raw) { r.await("never") },
		"never lists":       func(r *raw) { r.hello("2025-11-25"); r.await("never") },
		"answers other ids": func(r *raw) { r.next(); r.say(`{"jsonrpc":"2.0","id":77,"result":{}}`); r.await("never") },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, serve), StartTimeout: 20 * time.Second})
			began := time.Now()
			err := r.Refresh(t.Context())
			if !errors.Is(err, client.ErrUnavailable) || !strings.Contains(err.Error(), "20s") || time.Since(began) != 20*time.Second {
				t.Errorf("%s: got %v after %s", what, err, time.Since(began))
			}
			if st := state(r); st.State != client.StateBackingOff {
				t.Errorf("%s: it is %s", what, st.State)
			}
		})
	}
}

func TestServerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", StartTimeout: 20 * time.Second, Dial: func(context.Context) (mcp.Transport, error) {
			transport, _, _ := pipes()
			return transport, nil
		}})
		began := time.Now()
		if err := r.Refresh(t.Context()); !errors.Is(err, client.ErrUnavailable) || time.Since(began) != 20*time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
	})
}

func TestServerThatEndsIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.hello("2025-11-25")
			r.list(tool("t"))
			r.await("tools/call")
		})})
		_, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t"})
		if !errors.Is(err, client.ErrLost) {
			t.Fatalf("got %v", err)
		}
		synctest.Wait()
		if st := state(r); st.State != client.StateBackingOff || st.Tools != 1 {
			t.Errorf("got %+v", st)
		}
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t"}); !errors.Is(err, client.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
		time.Sleep(time.Second)
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t"}); !errors.Is(err, client.ErrLost) {
			t.Errorf("got %v", err)
		}
		if st := state(r); st.Starts != 2 {
			t.Errorf("got %+v", st)
		}
	})
}

// held is a server that answers its first call when it is let go, and others at once.
func held(name string, going <-chan struct{}, started chan<- struct{}) func(*raw) {
	return func(r *raw) {
		r.hello("2025-11-25")
		r.list(tool(name))
		m := r.await("tools/call")
		if m.ID == nil {
			return
		}
		started <- struct{}{}
		<-going
		r.answer(m, ok)
		r.await("never")
	}
}

func TestNewerServerTakesOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		going, started := make(chan struct{}), make(chan struct{}, 1)
		older := client.Server{Slug: "x", Key: "1", Dial: program(t, held("t", going, started))}
		newer := client.Server{Slug: "x", Key: "2", Dial: program(t, one(func(r *raw, m message) { r.answer(m, `{"content":[],"structuredContent":{"new":1}}`) }))}
		r := newRig(t, client.Options{}, older)
		done := make(chan error, 1)
		go func() {
			_, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t"})
			done <- err
		}()
		<-started
		changed := r.Changed()
		if err := r.Set([]client.Server{older}); err != nil || state(r).Calls != 1 {
			t.Fatalf("an equal key has replaced the server: %v", err)
		}
		if err := r.Set([]client.Server{newer}); err != nil {
			t.Fatal(err)
		}
		<-changed
		if len(r.Tools()) != 1 || len(r.Tools()[0].Tools) != 1 {
			t.Error("the list is lost until the newer server was started")
		}
		got, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t"})
		if err != nil || string(got.Structured) != `{"new":1}` {
			t.Fatalf("got %v, %v from the newer one", got, err)
		}
		if st := r.Status(); len(st) != 2 || st[1].Calls != 1 {
			t.Errorf("got %+v, want the older one with its call", st)
		}
		close(going)
		if err := <-done; err != nil {
			t.Errorf("the older one's call: %v", err)
		}
		synctest.Wait()
		if st := r.Status(); len(st) != 1 {
			t.Errorf("the older one is still there: %+v", st)
		}
		err = r.Set(nil)
		synctest.Wait()
		if err != nil || len(r.Tools()) != 0 || len(r.Status()) != 0 {
			t.Errorf("got %v, %v", err, r.Status())
		}
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t"}); !errors.Is(err, client.ErrUnavailable) {
			t.Errorf("got %v of a server that was removed", err)
		}
	})
}

func TestReplacedServerIsEndedAfterItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		going, started := make(chan struct{}), make(chan struct{}, 1)
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, held("t", going, started)), Drain: time.Minute})
		done := make(chan error, 1)
		go func() {
			_, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t"})
			done <- err
		}()
		<-started
		r.Set(nil)
		began := time.Now()
		if err := <-done; !errors.Is(err, client.ErrLost) || time.Since(began) != time.Minute {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		close(going)
	})
}

func TestBadConfigurationChangesNothing(t *testing.T) {
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: sdk(t, echo)})
	dial := sdk(t, echo)
	err := r.Set([]client.Server{{Slug: "A-b", Dial: dial}, {Slug: "ok", Dial: dial}, {Slug: "none"}, {Slug: "ok", Dial: dial}})
	if err == nil {
		t.Fatal("it was accepted")
	}
	for _, want := range []string{`"A-b"`, "none: nothing says", `"ok" is configured twice`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if st := r.Status(); len(st) != 1 || st[0].Slug != "x" {
		t.Errorf("got %+v", st)
	}
}

func TestChangedDefinition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := make(chan struct{})
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.hello("2025-11-25")
			r.list(tool("t"), tool("same"))
			<-other
			r.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			r.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			r.list(`{"name":"t","description":"another","inputSchema":{"type":"object"}}`, tool("same"))
			r.calls(func(m message) { r.answer(m, ok) })
		})})
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		old, changed := r.Tools()[0], r.Changed()
		close(other)
		synctest.Wait()
		// The server has said that something has changed, and was not asked yet: the call waits.
		_, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t", Hash: old.Tools[0].External.Hash})
		if !errors.Is(err, client.ErrChanged) {
			t.Fatalf("got %v", err)
		}
		<-changed
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "same", Hash: old.Tools[1].External.Hash}); err != nil {
			t.Errorf("a tool that has not changed: %v", err)
		}
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t", Hash: r.Tools()[0].Tools[0].External.Hash}); err != nil {
			t.Errorf("the new definition: %v", err)
		}
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "gone"}); !errors.Is(err, client.ErrUnavailable) {
			t.Errorf("a tool that is not there: %v", err)
		}
	})
}
