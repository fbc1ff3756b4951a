package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// audited records calls in a file. The function that it returns closes the audit and
// returns its records of calls.
func audited(t *testing.T) (func(*call.Options), func() []audit.Record) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.ndjson")
	l, err := audit.Open(audit.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return func(o *call.Options) { o.Audit = l }, func() (all []audit.Record) {
		l.Close()
		if r, err := audit.Verify(file); err != nil || r.Fault != nil {
			t.Fatal(err, r.Fault)
		}
		for line := range audit.Lines(file) {
			if line.Record.Task != "" {
				all = append(all, line.Record)
			}
		}
		return all
	}
}

// A call that runs has two records, and any other has one.
func TestAuditOfCalls(t *testing.T) {
	tweak, records := audited(t)
	r := newRig(t, execTool("acme.fail", "", "tool:fail")+","+execTool("acme.killed", "", "tool:killed")+","+execTool("acme.secret", "", "tool:say", "x"), nil, tweak, withHost(t), func(o *call.Options) {
		o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
			d := policy.Decision{Verdict: policy.Allow, Kind: policy.KindRule, Scope: policy.ScopeManifest, Rule: "allow acme.*", File: "/p.json", Line: 3, Revision: "sha256:r"}
			if q.Tool.Name == "acme.secret" {
				d.Verdict, d.Rule, d.Reason = policy.Deny, "deny acme.secret", "it is one"
			}
			return d
		})
		o.Watchdog = watchFunc(func(context.Context, watchdog.Request) watchdog.Answer {
			return watchdog.Answer{Verdict: policy.Allow, Reason: "fine"}
		})
	})
	id := func(q call.Request) string {
		inv := r.p.Start(q)
		r.ended(inv)
		return inv.Task().ID()
	}
	failed := id(call.Request{ID: "c1", Tool: "acme.fail", Caller: "ann", ContextID: "ctx", Door: "http", Arguments: json.RawMessage(`{"pin":"1234"}`)})
	killed := id(call.Request{Tool: "acme.killed", Agent: true})
	denied := id(call.Request{Tool: "acme.secret", Arguments: json.RawMessage(`{"pin":"1234"}`)})
	invalid := id(call.Request{Tool: "acme.fail", Arguments: json.RawMessage(`{"pin":12`)})
	unknown := id(call.Request{Tool: "acme.none"})

	all := records()
	if len(all) != 7 {
		t.Fatalf("%d records: %+v", len(all), all)
	}
	before, after := all[0], all[1]
	if before.Event != audit.EventBefore || before.Task != failed || before.Call != "c1" || before.Caller != "ann" || before.Context != "ctx" || before.Door != "http" || before.Agent ||
		before.Tool != "acme.fail" || before.Source != "manifest" || !strings.HasPrefix(before.Definition, "sha256:") || before.Effects != "write" ||
		!slices.Contains(before.Command, "tool:fail") || before.Admitted.IsZero() {
		t.Errorf("before %+v", before)
	}
	if d := before.Decision; d == nil || *d != (audit.Decision{Verdict: "allow", Kind: "rule", Scope: "manifest", Rule: "allow acme.*", File: "/p.json", Line: 3, Revision: "sha256:r"}) {
		t.Errorf("decision %+v", d)
	}
	if w := before.Watchdog; w == nil || w.Verdict != "allow" || w.Reason != "fine" || w.Failure != "" {
		t.Errorf("watchdog %+v", w)
	}
	if after.Event != audit.EventAfter || after.Of != before.Seq || after.Task != failed || after.Call != "c1" || after.Outcome != "failed" || *after.ExitCode != 3 || after.Bytes == 0 || after.Reason != "" || after.Began.IsZero() {
		t.Errorf("after %+v", after)
	}
	if k := all[3]; k.Task != killed || k.Signal != "SIGKILL" || !all[2].Agent || !k.Agent {
		t.Errorf("killed %+v", k)
	}
	if d := all[4]; d.Event != audit.EventRefused || d.Task != denied || d.Outcome != "denied" || d.Reason != `you may not call "acme.secret": it is one` ||
		d.Decision.Verdict != "deny" || d.Watchdog != nil || d.Arguments.HMAC != before.Arguments.HMAC || d.Arguments.Bytes != 14 {
		t.Errorf("denied %+v, %+v", d, d.Arguments)
	}
	if d := all[5]; d.Event != audit.EventRefused || d.Task != invalid || d.Outcome != "invalid_arguments" || d.Decision != nil || d.Reason != "" {
		t.Errorf("invalid %+v", d)
	}
	if d := all[6]; d.Event != audit.EventRefused || d.Task != unknown || d.Outcome != "unknown_tool" || d.Tool != "acme.none" || d.Definition != "" {
		t.Errorf("unknown %+v", d)
	}
}

// inMemory is an audit.
type inMemory struct {
	mu  sync.Mutex
	all []*audit.Record
}

func (m *inMemory) Before(_ context.Context, r *audit.Record) error { m.After(r); return nil }
func (m *inMemory) Stand(string) *audit.Arguments                   { return &audit.Arguments{} }

func (m *inMemory) After(r *audit.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, r)
}

// records returns what there is, in the order in which it came.
func (m *inMemory) records() []*audit.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.all)
}

// clear forgets what there is.
func (m *inMemory) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = nil
}

// Who approved, or did not, is in the audit.
func TestAuditOfApprovals(t *testing.T) {
	for said, want := range map[string]struct{ outcome, option string }{
		"once": {"final", "once"}, "reject": {"rejected", "reject"}, "": {"denied", "expired"},
	} {
		t.Run("answer "+said, func(t *testing.T) {
			kept := &inMemory{}
			synctest.Test(t, func(t *testing.T) {
				_, reg := ran(t)
				r := newRig(t, "", reg, deciding(policy.Ask), func(o *call.Options) { o.Audit, o.AskTimeout = kept, time.Second })
				inv := r.named("go.write", "x")
				synctest.Wait()
				if said != "" {
					answer(t, inv, said)
				}
				if got := r.ended(inv).inv.Outcome().String(); got != want.outcome {
					t.Errorf("outcome %s", got)
				}
			})
			all := kept.records()
			if a := all[0].Approval; a == nil || a.ID == "" || a.Option != want.option || a.By != "" || all[0].Decision.Verdict != "ask" {
				t.Errorf("approval %+v of %+v", a, all[0])
			}
		})
	}
}

// refusing is an audit that can record nothing.
type refusing struct{ *inMemory }

func (refusing) Before(context.Context, *audit.Record) error {
	return errors.New("no space left on device")
}

// A call that cannot be recorded is not executed, if the audit says so, and leaves its
// place in the schedule.
func TestCallThatCannotBeRecorded(t *testing.T) {
	n, reg := ran(t)
	r := newRig(t, "", reg, func(o *call.Options) { o.Audit = refusing{&inMemory{}} })
	for range 2 {
		e := r.run("go.write", `{"n":"x"}`).is("denied", a2a.StateRejected, 403)
		if *e.env.ErrorText != `"go.write" is not called, because the audit cannot record it: no space left on device` || n.Load() != 0 {
			t.Errorf("%s, ran %d times", *e.env.ErrorText, n.Load())
		}
	}
}

// The values at which a rule looks are recorded, and no others.
type looking struct{ policy.Decider }

func (looking) Pointers(tool string) []string { return []string{"/" + tool, "/list/1", "/gone"} }

func TestAuditOfWhatRulesLookAt(t *testing.T) {
	tweak, records := audited(t)
	reg := manifest.NewRegistry()
	handler(t, reg, "go.write", manifest.EffectsWrite, func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil })
	r := newRig(t, "", reg, tweak, func(o *call.Options) { o.Decider = looking{policy.BuiltIn()} })
	r.run("go.write", `{"go.write":{"a":1}, "pin":1234, "list":["x","y","z"]}`)
	if got := records()[0].Arguments.Judged; got != `{"go.write":{"a":1},"list":[null,"y"]}` {
		t.Errorf("judged %s", got)
	}
}
