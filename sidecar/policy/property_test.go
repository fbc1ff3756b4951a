package policy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// drawn makes rules and calls that often meet: everything is drawn from a few words.
type drawn struct{ *rand.Rand }

func (r drawn) of(words ...string) string { return words[r.IntN(len(words))] }

func (r drawn) rule() string {
	s := r.of("allow", "allow", "ask", "deny") + " "
	switch r.IntN(6) {
	case 0:
		s += "*"
	case 1:
		s += r.of("a.*", "a.b.*")
	case 2:
		s += r.of("fs.read", "fs.write") + r.of("", " '/ws/**'", " '/ws/x/**'", " '**/s'", " '{workspace}/x/s'", " '**'", " /p '/ws/**'")
	case 3:
		s += "net.fetch" + r.of("", " '*.ex.com'", " 'a.ex.com'", " '*'", " '10.0.0.0/8'")
	case 4:
		s += "shell.run" + r.of("", " 'git:*'", " 'git push:*'", " 'git push'", " 'rm:*'", " 'git *'", " '/opt/t:*'")
	default:
		s += r.of("a.x", "a.b.y") + r.of("", "", " /e 'p*'", " /e 'prod'", " /n", " '/ws/**'", " 'git push:*'")
	}
	return s + r.of("", "", " @ann", " @agent", " @anonymous,ann")
}

func (r drawn) rules(most int) []string {
	out := make([]string, 1+r.IntN(most))
	for i := range out {
		out[i] = r.rule()
	}
	return out
}

func (r drawn) request(t *testing.T) policy.Request {
	s := r.of("a.x", "a.b.y", "c.z") + r.of("", ` {"e":"prod"}`, ` {"e":"p2","n":1}`)
	for range r.IntN(3) {
		s += r.of(" fs.read=", " fs.write=") + r.of("/ws/x/s", "/ws/a", "/etc/s", "/ws/**~", "/ws/x/**~")
	}
	s += r.of("", "", " net.fetch=a.ex.com", " net.fetch=10.1.1.1:80", " net.fetch=*.ex.com~")
	s += r.of("", "", " shell.run='git push'", " shell.run='git push x; git log'", " shell.run='git $(rm x)'", " shell.run='!/opt/t go'", " shell.run='env git push > /ws/x/s'", " shell.run='git:*~'")
	s += r.of("", " by ann", " by bob", " by agent")
	q := requestOf(t, s)
	for i := range q.Uses {
		if q.Uses[i].Pointer == "/fs.read" {
			q.Uses[i].Pointer = r.of("/p", "/p/0", "/q")
		}
	}
	return q
}

func file(t testing.TB, scope string, rules []string) policy.File {
	return policy.File{Scope: scope, Name: "p.json", Data: policyOf(t, strings.Join(rules, ";"))}
}

// each runs a check on many drawn policies and calls.
func each(t *testing.T, check func(t *testing.T, r drawn, rules []string, q policy.Request)) {
	for seed := range uint64(2000) {
		r := drawn{rand.New(rand.NewPCG(seed, 7))}
		rules, q := r.rules(7), r.request(t)
		check(t, r, rules, q)
		if t.Failed() {
			t.Fatalf("seed %d: %q\nagainst %q", seed, describe(q), rules)
		}
	}
}

func describe(q policy.Request) string {
	return fmt.Sprintf("%s %s %+v by %q agent %v", q.Tool.Name, q.Arguments, q.Uses, q.Caller, q.Agent)
}

func TestOtherScopesNeverLoosenADeny(t *testing.T) {
	var denied, lifted, tightened int
	each(t, func(t *testing.T, r drawn, rules []string, q policy.Request) {
		operator := file(t, policy.ScopeManifest, rules)
		project := file(t, policy.ScopeProject, r.rules(5))
		session := policy.NewSession(10)
		alone := loadFiles(t, policy.Options{Roots: roots}, operator).Decide(t.Context(), q).Verdict
		strict := loadFiles(t, policy.Options{Roots: roots}, operator, project).Decide(t.Context(), q).Verdict
		trusted := loadFiles(t, policy.Options{Roots: roots, TrustProject: true, Session: session}, operator, project)
		loose := trusted.Decide(t.Context(), q).Verdict
		q.Key = "k"
		if !session.Remember(q.ContextID, q.Key) {
			t.Error("nothing is remembered")
		}
		answered := trusted.Decide(t.Context(), q).Verdict
		switch {
		case alone == policy.Deny && (strict != policy.Deny || loose != policy.Deny || answered != policy.Deny):
			t.Errorf("a deny of the operator became %s, %s, %s", strict, loose, answered)
		case strict > alone:
			t.Errorf("a project that is not trusted made %s %s", alone, strict)
		case loose > alone && alone != policy.Ask:
			t.Errorf("a trusted project made %s %s", alone, loose)
		case loose == policy.Ask && answered != policy.Allow, loose != policy.Ask && answered != loose:
			t.Errorf("an answer made %s %s", loose, answered)
		}
		if alone == policy.Deny {
			denied++
		}
		if loose > alone {
			lifted++
		}
		if strict < alone {
			tightened++
		}
	})
	if denied < 50 || lifted < 10 || tightened < 50 {
		t.Errorf("the calls that were drawn prove little: %d denied, %d lifted, %d made stricter", denied, lifted, tightened)
	}
}

func TestTheOrderOfRulesDoesNotMatter(t *testing.T) {
	each(t, func(t *testing.T, r drawn, rules []string, q policy.Request) {
		want := loadFiles(t, policy.Options{Roots: roots}, file(t, policy.ScopeManifest, rules)).Decide(t.Context(), q)
		other := slices.Clone(rules)
		r.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		got := loadFiles(t, policy.Options{Roots: roots}, file(t, policy.ScopeManifest, other)).Decide(t.Context(), q)
		if got.Verdict != want.Verdict || got.Reason != want.Reason {
			t.Errorf("%s by %s, and in another order %s by %s", want.Verdict, want.Rule, got.Verdict, got.Rule)
		}
	})
}

func TestOneDenyMoreNeverLoosens(t *testing.T) {
	each(t, func(t *testing.T, r drawn, rules []string, q policy.Request) {
		before := loadFiles(t, policy.Options{Roots: roots}, file(t, policy.ScopeManifest, rules)).Decide(t.Context(), q).Verdict
		_, more, _ := strings.Cut(r.rule(), " ")
		after := loadFiles(t, policy.Options{Roots: roots}, file(t, policy.ScopeManifest, append(slices.Clone(rules), "deny "+more))).Decide(t.Context(), q).Verdict
		if after > before {
			t.Errorf("deny %s makes %s %s", more, before, after)
		}
	})
}

// TestWhatIsListedAsNeverIsNeverAllowed: list time and call time agree.
func TestWhatIsListedAsNeverIsNeverAllowed(t *testing.T) {
	never := 0
	each(t, func(t *testing.T, r drawn, rules []string, q policy.Request) {
		files := []policy.File{file(t, policy.ScopeManifest, rules), file(t, policy.ScopeProject, r.rules(2))}[:1+r.IntN(2)]
		s := loadFiles(t, policy.Options{Roots: roots, TrustProject: r.IntN(2) == 0}, files...)
		static := q
		static.Uses = slices.DeleteFunc(slices.Clone(q.Uses), func(u policy.Use) bool { return u.Pointer != "" })
		d := s.Ever(t.Context(), static)
		got := s.Decide(t.Context(), q)
		if got.Verdict > d.Verdict && !(d.Verdict == policy.Ask) {
			t.Errorf("listed as %s by %s, and then %s by %s", d.Verdict, d.Rule, got.Verdict, got.Rule)
		}
		if d.Reason == "" {
			t.Errorf("no reason: %+v", d)
		}
		if d.Verdict == policy.Deny {
			never++
		}
	})
	if never < 50 {
		t.Errorf("%d of the tools that were drawn are never allowed: that proves little", never)
	}
}

// TestOneCommandMoreIsNeverAllowed: whatever line is allowed by rules for its commands,
// it is not with a command that no rule allows, wherever that stands.
func TestOneCommandMoreIsNeverAllowed(t *testing.T) {
	s := load(t, "allow shell.run 'git:*'; allow shell.run 'ls:*'; allow shell.run 'echo *'; allow shell.run 'find:*'; allow shell.run 'xargs:*'; allow shell.run 'sh:*'; allow shell.run 'env:*'; allow fs.write '/ws/**'; allow fs.read '/ws/**'")
	words := []string{"git", "ls", "echo", "find", "xargs", "sh", "env", "-c", "push", "a", "'b c'", "\"$X\"", "$X", ".", "-exec", "{}", "\\;", "+", ";", "&&", "|", "||", "(", ")", ">", "<", "out", "timeout", "5", "\n", "!", "if", "then", "fi", "'ls'", "\"ls; ls\"", "\\", "#", "{", "}", "2>&1"}
	allowed := 0
	for seed := range uint64(12000) {
		r := drawn{rand.New(rand.NewPCG(seed, 11))}
		var line []string
		for range 1 + r.IntN(7) {
			line = append(line, r.of(words...))
		}
		source := strings.Join(line, " ")
		if decideLine(t, s, source) != policy.Allow {
			continue
		}
		allowed++
		for _, more := range []string{source + "\nrm -rf x", source + "; rm -rf x", "rm -rf x; " + source, source + " | rm -rf x", "(" + source + "\n) && rm -rf x", source + " $(rm -rf x)", "env rm -rf x; " + source, "sh -c 'rm -rf x'\n" + source} {
			if decideLine(t, s, more) == policy.Allow && !commentedOut(source, more) {
				t.Fatalf("seed %d: %q is allowed because %q is", seed, more, source)
			}
		}
	}
	if allowed < 300 {
		t.Errorf("%d lines were allowed: that proves little", allowed)
	}
}

// commentedOut reports whether what was added stands in a comment or is an argument of an
// escaped semicolon.
func commentedOut(source, more string) bool {
	return strings.Contains(source, "#") && !strings.Contains(more, "\nrm") && !strings.HasPrefix(more, "rm") || strings.HasSuffix(source, `\`)
}

func decideLine(t *testing.T, s *policy.Set, source string) policy.Verdict {
	return s.Decide(t.Context(), policy.Request{
		Tool: &manifest.Tool{Name: "x.sh"}, Arguments: "{}", Dir: "/ws",
		Uses: []policy.Use{{Capability: policy.ShellRun, Pointer: "/c", Value: source}},
	}).Verdict
}
