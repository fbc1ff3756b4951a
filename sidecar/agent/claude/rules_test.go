package claude

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func TestImportRules(t *testing.T) {
	settings := `{"model": "x", "permissions": {
		"allow": ["Bash(npm run lint)"],
		"ask": ["Bash(git push:*)", "WebFetch"],
		"deny": ["Bash(curl *)", "Bash(rm)", "Bash(ls*)", "Bash(git * main)", "Read(./.env)", "Read(./secrets/**)", "Read(.npmrc)", "Read(~/.ssh/**)", "Read(//etc/shadow)",
			"Edit(/docs/)", "WebFetch(domain:*.evil.com)", "WebFetch(x)", "mcp__git-hub__create_issue", "mcp__db", "Task(x)", "Bash(", "Bash(a && b)"],
		"defaultMode": "plan"}}`
	data, left, err := importRules("settings.json", []byte(settings), "/home/u")
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "p.json", Data: data}}, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range s.Rules() {
		names = append(names, r.Name())
		if !strings.HasPrefix(r.Reason, "as in Claude Code: ") {
			t.Errorf("%s has the reason %q", r.Name(), r.Reason)
		}
	}
	want := []string{
		`ask shell.run "git push:*"`, `ask net.fetch`, `deny shell.run "curl:*"`, `deny shell.run "rm"`, `deny shell.run "ls*:*"`,
		`deny fs.read "{workspace}/.env"`, `deny fs.read "{workspace}/.env/**"`, `deny fs.read "{workspace}/secrets/**"`,
		`deny fs.read "{workspace}/**/.npmrc"`, `deny fs.read "{workspace}/**/.npmrc/**"`, `deny fs.read "/home/u/.ssh/**"`, `deny fs.read "/etc/shadow"`, `deny fs.read "/etc/shadow/**"`,
		`deny fs.write "{workspace}/docs"`, `deny fs.write "{workspace}/docs/**"`, `deny net.fetch "*.evil.com"`, `deny git_hub.create_issue`, `deny db.*`,
	}
	if !slices.Equal(names, want) {
		t.Errorf("rules\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
	for _, what := range []string{"allow Bash(npm run lint)", "deny Bash(git * main)", "deny WebFetch(x)", "deny Task(x)", "deny Bash(", "deny Bash(a && b)", "defaultMode"} {
		if !slices.ContainsFunc(left, func(s string) bool { return strings.HasPrefix(s, what+": ") }) {
			t.Errorf("%s is not told of: %q", what, left)
		}
	}
	if len(left) != 7 {
		t.Errorf("left out: %q", left)
	}
	if _, left, _ := importRules("s", []byte(`{"permissions":{"deny":["Read(~/x)"]}}`), ""); len(left) != 1 {
		t.Errorf("a home that is not known: %q", left)
	}
}

func TestImportRulesRefuses(t *testing.T) {
	for data, want := range map[string]string{`{`: "s.json:1:2", `{}`: "holds no permissions", `{"permissions":[]}`: "holds no permissions"} {
		if _, _, err := importRules("s.json", []byte(data), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", data, err, want)
		}
	}
}
