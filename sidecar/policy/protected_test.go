package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// TestProtectedPaths: rules that allow everything do not let a call write a protected path. rule is the path's pattern,
// "" for a path that may be written.
func TestProtectedPaths(t *testing.T) {
	o := policy.Options{Roots: roots, Protection: policy.Protection{
		Anywhere: []string{".bot", ".bot2/hooks"}, Home: "/home/u", Places: []string{"/repos/x"}, Except: []string{"/ws/free/.bot", "/ws/.envrc"},
	}}
	set := loadFiles(t, o, file(t, policy.ScopeManifest, []string{"allow *", "allow fs.write '/**'", "allow shell.run"}))
	for _, tc := range []struct{ request, rule string }{
		{"a.b fs.write=/ws/main.go", ""},
		{"a.b fs.write=/ws/.git/hooks/pre-commit", ".git"},
		{"a.b fs.write=/ws/sub/module/.git/config", ".git"},
		{"a.b fs.write=/ws/.git", ".git"},
		{"a.b fs.write=/ws/.gitignore", ""},
		{"a.b fs.write=/ws/.github/workflows/ci.yml", ""},
		{"a.b fs.write=/ws/bare.git/hooks/update", "*.git/hooks"},
		{"a.b fs.write=/ws/bare.git/notes", ""},
		{"a.b fs.write=/ws/.GIT/Hooks/pre-commit", ".git"},
		{"a.b fs.write=/ws/.g\u200cit/hooks/pre-commit", ".git"},
		{"a.b fs.write=/ws/.git\ufe0f/hooks/pre-commit", ".git"},
		{"a.b fs.write=/ws/.\u034fgit/hooks/pre-commit", ".git"},
		{"a.b fs.write=/ws/.\u3164git/hooks/pre-commit", ".git"},
		{"a.b fs.write=/ws/.git./hooks/pre-commit", ".git"},
		{"a.b fs.write=/ws/sub/.envrc..", ".envrc"},
		{"a.b fs.write=/ws/.../x", ""},
		{"a.b fs.write=/home/u/.\u00dfh/authorized_keys", "~/.ssh"},
		{"a.b fs.write=/home/u/.con\ufb01g/git/config", "~/.config/git"},
		{"a.b fs.write=/ws/.hg/hgrc", ".hg"},
		{"a.b fs.write=/ws/.jj/repo/config.toml", ".jj"},
		{"a.b fs.write=/ws/.kiro/settings/mcp.json", ".kiro"},
		{"a.b fs.write=/ws/my.code-workspace", "*.code-workspace"},
		{"a.b fs.write=/ws/.\u017fidecar/policy.json", ".sidecar"},
		{"a.b fs.write=/ws/.sidecar/policy.json", ".sidecar"},
		{"a.b fs.write=/ws/.sidecar", ".sidecar"},
		{"a.b fs.write=/ws/.spring/bridge/tasks.db", ".spring/bridge"},
		{"a.b fs.write=/ws/.spring/notes", ""},
		{"a.b fs.write=/ws/.mcp.json", ".mcp.json"},
		{"a.b fs.write=/ws/.vscode/tasks.json", ".vscode/tasks.json"},
		{"a.b fs.write=/ws/.vscode/words.txt", ""},
		{"a.b fs.write=/ws/.husky/pre-push", ".husky"},
		{"a.b fs.write=/ws/.bot/x", ".bot"},
		{"a.b fs.write=/ws/.bots", ""},
		{"a.b fs.write=/ws/.bot2/x", ""},
		{"a.b fs.write=/ws/.bot2/hooks/x", ".bot2/hooks"},
		{"a.b fs.write=/ws/free/.bot/x", ""},
		{"a.b fs.write=/ws/.envrc", ""},
		{"a.b fs.write=/ws/sub/.envrc", ".envrc"},
		{"a.b fs.write=/home/u/.bashrc", "~/.bashrc"},
		{"a.b fs.write=/ws/.bashrc", ""},
		{"a.b fs.write=/home/u/.config/git/config", "~/.config/git"},
		{"a.b fs.write=/repos/x/hooks/post-merge", "a directory of git's"},
		{"a.b fs.read=/ws/.git/config", ""},
		{"a.b fs.write=/ws/~", ""},            // declared
		{"a.b fs.write=/ws/.sidecar/**~", ""}, // declared: what a tool requires is in the image
		{"a.b fs.write=/ws/ok fs.write=/ws/.git/config", ".git"},
		{"agent.edit fs.write=/ws/.bot/x by agent", ".bot"},
		{"agent.execute shell.run='echo x > .git/hooks/pre-commit' by agent", ".git"},
		{"agent.execute shell.run='cd sub; echo x >> .bot/x' by agent", ".bot"},
		{"agent.execute shell.run='cat < .git/config' by agent", ""},
		{"agent.execute shell.run='git config a.b c' by agent", ""}, // what a program does is not seen
	} {
		t.Run(strings.ReplaceAll(tc.request, "/", "∕"), func(t *testing.T) {
			for name, d := range map[string]policy.Decision{
				"decided": set.Decide(t.Context(), requestOf(t, tc.request)), "explained": set.Explain(t.Context(), requestOf(t, tc.request)),
			} {
				denied := d.Verdict == policy.Deny && d.Scope == policy.ScopeBuiltIn && d.Rule == policy.ProtectedRule+tc.rule
				if tc.rule != "" && !denied || tc.rule == "" && d.Verdict == policy.Deny {
					t.Errorf("%s: %s by %q of %q", name, d.Verdict, d.Rule, d.Scope)
				}
				if tc.rule != "" && (!strings.Contains(d.Reason, tc.rule) || d.Revision == "") {
					t.Errorf("%s: the reason %q, revision %q", name, d.Reason, d.Revision)
				}
			}
		})
	}
}

// TestProtectedByEitherName: a link at a protected name leads elsewhere, and one elsewhere leads to a protected path.
func TestProtectedByEitherName(t *testing.T) {
	set := load(t, "allow *; allow fs.write '/**'")
	r := policy.Request{Tool: &manifest.Tool{Name: "a.b"}, Arguments: "{}", Uses: []policy.Use{{Capability: policy.FSWrite, Pointer: "/p", Value: "/ws/dots/hooks/x", Written: "/ws/.git/hooks/x"}}}
	if d := set.Decide(t.Context(), r); d.Rule != policy.ProtectedRule+".git" {
		t.Errorf("by its written name: %+v", d)
	}
	r.Uses[0].Value, r.Uses[0].Written = r.Uses[0].Written, r.Uses[0].Value
	if d := set.Decide(t.Context(), r); d.Rule != policy.ProtectedRule+".git" {
		t.Errorf("by its resolved name: %+v", d)
	}
}

// TestProtectedIsFinal: neither a person's answer, nor the trusted project, nor a start without any file lifts it, and an
// explanation names the rules that lost.
func TestProtectedIsFinal(t *testing.T) {
	session := policy.NewSession(1)
	session.Remember("c1", "k")
	r := requestOf(t, "a.b fs.write=/ws/.sidecar/policy.json")
	r.Key = "k"
	for name, files := range map[string][]policy.File{
		"no file": nil, "the project": {file(t, policy.ScopeProject, []string{"allow *"})},
		"the operator asks": {file(t, policy.ScopeManifest, []string{"ask a.b"})},
	} {
		set := loadFiles(t, policy.Options{Roots: roots, Session: session, TrustProject: true}, files...)
		if d := set.Decide(t.Context(), r); d.Rule != policy.ProtectedRule+".sidecar" || d.Verdict != policy.Deny {
			t.Errorf("%s: %s by %s", name, d.Verdict, d.Rule)
		}
	}
	d := load(t, "allow fs.write '/ws/.sidecar/**'").Explain(t.Context(), r)
	if len(d.Lost) != 1 || d.Lost[0].Why != "a protected path is final" {
		t.Errorf("the rules that lost: %+v", d.Lost)
	}
}

// TestProtectedFromTheAuthor: what stands in the definition of an exec tool is not denied, and what a call puts into its
// command is.
func TestProtectedFromTheAuthor(t *testing.T) {
	set := load(t, "allow *; allow fs.write '/**'; allow shell.run")
	run := func(written, argv []string) policy.Decision {
		return set.Decide(t.Context(), policy.Request{
			Tool:      &manifest.Tool{Name: "a.b", Bridge: manifest.Bridge{Kind: manifest.BridgeExec, Exec: &manifest.Exec{Command: written}}},
			Arguments: "{}", Dir: "/ws", Uses: []policy.Use{{Capability: policy.ShellRun, Value: strings.Join(argv, " "), Argv: argv}},
		})
	}
	line := []string{"sh", "-c", "echo x > .git/hooks/pre-commit"}
	if d := run(line, line); d.Verdict == policy.Deny {
		t.Errorf("the author's line: %s by %q", d.Verdict, d.Rule)
	}
	for _, given := range []string{"> .git/hooks/pre-commit", "echo x > .git/hooks/pre-commit"} {
		if d := run([]string{"sh", "-c", "{line}"}, []string{"sh", "-c", given}); d.Rule != policy.ProtectedRule+".git" {
			t.Errorf("%q of the call: %s by %q", given, d.Verdict, d.Rule)
		}
	}
}

// TestRedirectionThroughLinks: what a line writes by a link counts by both names; where that leads is asked when the rules are.
func TestRedirectionThroughLinks(t *testing.T) {
	set := load(t, "allow *; allow shell.run; allow fs.write '{workspace}/**'; deny fs.write '{workspace}/secrets/**'")
	leads := func(path string) (string, error) {
		switch path {
		case "/ws/sub/../x", "/ws/x", "/ws/.git/x":
			return strings.Replace(path, "/sub/..", "", 1), nil
		case "/ws/hooks/pre-commit":
			return "/ws/.git/hooks/pre-commit", nil
		case "/ws/notes":
			return "/ws/secrets/notes", nil
		case "/ws/dir/../x":
			return "/ws/.husky/x", nil
		case "/ws/out":
			return "/etc/out", nil
		}
		return "", errors.New("it has too many links")
	}
	for line, want := range map[string]policy.Verdict{
		"echo x > x": policy.Allow, "echo x > sub/../x": policy.Allow, "echo x > hooks/pre-commit": policy.Deny, "echo x > notes": policy.Deny,
		"echo x > dir/../x": policy.Deny, "echo x > out": policy.Ask, "echo x > loop": policy.Ask, "echo x > .git/x": policy.Deny,
	} {
		r := policy.Request{Tool: &manifest.Tool{Name: "a.b"}, Arguments: "{}", Dir: "/ws", Roots: roots, Leads: leads, Uses: []policy.Use{{Capability: policy.ShellRun, Pointer: "/p", Value: line}}}
		if d := set.Decide(t.Context(), r); d.Verdict != want {
			t.Errorf("%s: %s by %q (%s), want %s", line, d.Verdict, d.Rule, d.Reason, want)
		}
	}
}
