package policy_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// TestScopes: what a project and a session do to the operator's decision. "-" is no file.
func TestScopes(t *testing.T) {
	for _, tc := range []struct{ name, operator, project, request, strict, trusted, rule string }{
		{"no file at all", "-", "-", "a.b", "allow", "allow", "built-in: direct calls"},
		{"no file at all, the agent", "-", "-", "a.b by agent", "ask", "ask", "built-in: the agent's own calls"},
		{"a project tightens no file", "-", "deny a.b", "a.b", "deny", "deny", "deny a.b"},
		{"a project asks without a file", "-", "ask a.b", "a.b", "ask", "ask", "ask a.b"},
		{"a project lifts what the agent asks", "-", "allow a.b", "a.b by agent", "ask", "allow", "allow a.b"},
		{"a project tightens", "allow a.b", "ask a.b", "a.b", "ask", "ask", "ask a.b"},
		{"a project has no default", "allow a.b", "deny x.y", "a.b", "allow", "allow", "allow a.b"},
		{"a project denies one value", "allow a.b", "deny fs.read '**/.env'", "a.b fs.read=/ws/.env", "deny", "deny", "deny fs.read"},
		{"a project lifts an ask", "ask a.b", "allow a.b", "a.b", "ask", "allow", "allow a.b"},
		{"a project lifts the default", "allow x.y", "allow a.b", "a.b", "ask", "allow", "allow a.b"},
		{"a project never lifts a deny", "deny a.b", "allow a.b", "a.b", "deny", "deny", "deny a.b"},
		{"a project must allow all of it", "ask a.b", "allow fs.read", "a.b fs.read=/a fs.write=/b", "ask", "ask", "ask a.b"},
		{"a project does not lift what is uncertain", "allow shell.run", "allow shell.run", "a.b shell.run='ls $(x)'", "ask", "ask", "built-in: what is not certain is asked about"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var files []policy.File
			if tc.operator != "-" {
				files = append(files, file(t, policy.ScopeManifest, []string{tc.operator}))
			}
			if tc.project != "-" {
				files = append(files, file(t, policy.ScopeProject, []string{tc.project}))
			}
			for _, trust := range []bool{false, true} {
				want := tc.strict
				if trust {
					want = tc.trusted
				}
				d := loadFiles(t, policy.Options{Roots: roots, TrustProject: trust}, files...).Decide(t.Context(), requestOf(t, tc.request))
				if d.Verdict.String() != want || trust && !strings.HasPrefix(d.Rule, tc.rule) {
					t.Errorf("trusted %v: %s by %s (%s), want %s by %s", trust, d.Verdict, d.Rule, d.Scope, want, tc.rule)
				}
			}
		})
	}
}

func TestStoppedOrWithoutATool(t *testing.T) {
	s := load(t, "allow *")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if d := s.Decide(stopped, requestOf(t, "a.b")); d.Verdict != policy.Deny || d.Reason == "" {
		t.Errorf("after its context ended: %+v", d)
	}
	if d := s.Decide(t.Context(), policy.Request{}); d.Verdict != policy.Deny || d.Reason == "" {
		t.Errorf("without a tool: %+v", d)
	}
}

// TestSession: an "always" lifts an ask for the same key in the same context, and nothing
// else.
func TestSession(t *testing.T) {
	session := policy.NewSession(2)
	s := loadFiles(t, policy.Options{Session: session}, file(t, policy.ScopeManifest, []string{"ask a.b", "deny a.d"}))
	decide := func(tool, context, key string) policy.Decision {
		r := requestOf(t, tool)
		r.ContextID, r.Key = context, key
		return s.Decide(t.Context(), r)
	}
	if d := decide("a.b", "c1", "k"); d.Verdict != policy.Ask {
		t.Fatalf("before: %s", d.Verdict)
	}
	for range 2 { // the second is no other answer
		if !session.Remember("c1", "k") {
			t.Fatal("the answer is not remembered")
		}
	}
	if d := decide("a.b", "c1", "k"); d.Verdict != policy.Allow || d.Kind != policy.KindApproval || d.Scope != policy.ScopeSession || d.Revision != s.Revision() {
		t.Errorf("after: %+v", d)
	}
	if d := decide("x.y", "c1", "k"); d.Verdict != policy.Allow {
		t.Errorf("an ask by default: %s", d.Verdict)
	}
	for name, d := range map[string]policy.Decision{
		"another key": decide("a.b", "c1", "k2"), "another context": decide("a.b", "c2", "k"), "no key": decide("a.b", "c1", ""),
	} {
		if d.Verdict != policy.Ask {
			t.Errorf("with %s: %s", name, d.Verdict)
		}
	}
	if d := decide("a.d", "c1", "k"); d.Verdict != policy.Deny {
		t.Errorf("an answer lifts a deny: %s", d.Verdict)
	}
	if session.Remember("c1", "") || !session.Remember("c2", "k") || session.Remember("c2", "k2") {
		t.Error("no key is remembered, or more answers than the limit says")
	}
	session.Forget("c1")
	if d := decide("a.b", "c1", "k"); d.Verdict != policy.Ask {
		t.Errorf("after it was forgotten: %s", d.Verdict)
	}
	if !session.Remember("c2", "k2") || decide("a.b", "c2", "k").Verdict != policy.Allow {
		t.Error("what was forgotten takes place, or more was forgotten")
	}
}

func TestWithoutASession(t *testing.T) {
	var none *policy.Session
	none.Forget("c1")
	r := requestOf(t, "a.b")
	r.Key = "k"
	if none.Remember("c1", "k") || load(t, "ask a.b").Decide(t.Context(), r).Verdict != policy.Ask {
		t.Error("something is remembered nowhere")
	}
}

// TestExplain: the rules that lost, and why.
func TestExplain(t *testing.T) {
	s := loadFiles(t, policy.Options{Roots: roots},
		operator("{\"rules\":[\n"+`{"permission":"a.*","action":"deny"},
{"permission":"a.b","action":"allow"},
{"permission":"a.b","action":"ask","reason":"it deploys"},
{"permission":"fs.read","pattern":"/ws/**","action":"allow"},
{"permission":"fs.write","action":"deny"}`+"\n]}"),
		policy.File{Scope: policy.ScopeProject, Name: "q.json", Data: []byte(`{"rules":[{"permission":"*","action":"allow"}]}`)})
	d := s.Explain(t.Context(), requestOf(t, "a.b fs.read=/ws/a"))
	want := policy.Decision{
		Verdict: policy.Ask, Kind: policy.KindRule, Scope: policy.ScopeManifest, Rule: "ask a.b", File: "p.json", Line: 4, Reason: "it deploys", Revision: s.Revision(),
		Lost: []policy.Match{
			{Verdict: policy.Deny, Scope: "manifest", Rule: "deny a.*", File: "p.json", Line: 2, On: "fs.read /ws/a", Why: "less specific than allow a.b (p.json:3)"},
			{Verdict: policy.Allow, Scope: "manifest", Rule: "allow a.b", File: "p.json", Line: 3, On: "fs.read /ws/a", Why: "less strict than ask a.b (p.json:4), which is as specific"},
			{Verdict: policy.Allow, Scope: "manifest", Rule: `allow fs.read "/ws/**"`, File: "p.json", Line: 5, On: "fs.read /ws/a", Why: "something else that the call does is judged more strictly"},
			{Verdict: policy.Allow, Scope: "project", Rule: "allow *", File: "q.json", Line: 1, On: "fs.read /ws/a", Why: "something else that the call does is judged more strictly"},
		},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if d := s.Decide(t.Context(), requestOf(t, "a.b fs.read=/ws/a")); d.Lost != nil {
		t.Errorf("Decide explains: %+v", d.Lost)
	}
}

func TestEver(t *testing.T) {
	for _, tc := range []struct{ policy, request, want, rule string }{
		{"deny a.b", "a.b", "deny", "deny a.b"},
		{"deny a.*", "a.b", "deny", "deny a.*"},
		{"allow a.b", "a.b", "allow", "allow a.b"},
		{"allow x.y", "a.b", "ask", "default"},
		{"deny a.b; allow a.b /env 'staging'", "a.b", "allow", "allow a.b"},
		{"deny a.b; allow a.* /env 'staging'", "a.b", "deny", "deny a.b"},
		{"deny a.b; allow a.b @ann", "a.b by ann", "allow", "allow a.b"},
		{"deny a.b; allow a.b @ann", "a.b by bob", "deny", "deny a.b"},
		{"allow a.b; deny a.b @agent", "a.b by agent", "deny", "deny a.b"},
		{"allow a.b; deny fs.write", "a.b fs.write=/ws/**~", "deny", "deny fs.write"},
		{"allow a.b; deny fs.write '/ws/secret/**'", "a.b fs.write=/ws/**~", "deny", "deny fs.write"},
		{"allow a.b; deny fs.write", "a.b fs.read=/ws/**~", "allow", "allow a.b"},
		{"allow a.b; deny shell.run 'rm:*'", "a.b shell.run='!rm x'", "deny", "deny shell.run"},
		{"allow fs.read", "a.b", "allow", "allow fs.read"},
	} {
		s := load(t, tc.policy)
		if d := s.Ever(t.Context(), requestOf(t, tc.request)); d.Verdict.String() != tc.want || !strings.HasPrefix(d.Rule, tc.rule) || d.Reason == "" || d.Revision == "" {
			t.Errorf("%s against %s: %s by %s (%s), want %s by %s", tc.request, tc.policy, d.Verdict, d.Rule, d.Reason, tc.want, tc.rule)
		}
	}
	s := loadFiles(t, policy.Options{}, file(t, policy.ScopeManifest, []string{"allow a.b"}), file(t, policy.ScopeProject, []string{"deny a.b"}))
	if d := s.Ever(t.Context(), requestOf(t, "a.b")); d.Verdict != policy.Deny || d.Scope != policy.ScopeProject {
		t.Errorf("a project's deny: %+v", d)
	}
	if d := s.Ever(t.Context(), policy.Request{}); d.Verdict != policy.Deny {
		t.Errorf("no tool: %+v", d)
	}
}

func TestPresets(t *testing.T) {
	const program = " shell.run='!/opt/x go'"
	for _, tc := range []struct{ preset, request, want string }{
		{"ask", "a.b", "ask"},
		{"ask", "a.b by ann", "ask"},
		{"workspace", "a.b" + program + " fs.read=/ws/**~ fs.write=/ws/**~ by agent", "allow"},
		{"workspace", "a.b" + program + " fs.write=/etc/x", "ask"},
		{"workspace", "a.b" + program + " fs.read=/etc/x", "ask"},
		{"workspace", "a.b fs.write=/ws/x", "allow"},
		{"workspace", "a.b net.fetch=example.com", "ask"},
		{"workspace", "a.b shell.run='ls'", "ask"},
		{"read-only", "a.b" + program + " fs.read=/ws/**~ by agent", "allow"},
		{"read-only", "a.b" + program + " fs.read=/ws/**~ fs.write=/ws/**~", "deny"},
		{"read-only", "a.b fs.read=/etc/passwd", "ask"},
		{"read-only", "a.b shell.run='ls > x'", "deny"},
		{"read-only", "a.b net.fetch=example.com", "ask"},
	} {
		f, err := policy.Preset(tc.preset)
		if err != nil {
			t.Fatal(err)
		}
		s, warnings, err := policy.Load([]policy.File{f}, policy.Options{Roots: roots})
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		if d := s.Decide(t.Context(), requestOf(t, tc.request)); d.Verdict.String() != tc.want || d.Scope != policy.ScopePreset {
			t.Errorf("%s: %s is %s by %s, want %s", tc.preset, tc.request, d.Verdict, d.Rule, tc.want)
		}
	}
	for _, name := range policy.Presets() {
		if _, err := policy.Preset(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := policy.Preset("readonly"); err == nil || !strings.Contains(err.Error(), "write preset:read-only") {
		t.Errorf("an unknown preset: %v", err)
	}
}
