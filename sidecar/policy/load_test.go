package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func operator(data string) policy.File {
	return policy.File{Scope: policy.ScopeManifest, Name: "p.json", Data: []byte(data)}
}

// TestFaults: every fault of a file is told at once, where it stands and with its fix.
func TestFaults(t *testing.T) {
	_, _, err := policy.Load([]policy.File{operator(`{
  "rule": [],
  "requires": {"fs": {"reads": []}},
  "redact": {"patterns": ["("], "environment": ["A=b"], "secrets": 1},
  "approvers": ["agent"],
  "rules": [
    {"permision": "a.b", "action": "deny"},
    {"permission": "Acme", "action": "dney"},
    {"permission": "a*", "action": "deny", "pointer": "env"},
    {"permission": "fs.read", "pattern": "/srv/[", "action": "allow"},
    {"permission": "fs.read", "pattern": "{workspac}/**", "action": "allow"},
    {"permission": "net.fetch", "pattern": "a.*.x*.com", "action": "allow"},
    {"permission": "shell.run", "pattern": "git 'x", "action": "allow"},
    {"permission": "a.b", "action": "allow", "pattern": ""},
    {"permission": "fs.read", "pattern": "/a/**/b/**/c/**/d/**/e/**", "action": "allow"},
    7
  ]
}`)}, policy.Options{})
	var faults jsontree.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("%v", err)
	}
	want := []string{
		`p.json:2:3: /rule: the key "rule" is unknown here; hint: write "rules"`,
		`p.json:3:23: /requires/fs/reads: the key "reads" is unknown here; hint: write "read"`,
		"p.json:4:27: /redact/patterns/0: is not a pattern that can be redacted: error parsing regexp: missing closing ): `(`",
		`p.json:4:49: /redact/environment/0: holds names of variables, not values; hint: write "A"`,
		`p.json:4:68: /redact/secrets: must be true or false, not a number`,
		`p.json:5:17: /approvers/0: the agent cannot approve its own calls; hint: name callers`,
		`p.json:7:5: /rules/0: "permission" is missing; hint: add "permission"`,
		`p.json:7:6: /rules/0/permision: the key "permision" is unknown here; hint: write "permission"`,
		`p.json:8:20: /rules/1/permission: "Acme" is no permission; hint: write a tool ("acme.echo", "bash"), a namespace ("acme.*"), a capability ("fs.read", "fs.write", "net.fetch", "shell.run") or "*"`,
		`p.json:8:38: /rules/1/action: must be "allow", "deny" or "ask", not "dney"; hint: write "deny"`,
		`p.json:9:20: /rules/2/permission: "a*" is no permission; hint: write a tool ("acme.echo", "bash"), a namespace ("acme.*"), a capability ("fs.read", "fs.write", "net.fetch", "shell.run") or "*"`,
		`p.json:9:55: /rules/2/pointer: "env" is not a JSON pointer; hint: write "/env"`,
		`p.json:10:42: /rules/3/pattern: "/srv/[" is not a pattern; hint: close its brackets, or write a backslash before what is meant as it is`,
		`p.json:11:42: /rules/4/pattern: "{workspac}/**" has the variable {workspac}, which is unknown; hint: write {workspace}`,
		`p.json:12:44: /rules/5/pattern: "a.*.x*.com" has a * that is only a part of a label: a * stands for a whole one; hint: write a host, as in api.example.com, *.example.com or 10.0.0.0/8`,
		`p.json:13:44: /rules/6/pattern: "git 'x" has a quote without an end; hint: close it`,
		`p.json:14:57: /rules/7/pattern: is empty; hint: leave it out`,
		`p.json:15:42: /rules/8/pattern: "/a/**/b/**/c/**/d/**/e/**" has more wildcards than can be matched quickly; hint: write several rules`,
		`p.json:16:5: /rules/9: must be an object, not a number`,
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), faults.Error()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestFaultsOfWholeFiles(t *testing.T) {
	for data, want := range map[string]string{
		``:                                   "p.json:1:1: ",
		`[]`:                                 "p.json:1:1: must be an object, not an array",
		`{}`:                                 `"rules" is missing`,
		`{"rules":{}}`:                       "must be an array of rules",
		`{"rules":[],"rules":[]}`:            "is here twice",
		`{"rules":[],}`:                      "a comma before",
		strings.Repeat(" ", 1<<20) + "{}  ":  "larger than 1 MiB",
		`{"rules":[],"redact":[]}`:           "must be an object",
		`{"rules":[],"approvers":"ann"}`:     "must be an array of strings",
		`{"rules":[],"approvers":["*"]}`:     "approvers are named one by one",
		`{"rules":[` + many(2001) + `]}`:     "more than 2000 rules",
		`{"rules":[],"requires":{"net":[]}}`: "/requires/net",
	} {
		if _, _, err := policy.Load([]policy.File{operator(data)}, policy.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", data, err, want)
		}
	}
}

func many(n int) string {
	return strings.TrimSuffix(strings.Repeat(`{"permission":"*","action":"ask"},`, n), ",")
}

// TestWarnings: rules that can never match, and how that is told.
func TestWarnings(t *testing.T) {
	tools, _, err := manifest.Parse("tools.json", []byte(`[{"name":"acme.deploy","description":"d","inputSchema":{"type":"object"}}]`), manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ scope, rules, want string }{
		{policy.ScopeManifest, `{"permission":"fs.reads","action":"deny"}`, `"fs.reads" is no capability: the rule never matches; hint: write "fs.read"`},
		{policy.ScopeManifest, `{"permission":"net.listen","action":"deny"}`, `"net.listen" is no capability`},
		{policy.ScopeManifest, `{"permission":"fs.read","pattern":"secrets/**","action":"deny"}`, `is not an absolute path: it never matches; hint: begin with /, {workspace}/ or **/`},
		{policy.ScopeManifest, `{"permission":"fs.read","pattern":"git push:*","action":"deny"}`, `is not an absolute path`},
		{policy.ScopeManifest, `{"permission":"fs.read","pattern":"~/.ssh/**","action":"deny"}`, `begins with ~`},
		{policy.ScopeManifest, `{"permission":"fs.read","pattern":"/a/../b","action":"deny"}`, `has . or .. in it`},
		{policy.ScopeManifest, `{"permission":"fs.read","pattern":"/a/","action":"deny"}`, `ends with a slash: it never matches; hint: write "/a/**"`},
		{policy.ScopeManifest, `{"permission":"net.fetch","pattern":"https://x.com/y","action":"deny"}`, `is not a host: it never matches`},
		{policy.ScopeManifest, `{"permission":"shell.run","pattern":"a && b","action":"deny"}`, `holds more than one command: it never matches`},
		{policy.ScopeManifest, `{"permission":"a.b","pattern":"x; y","action":"deny"}`, `holds more than one command: it never matches`},
		{policy.ScopeManifest, `{"permission":"*","callers":[],"action":"deny"}`, `names no callers: it never matches`},
		{policy.ScopeManifest, `{"permission":"acme.dploy","action":"deny"}`, `there is no tool "acme.dploy": the rule never matches; hint: write "acme.deploy"`},
		{policy.ScopeManifest, `{"permission":"other.*","action":"deny"}`, `there is no tool in "other.*"`},
		{policy.ScopeManifest, `{"permission":"agent.execute","action":"deny"},{"permission":"agent.switch_mode","action":"deny"},{"permission":"agent.*","action":"ask"}`, ``},
		{policy.ScopeManifest, `{"permission":"agent.excute","action":"deny"}`, `there is no tool "agent.excute": the rule never matches; hint: write "agent.execute"`},
		{policy.ScopeManifest, `{"permission":"todo","action":"deny"},{"permission":"core.*","action":"ask"}`, ``},
		{policy.ScopeManifest, `{"permission":"core.todo","action":"allow"},{"permission":"todo","action":"deny"}`, `/rules/0: the rule never decides: line 1 says deny for the same`},
		{policy.ScopeManifest, `{"permission":"tood","action":"deny"}`, `the sidecar has no tool "tood" of its own: the rule never matches; hint: write "todo"`},
		{policy.ScopeManifest, `{"permission":"core.todos","action":"deny"}`, `the sidecar has no tool "todos" of its own: the rule never matches; hint: write "todo"`},
		{policy.ScopeManifest, `{"permission":"*","action":"allow"},{"permission":"*","action":"deny"}`, `/rules/0: the rule never decides: line 1 says deny for the same`},
		{policy.ScopeManifest, `{"permission":"*","action":"deny"},{"permission":"*","action":"deny"}`, `/rules/1: the rule never decides`},
		{policy.ScopeManifest, `{"permission":"*","action":"allow","callers":["ann"]},{"permission":"*","action":"deny","callers":["bob","ann"]}`, `/rules/0: the rule never decides`},
		{policy.ScopeManifest, `{"permission":"*","action":"allow","callers":["ann"]},{"permission":"*","action":"deny"}`, ``},
		{policy.ScopeManifest, `{"permission":"*","action":"allow","callers":["ann","bob"]},{"permission":"*","action":"deny","callers":["ann"]}`, ``},
		{policy.ScopeManifest, `{"permission":"acme.*","action":"allow"},{"permission":"acme.deploy","action":"deny"}`, ``},
		{policy.ScopeProject, `{"permission":"*","action":"allow"}`, `a project's rule allows nothing`},
		{policy.ScopeProject, `{"permission":"*","action":"deny"}`, ``},
	} {
		f := policy.File{Scope: tc.scope, Name: "p.json", Data: []byte(`{"rules":[` + tc.rules + `]}`)}
		_, warnings, err := policy.Load([]policy.File{f}, policy.Options{Tools: tools})
		switch got := warnings.Error(); {
		case err != nil:
			t.Errorf("%s: %v", tc.rules, err)
		case tc.want == "" && got != "", !strings.Contains(got, tc.want):
			t.Errorf("%s: warnings %q, want %q", tc.rules, got, tc.want)
		}
	}
	project := `{"requires":{},"approvers":["x"],"rules":[]}`
	s, warnings, err := policy.Load([]policy.File{{Scope: policy.ScopeProject, Name: "p.json", Data: []byte(project)}}, policy.Options{})
	if err != nil || len(warnings) != 2 || s.Approvers() != nil || s.Requires() != nil {
		t.Errorf("a project's requires and approvers: %v, %v, %v, %v", warnings, err, s.Approvers(), s.Requires())
	}
}

// TestExamples: match and not_match are held against the rule when it is loaded.
func TestExamples(t *testing.T) {
	for _, tc := range []struct {
		rule string
		good bool
	}{
		{`"permission":"shell.run","pattern":"git push:*","action":"allow","match":["git push x"],"not_match":["git pull","git push; rm x","git push $(x)"]`, true},
		{`"permission":"shell.run","pattern":"git push:*","action":"allow","match":["git pull"]`, false},
		{`"permission":"shell.run","pattern":"git push:*","action":"allow","not_match":["git push"]`, false},
		{`"permission":"shell.run","pattern":"rm:*","action":"deny","match":["ls; /bin/rm x","env rm","$(rm x)"],"not_match":["rmdir x"]`, true},
		{`"permission":"fs.read","pattern":"{workspace}/**","action":"allow","match":["/ws/a"],"not_match":["/ws2","/ws/../etc"]`, true},
		{`"permission":"net.fetch","pattern":"*.x.com","action":"allow","match":["a.x.com"],"not_match":["x.com","a.x.com:22"]`, true},
		{`"permission":"a.b","pointer":"/env","pattern":"p*","action":"deny","match":["prod",{"env":"prod"}],"not_match":["dev",{"env":"dev"},{}]`, true},
		{`"permission":"a.b","pointer":"/env","pattern":"p*","action":"deny","match":[{"env":"dev"}]`, false},
		{`"permission":"a.b","action":"deny","match":[{"env":"dev"}]`, true},
		{`"permission":"a.b","action":"deny","match":["x"]`, false},
		{`"permission":"a.b","pattern":"git:*","action":"deny","match":["git x"],"not_match":["ls"]`, true},
		{`"permission":"fs.read","pattern":"/a","action":"deny","match":[{"p":"/a"}]`, false},
		{`"permission":"fs.read","pointer":"/p","pattern":"/a","action":"deny","match":[{"p":"/a"}],"not_match":[{"p":"/b"}]`, true},
		{`"permission":"fs.read","pattern":"/a","action":"deny","match":"/a"`, false},
		{`"permission":"fs.read","pattern":"/a","action":"deny","match":[1]`, false},
	} {
		_, _, err := policy.Load([]policy.File{operator(`{"rules":[{` + tc.rule + `}]}`)}, policy.Options{Roots: roots})
		if (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.rule, err)
		}
	}
}

func TestWhatElseAFileSays(t *testing.T) {
	data := `{"requires":{"net":{"hosts":["a.com"]}},"redact":{"patterns":["a+"],"environment":["T"],"secrets":true},"approvers":["ann"],"rules":[]}`
	s := loadFiles(t, policy.Options{}, operator(data))
	if r := s.Requires(); r == nil || len(r.NetHosts) != 1 {
		t.Errorf("requires %+v", r)
	}
	if diff := cmp.Diff(policy.Redact{Patterns: []string{"a+"}, Environment: []string{"T"}, Secrets: true}, s.Redact()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ann"}, s.Approvers()); diff != "" {
		t.Error(diff)
	}
	_, _, err := policy.Load([]policy.File{operator(data)}, policy.Options{Redaction: func(p string) error { return errors.New("no " + p) }})
	if err == nil || !strings.Contains(err.Error(), "no a+") {
		t.Errorf("the caller's check of patterns is not heard: %v", err)
	}
}

func TestRevision(t *testing.T) {
	one, two := operator(`{"rules":[]}`), operator(`{"rules": []}`)
	project := one
	project.Scope = policy.ScopeProject
	seen := map[string]bool{}
	for _, files := range [][]policy.File{{one}, {two}, {project}, {one, project}, {one, one}} {
		seen[loadFiles(t, policy.Options{}, files...).Revision()] = true
	}
	seen[loadFiles(t, policy.Options{TrustProject: true}, one, project).Revision()] = true
	if len(seen) != 6 || seen[""] {
		t.Errorf("revisions %v", seen)
	}
	if r := loadFiles(t, policy.Options{}).Revision(); r != "" {
		t.Errorf("without a file the revision is %s", r)
	}
	if a, b := loadFiles(t, policy.Options{}, one).Revision(), loadFiles(t, policy.Options{Roots: roots}, one).Revision(); a != b {
		t.Errorf("the same file is %s and %s", a, b)
	}
}

// Patterns that are good one by one may be too many together. The file that makes them too many
// is bad, be it the project's.
func TestRedactionIsCheckedTogether(t *testing.T) {
	file := func(scope, redact string) policy.File {
		return policy.File{Name: scope + ".json", Scope: scope, Data: []byte(`{"rules":[]` + redact + `}`)}
	}
	one := `,"redact":{"patterns":["a"]}`
	o := policy.Options{Redactable: func(r policy.Redact) error {
		if len(r.Patterns) > 1 {
			return errors.New("they are too long together")
		}
		return nil
	}}
	for want, files := range map[string][]policy.File{
		"": {file(policy.ScopeManifest, one), file(policy.ScopeProject, "")},
		"project.json:1:13: /redact: cannot be used: they are too long together": {file(policy.ScopeManifest, one), file(policy.ScopeProject, one)},
	} {
		_, _, err := policy.Load(files, o)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
