package call_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// bash writes a watchdog in bash and returns its path.
func bash(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "watchdog")
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// socket starts a watchdog that answers each question over a socket, and returns where.
func socket(t *testing.T, answer func(question string) string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wd") // short: a socket's path has at most about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				line, _ := bufio.NewReader(c).ReadString('\n')
				if said := answer(line); said != "" {
					io.WriteString(c, said)
					return
				}
				io.Copy(io.Discard, c) // until the other end gives up
			}()
		}
	}()
	return "unix:" + filepath.Join(dir, "s")
}

// watched asks a watchdog of the given time limit, 0 for a minute.
func watched(t *testing.T, target string, limit time.Duration) func(*call.Options) {
	t.Helper()
	if limit == 0 {
		limit = time.Minute
	}
	w, err := watchdog.Open(watchdog.Options{Target: target, Timeout: limit, Host: proctest.NewHost(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return func(o *call.Options) { o.Watchdog = w }
}

// ran counts the executions of a tool.
func ran(t *testing.T) (*atomic.Int64, *manifest.Registry) {
	reg, n := manifest.NewRegistry(), new(atomic.Int64)
	handler(t, reg, "go.write", manifest.EffectsWrite, func(context.Context, json.RawMessage) (json.RawMessage, error) {
		n.Add(1)
		return nil, nil
	})
	return n, reg
}

// A watchdog in bash and one over a socket decide about real calls; whatever is no answer
// denies, with a reason that says what it was, and nothing is run.
func TestWatchdogDecides(t *testing.T) {
	const short = 100 * time.Millisecond
	words := func(t *testing.T) string {
		return socket(t, func(q string) string {
			if strings.Contains(q, `"arguments":{"n":"bad"}`) {
				return `{"decision":"deny","reason":"looks bad"}` + "\n"
			}
			return `{"decision":"allow"}` + "\n"
		})
	}
	in := func(script string) func(*testing.T) string {
		return func(t *testing.T) string { return bash(t, script) }
	}
	says := func(answer string) func(*testing.T) string {
		return func(t *testing.T) string { return socket(t, func(string) string { return answer }) }
	}
	const judge = `read -r q; case $q in *'"arguments":{"n":"bad"}'*) echo '{"decision":"deny","reason":"looks bad"}';; *) echo '{"decision":"allow"}';; esac`
	for _, tc := range []struct {
		name   string
		target func(*testing.T) string
		n      string
		limit  time.Duration
		denied string // "": it runs
	}{
		{"bash allows", in(judge), "good", 0, ""},
		{"bash denies", in(judge), "bad", 0, "the watchdog denies it: looks bad"},
		{"bash crashes", in(`kill -ABRT $$`), "good", 0, "the watchdog crashed: it was killed by SIGABRT"},
		{"bash fails", in(`echo '{"decision":"allow"}'; exit 1`), "good", 0, "the watchdog ended with exit status 1"},
		{"bash prints garbage", in(`echo yes`), "good", 0, "the watchdog gave no answer that can be read: "},
		{"bash sleeps", in(`sleep 600`), "good", short, "the watchdog did not answer within 100ms"},
		{"socket allows", words, "good", 0, ""},
		{"socket denies", words, "bad", 0, "the watchdog denies it: looks bad"},
		{"socket prints garbage", says("yes\n"), "good", 0, "the watchdog gave no answer that can be read: "},
		{"socket is silent", says(""), "good", short, "the watchdog did not answer within 100ms"},
		{"socket is not there", func(t *testing.T) string { return "unix:" + filepath.Join(t.TempDir(), "s") }, "good", 0, "the watchdog cannot be reached"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n, reg := ran(t)
			r := newRig(t, "", reg, watched(t, tc.target(t), tc.limit))
			e := r.run("go.write", `{"n":"`+tc.n+`"}`)
			if tc.denied == "" {
				e.is("final", a2a.StateCompleted, 200)
			} else if e.is("denied", a2a.StateRejected, 403); !strings.HasPrefix(*e.env.ErrorText, `you may not call "go.write": `+tc.denied) {
				t.Errorf("error text %q", *e.env.ErrorText)
			}
			if (n.Load() == 1) != (tc.denied == "") {
				t.Errorf("it ran %d times", n.Load())
			}
		})
	}
}

// watchFunc is a watchdog.
type watchFunc func(ctx context.Context, r watchdog.Request) watchdog.Answer

func (f watchFunc) Ask(ctx context.Context, r watchdog.Request) watchdog.Answer { return f(ctx, r) }

// A watchdog never lifts what the rules say; its ask makes a call wait for an approval.
func TestWatchdogOnlyTightens(t *testing.T) {
	for rules, want := range map[policy.Verdict]map[policy.Verdict]string{
		policy.Deny:  {policy.Allow: "denied", policy.Ask: "denied", policy.Deny: "denied"},
		policy.Ask:   {policy.Allow: "waits", policy.Ask: "waits", policy.Deny: "denied"},
		policy.Allow: {policy.Allow: "final", policy.Ask: "waits", policy.Deny: "denied"},
	} {
		for said, outcome := range want {
			t.Run("rules "+rules.String()+", watchdog "+said.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					asked := 0
					n, reg := ran(t)
					r := newRig(t, "", reg, deciding(rules), func(o *call.Options) {
						o.Watchdog = watchFunc(func(_ context.Context, q watchdog.Request) watchdog.Answer {
							asked++
							if q.Call.Tool.Name != "go.write" || q.Call.Arguments != `{"n":"x"}` || q.Decision.Verdict != rules || q.TaskID == "" || q.CallID == "" || q.Manifest == "" {
								t.Errorf("it is asked about %+v", q)
							}
							return watchdog.Answer{Verdict: said, Reason: "its reason"}
						})
					})
					inv := r.named("go.write", "x")
					synctest.Wait()
					if (asked == 1) != (rules != policy.Deny) {
						t.Errorf("asked %d times", asked)
					}
					if outcome == "waits" {
						if s := inv.Task().State(); s != a2a.StateAuthRequired || n.Load() != 0 {
							t.Fatalf("state %s, ran %d times", s, n.Load())
						}
						answer(t, inv, "once")
						synctest.Wait()
						r.ended(inv).is("final", a2a.StateCompleted, 200)
						return
					}
					if got := r.ended(inv).inv.Outcome().String(); got != outcome || (n.Load() == 1) != (outcome == "final") {
						t.Errorf("outcome %s, ran %d times", got, n.Load())
					}
				})
			})
		}
	}
}

// Whoever stops the call, or the sidecar, does not wait for the watchdog.
func TestWatchdogIsNotWaitedForAfterAStop(t *testing.T) {
	for name, stop := range map[string]func(r *rig, inv *call.Invocation){
		"cancel": func(_ *rig, inv *call.Invocation) { inv.Task().Cancel(task.ErrCanceled) },
		"drain":  func(r *rig, _ *call.Invocation) { r.p.Drain(context.Background(), time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, reg := ran(t)
				r := newRig(t, "", reg, func(o *call.Options) {
					o.Watchdog = watchFunc(func(ctx context.Context, _ watchdog.Request) watchdog.Answer {
						<-ctx.Done()
						return watchdog.Answer{Failure: watchdog.FailedStopped}
					})
				})
				inv := r.named("go.write", "x")
				synctest.Wait()
				stop(r, inv)
				synctest.Wait()
				want := map[string]string{"cancel": "canceled", "drain": "busy"}[name]
				if got := r.ended(inv).inv.Outcome().String(); got != want || n.Load() != 0 {
					t.Errorf("outcome %s, want %s; ran %d times", got, want, n.Load())
				}
			})
		})
	}
}
