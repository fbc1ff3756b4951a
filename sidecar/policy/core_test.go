package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// coreCall returns a call of a tool of the sidecar's own that uses something, as requestOf has it.
func coreCall(t *testing.T, one *manifest.Tool, uses string) policy.Request {
	t.Helper()
	r := requestOf(t, strings.TrimSpace(one.Name+" "+uses))
	r.Tool, r.Source, r.Roots = one, one.Source(), roots
	return r
}

// reading are the IDs of the tools that change nothing, run nothing and fetch nothing.
func reading() []string {
	return []string{"read", "glob", "grep", "todo", "question", "skill", "tool_search"}
}

// The sidecar's own tools are told apart by what their definitions say, and each falls where it belongs.
func TestBuiltInOfEachOwnTool(t *testing.T) {
	for _, one := range tool.All() {
		direct, agent := policy.Ask, policy.Ask
		if slices.Contains(reading(), one.ID) {
			direct, agent = policy.Allow, policy.Allow
		}
		for _, c := range []struct {
			by   string
			want policy.Verdict
		}{{"", direct}, {"by ann", direct}, {"by agent", agent}} {
			d := policy.BuiltIn().Decide(t.Context(), coreCall(t, one.Definition, c.by))
			if d.Verdict != c.want || d.Reason == "" || d.Scope != policy.ScopeBuiltIn {
				t.Errorf("%s %s: %s by %s (%s), want %s", one.ID, c.by, d.Verdict, d.Rule, d.Reason, c.want)
			}
		}
	}
}

func TestBuiltInOfOwnTools(t *testing.T) {
	define := func(kind string, effects manifest.Effects) *manifest.Tool {
		one, err := manifest.Define(manifest.Definition{
			Name: "core.x", Description: "d", InputSchema: []byte(`{"type":"object"}`), Kind: kind, Effects: effects, Requires: &manifest.Requires{}, Core: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return one
	}
	for _, c := range []struct {
		kind          string
		effects       manifest.Effects
		uses          string
		direct, agent policy.Verdict
	}{
		{"read", manifest.EffectsRead, "", policy.Allow, policy.Allow},
		{"read", manifest.EffectsRead, "fs.read=/ws/a", policy.Allow, policy.Allow},
		{"read", manifest.EffectsRead, "fs.read=/ws", policy.Allow, policy.Allow},
		{"read", manifest.EffectsRead, "fs.read=/wsx", policy.Allow, policy.Ask},
		{"read", manifest.EffectsRead, "fs.read=/ws/a fs.read=/etc/passwd", policy.Allow, policy.Ask},
		{"search", manifest.EffectsRead, "fs.read=/ws/**~", policy.Allow, policy.Allow},
		{"search", manifest.EffectsRead, "fs.read=/**~", policy.Allow, policy.Ask},
		{"read", manifest.EffectsRead, "fs.write=/ws/a", policy.Ask, policy.Ask},
		{"read", manifest.EffectsRead, "net.fetch=example.com", policy.Ask, policy.Ask},
		{"read", manifest.EffectsRead, "shell.run='ls'", policy.Ask, policy.Ask},
		{"think", manifest.EffectsWrite, "", policy.Ask, policy.Ask},
		{"fetch", manifest.EffectsRead, "", policy.Ask, policy.Ask},
		{"execute", manifest.EffectsRead, "", policy.Ask, policy.Ask},
		{"edit", manifest.EffectsRead, "", policy.Ask, policy.Ask},
	} {
		one := define(c.kind, c.effects)
		direct := policy.BuiltIn().Decide(t.Context(), coreCall(t, one, c.uses))
		agent := policy.BuiltIn().Decide(t.Context(), coreCall(t, one, c.uses+" by agent"))
		if direct.Verdict != c.direct || agent.Verdict != c.agent {
			t.Errorf("%s %s %s: %s (%s) directly and %s (%s) by the agent, want %s and %s", c.kind, c.effects, c.uses,
				direct.Verdict, direct.Reason, agent.Verdict, agent.Reason, c.direct, c.agent)
		}
	}
	doubted := coreCall(t, define("read", manifest.EffectsRead), "fs.read=/ws/a by agent")
	doubted.Uses[0].Doubt = "a link"
	if d := policy.BuiltIn().Decide(t.Context(), doubted); d.Verdict != policy.Ask {
		t.Errorf("what is doubted: %s (%s)", d.Verdict, d.Reason)
	}
}

// In rules the ID and the canonical name are one tool; a capability's or another tool's name stays.
func TestAnIDIsTheCanonicalName(t *testing.T) {
	one := tool.All()[0]
	for _, c := range []struct{ rules, want, rule string }{
		{"deny ID", "deny", "deny core.ID"},
		{"deny core.ID", "deny", "deny core.ID"},
		{"allow core.*; deny ID", "deny", "deny core.ID"},
		{"deny core.*; allow ID", "allow", "allow core.ID"},
		{"deny ID; allow core.ID", "deny", "deny core.ID"},
		{"deny acme.ID", "ask", "default"},
	} {
		named := func(s string) string { return strings.ReplaceAll(s, "ID", one.ID) }
		s := load(t, named(c.rules))
		r := coreCall(t, one.Definition, "")
		d, ever := s.Explain(t.Context(), r), s.Ever(t.Context(), r)
		if d.Verdict.String() != c.want || ever.Verdict.String() != c.want || !strings.HasPrefix(d.Rule, named(c.rule)) {
			t.Errorf("%s: %s by %s (ever %s), want %s by %s", named(c.rules), d.Verdict, d.Rule, ever.Verdict, c.want, named(c.rule))
		}
	}
	if all := load(t, "deny "+one.ID+" /x").Pointers("core." + one.ID); !slices.Equal(all, []string{"/x"}) {
		t.Errorf("the audit looks at %q", all)
	}
}

// What each preset says of each of the sidecar's own tools, with a use such as its calls have.
func TestPresetsOfOwnTools(t *testing.T) {
	uses := map[string]string{
		"read": "fs.read=/ws/a", "write": "fs.write=/ws/a", "edit": "fs.read=/ws/a fs.write=/ws/a", "glob": "fs.read=/ws", "grep": "fs.read=/ws", "bash": "shell.run='ls'",
		"background": "shell.run='ls'", "web_fetch": "net.fetch=example.com", "apply_patch": "fs.write=/ws/a",
	}
	says := map[string]map[string]string{
		"ask":       {},
		"workspace": {"bash": "ask", "background": "ask", "web_fetch": "ask", "web_search": "ask", "task": "ask"},
		"read-only": {"write": "deny", "edit": "deny", "apply_patch": "deny", "bash": "ask", "background": "ask", "web_fetch": "ask", "web_search": "ask", "task": "ask"},
	}
	for _, preset := range policy.Presets() {
		f, err := policy.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		s := loadFiles(t, policy.Options{Roots: roots}, f)
		for _, one := range tool.All() {
			want := says[preset][one.ID]
			switch {
			case preset == "ask":
				want = "ask"
			case want == "":
				want = "allow"
			}
			for _, by := range []string{"", " by agent"} {
				if d := s.Decide(t.Context(), coreCall(t, one.Definition, uses[one.ID]+by)); d.Verdict.String() != want {
					t.Errorf("%s: %s%s is %s by %s, want %s", preset, one.ID, by, d.Verdict, d.Rule, want)
				}
			}
		}
	}
}
