package egress_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// judged lets every test name some hosts, and asks f about each.
func judged(log *await.Log, f func(ctx context.Context, to netguard.Target) egress.Ruling) func(*rig, *egress.Options) {
	return func(r *rig, o *egress.Options) {
		for _, name := range []string{"a.example", "b.example", "c.example"} {
			r.names[name] = [][]string{{"8.8.8.8"}}
		}
		o.Dialer.Judge, o.Dialer.Log = f, slog.New(slog.NewTextHandler(log, nil))
	}
}

// A ruling decides, and the rule behind it is told. The patterns are asked first.
func TestRulings(t *testing.T) {
	asked := make(chan string, 9)
	r := newRig(t, "a.example b.example c.example", judged(&await.Log{}, func(_ context.Context, to netguard.Target) egress.Ruling {
		asked <- to.String()
		switch to.Name {
		case "a.example":
			return egress.Ruling{Allowed: true, Rule: "allow a", File: "p.json", Line: 3}
		case "b.example":
			return egress.Ruling{Reason: "not there", Rule: "deny b", File: "q.json", Line: 4}
		}
		return egress.Ruling{}
	}))
	for target, want := range map[string]int{"a.example:443": 200, "b.example:443": 403, "c.example:443": 403, "d.example:443": 403} {
		if _, _, code := r.connected(target, r.secret()); code != want {
			t.Errorf("%s: %d, want %d", target, code, want)
		}
	}
	_, dialed, told := r.seen()
	if len(dialed) != 1 || len(asked) != 3 || len(told) != 4 {
		t.Fatalf("dialed %q, asked %d times, told %+v", dialed, len(asked), told)
	}
	for _, a := range told {
		a.Address, a.Port = a.Address.Unmap(), 0
		rule := a.Rule + " " + a.File
		switch {
		case a.Host == "a.example" && a.Allowed && rule == "allow a p.json" && a.Line == 3:
		case a.Host == "b.example" && !a.Allowed && rule == "deny b q.json" && a.Line == 4 && a.Reason == "not there":
		case a.Host == "c.example" && !a.Allowed, a.Host == "d.example" && !a.Allowed && rule == " ":
		default:
			t.Errorf("told %+v", a)
		}
	}
}

// A judgement that panics refuses one connection, in each protocol; the proxy goes on, and it is
// logged.
func TestJudgementThatPanics(t *testing.T) {
	var log await.Log
	r := newRig(t, "*", judged(&log, func(_ context.Context, to netguard.Target) egress.Ruling {
		if to.Name == "b.example" {
			panic("a rule is broken")
		}
		return egress.Ruling{Allowed: true}
	}))
	if _, _, code := r.connected("b.example:443", r.secret()); code != 403 {
		t.Errorf("by HTTP: %d", code)
	}
	if _, reply := r.sock("b.example", 443, r.secret()); reply != 2 {
		t.Errorf("by SOCKS: %d", reply)
	}
	conn, br, code := r.connected("a.example:443", r.secret())
	if code != 200 {
		t.Fatalf("another host: %d", code)
	}
	says(t, conn, br, "hello")
	_, dialed, told := r.seen()
	if len(dialed) != 1 || len(told) != 3 || told[0].Allowed || told[0].Reason == "" {
		t.Errorf("dialed %q, told %+v", dialed, told)
	}
	if text := log.String(); strings.Count(text, "a rule is broken") != 2 || !strings.Contains(text, "b.example") {
		t.Errorf("the log: %s", text)
	}
}

// A judgement that takes too long refuses one connection, although it ignores the end of its
// context. Other connections, and the end of the call, do not wait for it.
func TestJudgementThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log await.Log
		returns := make(chan struct{})
		defer close(returns)
		r := newRig(t, "*", judged(&log, func(_ context.Context, to netguard.Target) egress.Ruling {
			if to.Name == "b.example" {
				<-returns
			}
			return egress.Ruling{Allowed: true}
		}))
		begun := time.Now()
		slow := make(chan int)
		go func() {
			_, _, code := r.connected("b.example:443", r.secret())
			slow <- code
		}()
		synctest.Wait()
		if _, _, code := r.connected("a.example:443", r.secret()); code != 200 || time.Since(begun) != 0 {
			t.Errorf("meanwhile: %d after %s", code, time.Since(begun))
		}
		if code := <-slow; code != 403 || time.Since(begun) != 5*time.Second || egress.JudgeTimeout != 5*time.Second {
			t.Errorf("%d after %s", code, time.Since(begun))
		}
		if !strings.Contains(log.String(), "takes too long") {
			t.Errorf("the log: %s", log.String())
		}
		hung := r.dial()
		go hung.Write([]byte("CONNECT b.example:443 HTTP/1.1\r\n" + basic(r.secret()) + "\r\n"))
		synctest.Wait()
		begun = time.Now()
		r.p.Close()
		if took := time.Since(begun); took != 0 {
			t.Errorf("the end of the call waited %s", took)
		}
	})
}
