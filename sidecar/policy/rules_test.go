package policy_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// rule is a line of the short form in which the tables write rules:
//
//	ACTION PERMISSION [/POINTER] ['PATTERN'] [@caller,caller]
//
// policyOf turns several of them, separated by semicolons outside of quotes, into a file.
func policyOf(t testing.TB, short string) []byte {
	t.Helper()
	var rules []string
	for _, line := range splitOutside(short, ';') {
		words := splitOutside(strings.TrimSpace(line), ' ')
		if len(words) < 2 {
			t.Fatalf("no rule: %q", line)
		}
		r := fmt.Sprintf(`{"action":%q,"permission":%q`, words[0], words[1])
		for _, w := range words[2:] {
			switch {
			case w == "":
			case w[0] == '\'':
				r += fmt.Sprintf(`,"pattern":%q`, strings.Trim(w, "'"))
			case w[0] == '/':
				r += fmt.Sprintf(`,"pointer":%q`, w)
			case w[0] == '@':
				r += fmt.Sprintf(`,"callers":["%s"]`, strings.ReplaceAll(w[1:], ",", `","`))
			default:
				t.Fatalf("what is %q in %q?", w, line)
			}
		}
		rules = append(rules, r+"}")
	}
	return []byte("{\"rules\":[\n" + strings.Join(rules, ",\n") + "\n]}")
}

func splitOutside(s string, at byte) []string {
	var out []string
	quoted, from := false, 0
	for i := range len(s) {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case s[i] == at && !quoted:
			out, from = append(out, s[from:i]), i+1
		}
	}
	return append(out, s[from:])
}

// requestOf reads the short form of a call:
//
//	TOOL [{arguments}] [CAPABILITY=value]... [by NAME|agent] [runs]
//
// A value that ends in ~ is declared, one that ends in ~~ is judged at each connection, and one that begins with ! is the tool's own program.
func requestOf(t testing.TB, short string) policy.Request {
	t.Helper()
	words := splitOutside(short, ' ')
	r := policy.Request{
		Tool: &manifest.Tool{}, Source: "manifest", Arguments: "{}", ContextID: "c1", Dir: "/ws",
	}
	r.Tool.Name = words[0]
	for i, w := range words[1:] {
		capability, value, found := strings.Cut(w, "=")
		value = strings.Trim(value, "'")
		switch {
		case strings.HasPrefix(w, "{"):
			r.Arguments = w
		case w == "by":
			if r.Caller = words[i+2]; r.Caller == "agent" {
				r.Caller, r.Agent = "ann", true
			}
		case w == "runs":
			r.Running = true
		case !found:
		default:
			u := policy.Use{Capability: policy.Capability(capability), Pointer: "/" + capability, Value: value}
			if v, ok := strings.CutSuffix(value, "~"); ok {
				u.Value, u.Declared, u.Pointer = v, true, ""
				u.Value, u.AtConnect = strings.CutSuffix(v, "~")
			}
			if v, ok := strings.CutPrefix(value, "!"); ok {
				u.Value, u.Pointer, u.Argv = v, "", strings.Fields(v)
				r.Tool.Bridge = manifest.Bridge{Kind: manifest.BridgeExec, Exec: &manifest.Exec{Command: u.Argv}}
			}
			r.Uses = append(r.Uses, u)
		}
	}
	return r
}

var roots = policy.Roots{"workspace": {"/ws"}, "user-data": {"/home/u/.data"}, "ad-hoc": nil}

func load(t testing.TB, short string) *policy.Set {
	t.Helper()
	return loadFiles(t, policy.Options{Roots: roots}, policy.File{Scope: policy.ScopeManifest, Name: "p.json", Data: policyOf(t, short)})
}

func loadFiles(t testing.TB, o policy.Options, files ...policy.File) *policy.Set {
	t.Helper()
	s, _, err := policy.Load(files, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// TestRules is the table of what rules mean. rule is the start of the name of the rule that
// decides, "" for the default.
func TestRules(t *testing.T) {
	for _, tc := range ruleCases() {
		t.Run(strings.ReplaceAll(tc.name, "/", "∕"), func(t *testing.T) {
			d := load(t, tc.policy).Explain(t.Context(), requestOf(t, tc.request))
			if d.Verdict.String() != tc.want {
				t.Errorf("%s\nagainst %s\nis %s by %q (%s), want %s; lost: %+v", tc.request, tc.policy, d.Verdict, d.Rule, d.Reason, tc.want, d.Lost)
			}
			if tc.rule == "" && d.Line != 0 || !strings.HasPrefix(d.Rule, tc.rule) {
				t.Errorf("decided by %q (line %d), want %q", d.Rule, d.Line, tc.rule)
			}
			if d.Reason == "" || d.Rule == "" || d.Kind == "" || d.Scope != policy.ScopeManifest || d.Revision == "" || filepath.Base(d.File) != "p.json" && d.Line > 0 {
				t.Errorf("a decision names its rule, reason, kind, scope, place and revision: %+v", d)
			}
		})
	}
	if n := len(ruleCases()); n < 80 {
		t.Errorf("%d cases, want at least 80", n)
	}
}

type ruleCase struct{ name, policy, request, want, rule string }
