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
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// bar is a pipeline with rules and a turn whose agent uses tools of its own.
type bar struct {
	*rig
	turn      *task.Task
	judge     driver.Judge
	approvals *approval.Registry
	session   *policy.Session
	audit     *auditNotes
	dir       string // the workspace, resolved
}

// newBar returns a turn in a workspace; rules is the content of a policy's "rules".
func newBar(t testing.TB, rules string, tweak ...func(*call.Options)) *bar {
	t.Helper()
	b := &bar{session: policy.NewSession(100), audit: &auditNotes{}}
	b.approvals = approval.NewRegistry(approval.Limits{Max: 8, Remembered: 10, Timeout: time.Minute})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.dir = dir
	set, warnings, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "policy.json", Data: []byte(`{"rules":[` + rules + `]}`)}}, policy.Options{Session: b.session, Roots: policy.Roots{"workspace": {dir}}})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	b.rig = newRig(t, "", nil, append([]func(*call.Options){func(o *call.Options) {
		o.Workspace, o.Decider, o.Approvals, o.AskTimeout, o.Audit = dir, set, b.approvals, time.Minute, b.audit
		o.Remember = func(q policy.Request) { b.session.Remember(q.ContextID, q.Key) }
	}}, tweak...)...)
	b.turn = b.tasks.Create("ann", "x", &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("go")}}, nil)
	b.judge = b.p.Judge(b.turn)
	t.Cleanup(b.judge.Close)
	return b
}

// permitted is what a Permit has returned.
type permitted struct {
	peer.Answer
	err error
}

func (b *bar) permit(ctx context.Context, a peer.Action) <-chan permitted {
	out := make(chan permitted, 1)
	go func() {
		answer, err := b.judge.Permit(ctx, a)
		out <- permitted{answer, err}
	}()
	return out
}

// answer answers what the turn's task asks.
func (b *bar) answer(words string) {
	b.t.Helper()
	if err := b.turn.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(words)}}); err != nil {
		b.t.Error(err)
	}
}

// auditNotes keeps the audit's records.
type auditNotes struct {
	mu  sync.Mutex
	all []audit.Record
}

func (a *auditNotes) Before(_ context.Context, r *audit.Record) error { a.After(r); return nil }

func (a *auditNotes) After(r *audit.Record) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Seq = uint64(len(a.all) + 1)
	a.all = append(a.all, *r)
}

func (a *auditNotes) Stand(string) *audit.Arguments { return &audit.Arguments{} }

// told returns the events with their outcomes, each of the turn's task by the door "agent".
func (a *auditNotes) told(t testing.TB, b *bar) (all []string) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, r := range a.all {
		if r.Task != b.turn.ID() || r.Event != audit.EventAfter && (r.Door != "agent" || r.Source != "agent" || !r.Agent || r.Caller != "ann" || r.Context != "x") {
			t.Errorf("record %d: %+v", i, r)
		}
		if r.Event == audit.EventAfter && a.all[r.Of-1].Event != audit.EventBefore {
			t.Errorf("record %d is after %d", i, r.Of)
		}
		all = append(all, strings.TrimSpace(string(r.Event)+" "+r.Tool+" "+r.Outcome))
	}
	return all
}

const askAll = `{"permission":"*","action":"ask"}`

// What the rules say, what people answer, and what the agent and the audit are told of it.
func TestNativePermit(t *testing.T) {
	run := func(command string) peer.Action {
		return peer.Action{ID: "t1", Kind: peer.Execute, Name: "Bash", Title: "Run " + command, Command: command, Input: json.RawMessage(`{"command":"` + command + `"}`)}
	}
	refused := func(outcome string) []string { return []string{"refused agent.execute " + outcome} }
	yes := []string{"before agent.execute", "after agent.execute permitted"}
	for name, tc := range map[string]struct {
		rules  string
		act    peer.Action
		answer string // "": nobody is asked
		tweak  func(*call.Options)
		want   peer.Answer
		audit  []string
	}{
		"a rule allows":           {rules: `{"permission":"shell.run","pattern":"git:*","action":"allow"}`, act: run("git status"), want: peer.Answer{Allowed: true}, audit: yes},
		"a rule for the kind":     {rules: `{"permission":"agent.execute","action":"allow"}`, act: run("git status"), want: peer.Answer{Allowed: true}, audit: yes},
		"a rule for all of them":  {rules: `{"permission":"agent.*","action":"allow"}`, act: run("git status"), want: peer.Answer{Allowed: true}, audit: yes},
		"a rule denies":           {rules: `{"permission":"shell.run","pattern":"rm:*","action":"deny","reason":"keep them"}`, act: run("ls && rm x"), want: peer.Answer{Reason: "this is not allowed: keep them"}, audit: refused("denied")},
		"a deny beats an allow":   {rules: `{"permission":"agent.execute","action":"allow"},{"permission":"shell.run","pattern":"rm:*","action":"deny","reason":"no"}`, act: run("rm x"), want: peer.Answer{Reason: "this is not allowed: no"}, audit: refused("denied")},
		"what is hidden asks":     {rules: `{"permission":"agent.execute","action":"allow"}`, act: run("$X y"), answer: "once", want: peer.Answer{Allowed: true}, audit: yes},
		"what is not told asks":   {rules: `{"permission":"agent.execute","action":"allow"}`, act: peer.Action{Kind: peer.Execute}, answer: "once", want: peer.Answer{Allowed: true}, audit: yes},
		"once":                    {rules: askAll, act: run("ls"), answer: "once", want: peer.Answer{Allowed: true}, audit: yes},
		"by its kind":             {rules: askAll, act: run("ls"), answer: "allow_once", want: peer.Answer{Allowed: true}, audit: yes},
		"always":                  {rules: askAll, act: run("ls"), answer: "always", want: peer.Answer{Allowed: true, Always: true}, audit: yes},
		"reject":                  {rules: askAll, act: run("ls"), answer: "reject", want: peer.Answer{Reason: "this was not approved"}, audit: refused("rejected")},
		"nobody answers":          {rules: askAll, act: run("ls"), answer: "-", want: peer.Answer{Reason: `"agent.execute" needs an approval and nobody answered within 1m0s`}, audit: refused("denied")},
		"headless":                {rules: askAll, act: run("ls"), tweak: func(o *call.Options) { o.Headless = true }, want: peer.Answer{Reason: `"agent.execute" needs an approval and nobody can be asked: a rule of the policy wants this tool approved`}, audit: refused("denied")},
		"the watchdog denies":     {rules: `{"permission":"*","action":"allow"}`, act: run("ls"), tweak: watching(policy.Deny), want: peer.Answer{Reason: "this is not allowed: the watchdog says so"}, audit: refused("denied")},
		"the watchdog asks":       {rules: `{"permission":"*","action":"allow"}`, act: run("ls"), answer: "always", tweak: watching(policy.Ask), want: peer.Answer{Allowed: true}, audit: yes},
		"the watchdog allows all": {rules: `{"permission":"*","action":"deny","reason":"no"}`, act: run("ls"), tweak: watching(policy.Allow), want: peer.Answer{Reason: "this is not allowed: no"}, audit: refused("denied")},
		"too long":                {rules: `{"permission":"*","action":"allow"}`, act: peer.Action{Kind: peer.Execute, Command: strings.Repeat("x", 256<<10+1)}, want: peer.Answer{Reason: "its command has 262145 bytes, and 262144 are the most that are judged"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tweak := tc.tweak
				if tweak == nil {
					tweak = func(*call.Options) {}
				}
				b := newBar(t, tc.rules, tweak)
				out := b.permit(t.Context(), tc.act)
				synctest.Wait()
				if asked := b.turn.State() == a2a.StateAuthRequired; asked != (tc.answer != "") {
					t.Fatalf("the turn's task is %s", b.turn.State())
				}
				if tc.answer != "" && tc.answer != "-" {
					b.answer(tc.answer)
				}
				if got := <-out; got.err != nil || got.Answer != tc.want {
					t.Errorf("got %+v %v\nwant %+v", got.Answer, got.err, tc.want)
				}
				if got := b.audit.told(t, b); !slices.Equal(got, tc.audit) {
					t.Errorf("the audit has %q, want %q", got, tc.audit)
				}
				if s := b.turn.State(); s.Interrupted() || s.Terminal() {
					t.Errorf("the turn's task is %s after that", s)
				}
			})
		})
	}
}

func watching(v policy.Verdict) func(*call.Options) {
	return func(o *call.Options) {
		o.Watchdog = watchFunc(func(context.Context, watchdog.Request) watchdog.Answer {
			return watchdog.Answer{Verdict: v, Reason: "the watchdog says so"}
		})
	}
}

// The end of the caller's context, and of the turn, withdraw the question.
func TestNativeWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(t, askAll)
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		out := b.permit(ctx, peer.Action{Kind: peer.Think})
		synctest.Wait()
		cancel(gone)
		if got := <-out; got.err != gone || got.Allowed || b.turn.Asking() {
			t.Errorf("%+v, asking %v", got, b.turn.Asking())
		}
		out = b.permit(t.Context(), peer.Action{Kind: peer.Think})
		synctest.Wait()
		b.turn.Cancel(task.ErrCanceled)
		if got := <-out; !errors.Is(got.err, peer.ErrWithdrawn) || !errors.Is(got.err, task.ErrCanceled) {
			t.Errorf("%+v", got)
		}
		if got := b.audit.told(t, b); !slices.Equal(got, []string{"refused agent.think canceled", "refused agent.think canceled"}) {
			t.Errorf("the audit has %q", got)
		}
		if b.approvals.Load() != 0 {
			t.Error("an approval is left open")
		}
	})
}

// When the sidecar shuts down, nobody can be asked any more, which is no no: the turn ends as one that was cut short.
func TestNativeDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBar(t, askAll)
		out := b.permit(t.Context(), peer.Action{Kind: peer.Think})
		synctest.Wait()
		if err := b.p.Drain(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if got := <-out; !errors.Is(got.err, peer.ErrWithdrawn) || !errors.Is(got.err, task.ErrDraining) {
			t.Errorf("%+v", got)
		}
		if cause := context.Cause(b.turn.Context()); !errors.Is(cause, task.ErrDraining) {
			t.Errorf("the turn goes on: %v", cause)
		}
		if got := b.audit.told(t, b); !slices.Equal(got, []string{"refused agent.think canceled"}) {
			t.Errorf("the audit has %q", got)
		}
	})
}
