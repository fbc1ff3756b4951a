package call_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// ruled decides by the rules of a file, one in each line from line 2 on.
func ruled(t *testing.T, session *policy.Session, rules ...string) func(*call.Options) {
	t.Helper()
	text := "{\"rules\":[\n" + strings.Join(rules, ",\n") + "]}"
	set, _, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "p.json", Data: []byte(text)}}, policy.Options{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *call.Options) {
		o.Decider = set
		o.Remember = func(q policy.Request) { session.Remember(q.ContextID, q.Key) }
	}
}

func rule(action, permission, pattern string) string {
	if pattern != "" {
		pattern = `,"pattern":"` + pattern + `"`
	}
	return `{"action":"` + action + `","permission":"` + permission + `"` + pattern + `}`
}

// Nobody can be asked about a connection. What a rule asks about is refused, unless the call's
// approval showed it, or the same rule asked about the call and does not look at hosts.
func TestHostsThatAreAskedAbout(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	a.says("/end", "text/plain", "here", 200)
	b.says("/end", "text/plain", "there", 200)
	a.leads("/other", b.URL+"/end", 302)
	host := func(a *api) string { return strings.TrimPrefix(a.URL, "http://") }
	requires := `,"requires":{"net":{"hosts":["127.0.0.1:*"]}}`
	named := `,"uses":{"net.fetch":["/q"]}` + requires
	for name, c := range map[string]struct {
		extra   string
		agent   bool
		rules   []string // nil: no policy file
		answers string   // to one question a call, "" if none is asked
		outcome string
		decides string // the rule of the second connection
		line    int
	}{
		"allowed": {named, false, []string{rule("allow", "acme.get", "")}, "", "final", "allow acme.get", 2},
		"a rule asks about the host, and nobody was asked": {
			named, false, []string{rule("allow", "acme.get", ""), rule("ask", "net.fetch", host(b))}, "", "failed", "ask net.fetch", 3,
		},
		"a rule asks about the host, and another one about the call": {
			named, false, []string{rule("ask", "acme.get", ""), rule("ask", "net.fetch", host(b))}, "once", "failed", "ask net.fetch", 3,
		},
		"a rule asks about every host, and the approval showed another one": {
			named, false, []string{rule("allow", "acme.get", ""), rule("ask", "net.fetch", "127.0.0.1:*")}, "once", "failed", "ask net.fetch", 3,
		},
		"a rule asks about the host, and the approval showed what the tool requires": {
			requires, false, []string{rule("allow", "acme.get", ""), rule("ask", "net.fetch", host(b))}, "once", "final", "ask net.fetch", 3,
		},
		"so did the approval for the session": {
			requires, false, []string{rule("allow", "acme.get", ""), rule("ask", "net.fetch", host(b))}, "always once", "final", "ask net.fetch", 3,
		},
		"the tool is asked about":    {named, false, []string{rule("ask", "acme.get", "")}, "once", "final", "ask acme.get", 2},
		"the tool is always allowed": {named, false, []string{rule("ask", "acme.get", "")}, "always once", "final", "ask acme.get", 2},
		"no rule speaks of anything": {named, false, []string{rule("deny", "x.y", "")}, "once", "final", "default: ask", 0},
		"no rule speaks of the host": {named, false, []string{rule("allow", "net.fetch", host(a))}, "", "failed", "default: ask", 0},
		"the agent's own call":       {named, true, nil, "once", "final", "built-in: the agent's own calls", 0},
		"the host is denied": {
			named, false, []string{rule("ask", "acme.get", ""), rule("deny", "net.fetch", host(b))}, "once", "failed", "deny net.fetch", 3,
		},
		"a part of what it requires is denied": {
			requires, false, []string{rule("allow", "acme.get", ""), rule("deny", "net.fetch", host(b))}, "", "failed", "deny net.fetch", 3,
		},
		"all that it requires is denied": {requires, false, []string{rule("allow", "acme.get", ""), rule("deny", "net.fetch", "127.0.0.1")}, "", "denied", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			kept := &inMemory{}
			approvals := approval.NewRegistry(approval.Limits{Max: 2, Timeout: time.Minute})
			waits := make(chan *approval.Approval, 1)
			tweak := []func(*call.Options){func(o *call.Options) {
				o.Audit, o.Approvals, o.Person = kept, approvals, func(a *approval.Approval) func() {
					waits <- a
					return func() {}
				}
			}}
			if c.rules != nil {
				tweak = append(tweak, ruled(t, policy.NewSession(9), c.rules...))
			}
			r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, c.extra), nil, tweak...)
			asked := len(b.seen)
			run := func(answers string) ended {
				inv := r.p.Start(call.Request{Tool: "acme.get", Agent: c.agent, ContextID: "c", Arguments: json.RawMessage(fmt.Sprintf(`{"x":"other","q":%q}`, host(a)))})
				switch {
				case answers != "" && c.agent:
					a := <-waits
					if err := approvals.Answer(t.Context(), approval.By{Person: true}, a.ID(), approval.Reply{Digest: a.Digest(), Option: approval.Once}); err != nil {
						t.Fatal(err)
					}
				case answers != "":
					r.until(inv, a2a.StateAuthRequired)
					answer(t, inv, answers)
				}
				return r.ended(inv)
			}
			e := ended{}
			if first, again, twice := strings.Cut(c.answers, " "); twice && again == "once" {
				run(first)
				asked = len(b.seen)
				kept.clear()
				e = run("") // the answer of the first one holds
			} else {
				e = run(first)
			}
			if got := e.inv.Outcome().String(); got != c.outcome {
				t.Fatalf("%s: %s", got, e.inv.Envelope())
			}
			if reached := len(b.seen) > asked; reached != (c.outcome == "final") {
				t.Errorf("the other host was reached: %v", reached)
			}
			if c.outcome == "denied" {
				return
			}
			egress := kept.records()[len(kept.records())-1].Egress
			if len(egress) != 2 || egress[0].Host != host(a) || egress[1].Host != host(b) {
				t.Fatalf("the audit has %+v", egress)
			}
			if d := kept.records()[0].Decision; egress[0].Rule != d.Rule || egress[0].Line != d.Line || !egress[0].Allowed {
				t.Errorf("the host that the call names: %+v, and the call %+v", egress[0], d)
			}
			if g := egress[1]; !strings.HasPrefix(g.Rule, c.decides) || g.Line != c.line || g.Allowed != (c.outcome == "final") || (c.line > 0) && g.File != "p.json" {
				t.Errorf("the other host: %+v", g)
			}
		})
	}
}

// A rule that came after the approval, and asks, is not covered by it.
func TestRulesThatChangeInACall(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	b.says("/end", "text/plain", "there", 200)
	a.leads("/other", b.URL+"/end", 302)
	for _, revision := range []string{"r1", "r2"} {
		judged := 0
		r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, `,"requires":{"net":{"hosts":["127.0.0.1:*"]}}`), nil, func(o *call.Options) {
			o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
				if len(q.Uses) != 1 || q.Uses[0].Declared {
					return policy.Decision{Verdict: policy.Ask, Rule: "ask acme.get", Revision: "r1"}
				}
				judged++
				return policy.Decision{Verdict: policy.Ask, Rule: "ask net.fetch", Revision: revision}
			})
		})
		inv := r.p.Start(call.Request{Tool: "acme.get", Arguments: json.RawMessage(`{"x":"other"}`)})
		r.until(inv, a2a.StateAuthRequired)
		answer(t, inv, "once")
		want := map[string]string{"r1": "final", "r2": "failed"}[revision]
		if e := r.ended(inv); e.inv.Outcome().String() != want || judged == 0 {
			t.Errorf("revision %s: %s", revision, e.inv.Envelope())
		}
	}
}

// Rules that panic refuse a connection, and the call goes on to its end.
func TestRulesThatPanicInACall(t *testing.T) {
	a, b := newAPI(t), newAPI(t)
	a.leads("/other", b.URL+"/end", 302)
	r := newRig(t, httpTool("acme.get", `"url":"`+a.URL+`/{x}"`, `,"requires":{"net":{"hosts":["127.0.0.1:*"]}}`), nil, func(o *call.Options) {
		o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
			if len(q.Uses) == 1 && !q.Uses[0].Declared {
				panic("a rule is broken")
			}
			return policy.Decision{Verdict: policy.Allow}
		})
	})
	r.run("acme.get", `{"x":"other"}`).is("failed", a2a.StateFailed, 502).says("are not allowed", "an error of the sidecar")
	if log := r.log.String(); !strings.Contains(log, "a rule is broken") || !strings.Contains(log, "acme.get") || len(b.seen) != 0 {
		t.Errorf("the log: %s", log)
	}
}
