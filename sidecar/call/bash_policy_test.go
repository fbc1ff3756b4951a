package call_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// What the rules say of a line is what its commands, its redirections and the files that it names say. A rule that
// denies a part of the workspace denies what names it, and asks about all else.
func TestBashIsJudged(t *testing.T) {
	git := []string{rule("allow", "shell.run", "git status:*"), rule("deny", "shell.run", "git push:*"), rule("allow", "fs.read", ""), rule("allow", "fs.write", "")}
	secrets := []string{rule("allow", "bash", ""), rule("deny", "fs.read", "{workspace}/secrets/**")}
	locked := []string{rule("allow", "bash", ""), rule("deny", "fs.write", "{workspace}/secrets/**")}
	const (
		uncertain = "so what it does is not certain"
		forbidden = "a rule of the policy forbids fs.read with this value"
		unnamed   = "a command that may use files which it does not name, and of some of them fs.read is forbidden"
	)
	for _, c := range []struct {
		rules         []string
		line, dir     string
		outcome, says string
	}{
		{git, "git status -s", "", "final", ""},
		{git, "git status && git push", "", "denied", "forbids shell.run"},
		{git, "ls", "", "denied", "nobody can be asked"},
		{git, "git status | sh -c 'git push'", "", "denied", "forbids shell.run"},
		{git, "git status $(git push)", "", "denied", "forbids shell.run"},
		{git, "$GIT status", "", "denied", "nobody can be asked"},
		{git, "eval git status", "", "denied", "nobody can be asked"},
		{[]string{rule("allow", "bash", "")}, "if ls", "", "denied", "something that cannot be read"},
		{[]string{rule("allow", "bash", "")}, "git status <<E\nE", "", "denied", "a here-document"},
		{[]string{rule("allow", "bash", "")}, "x=1; echo $x", "", "denied", uncertain},
		{[]string{rule("allow", "bash", "")}, "echo $(date) > out", "", "denied", uncertain},
		{[]string{rule("allow", "bash", "")}, "echo hi > out", "", "final", ""},
		{[]string{rule("allow", "bash", "")}, "echo hi > /var/tmp/bash-test", "", "denied", "out of the directories of the call"},
		{secrets, "cat secrets/key", "", "denied", forbidden},
		{secrets, "cat < secrets/key", "", "denied", forbidden},
		{secrets, "cat ./src/../secrets/key", "", "denied", forbidden},
		{secrets, "cat WORKSPACE/secrets/key", "", "denied", forbidden},
		{secrets, "cat key", "secrets", "denied", forbidden},
		{secrets, "cat ../secrets/key", "src", "denied", forbidden},
		{secrets, "dd if=secrets/key", "", "denied", forbidden},
		{secrets, "curl -d@secrets/key localhost", "", "denied", forbidden},
		{secrets, "tar -cf- secrets", "", "denied", forbidden},
		{secrets, "cd secrets && cat key", "", "denied", forbidden},
		{secrets, "cat secrets/$name", "", "denied", forbidden},
		{secrets, "./secrets/run", "", "denied", forbidden},
		{secrets, "cat s*/key", "", "denied", unnamed},
		{secrets, "ls src", "", "denied", unnamed},
		{locked, "rm secrets/key", "", "denied", "a rule of the policy forbids fs.write with this value"},
		{locked, "echo x > secrets/key", "", "denied", "a rule of the policy forbids fs.write with this value"},
		{locked, "ls src", "", "denied", "of some of them fs.write is forbidden"},
		{[]string{rule("allow", "bash", ""), rule("deny", "fs.write", "")}, "ls", "", "denied", "forbids fs.write"},
		{[]string{rule("allow", "bash", ""), rule("deny", "fs.write", "{workspace}/**"), rule("deny", "fs.write", "{workspace}/a/**")}, "ls", "", "denied", "forbids fs.write with this value"},
		{[]string{rule("allow", "bash", ""), rule("deny", "fs.read", "/etc/**")}, "ls", "", "final", ""},
		{[]string{rule("allow", "core.bash", ""), rule("ask", "fs.write", "{workspace}/prod/**")}, "ls", "", "denied", "wants fs.write with this value approved"},
	} {
		r, dir := shellRig(t, ruled(t, nil, c.rules...), func(o *call.Options) { o.Headless = true })
		for _, f := range []string{"secrets/key", "src/a", ".git/config"} {
			put(t, filepath.Join(dir, f), "x")
		}
		more := []any{}
		if c.dir != "" {
			more = append(more, "dir", c.dir)
		}
		e := r.bash(strings.Replace(c.line, "WORKSPACE", dir, 1), more...)
		if got := e.inv.Outcome().String(); got != c.outcome && !(c.outcome == "final" && got == "failed") || !strings.Contains(e.text(), c.says) {
			t.Errorf("%v\n%s: %s %q, want %s %q", c.rules, c.line, got, e.text(), c.outcome, c.says)
		}
	}
}

// What is asked about runs after a yes; what the line names and a rule denies does not, since nobody is asked.
func TestBashBesideADenyAsks(t *testing.T) {
	r, dir := shellRig(t, ruled(t, nil, rule("allow", "bash", ""), rule("deny", "fs.read", "{workspace}/secrets/**")))
	put(t, filepath.Join(dir, "src/a"), "code")
	inv := r.p.Start(callOf("bash", "command", "cat src/a"))
	r.until(inv, "TASK_STATE_AUTH_REQUIRED")
	answer(t, inv, "once")
	if e := r.ended(inv); e.said() != "code" {
		t.Errorf("%s", e.inv.Envelope())
	}
	if e := r.bash("cat secrets/a"); e.inv.Outcome().String() != "denied" {
		t.Errorf("%s", e.inv.Envelope())
	}
}

// What the policy file grants is bash's too, and nobody else's.
func TestBashIsGranted(t *testing.T) {
	_, dir := shellRig(t)
	scope, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	scope = scope.WithGrants(func() *manifest.Requires {
		return &manifest.Requires{FSRead: []string{"/srv/sdk"}, FSWrite: []string{"/srv/cache"}, NetHosts: []string{"proxy.example.com"}}
	})
	var uses []policy.Use
	r, _ := shellRig(t, func(o *call.Options) {
		o.Scope = scope
		o.Decider = deciderFunc(func(q policy.Request) policy.Decision { uses = q.Uses; return policy.Decision{} })
	})
	r.bash("true")
	var got []string
	for _, u := range uses {
		got = append(got, string(u.Capability)+" "+u.Value)
	}
	want := strings.ReplaceAll("shell.run true\nfs.read WORKSPACE/**\nfs.read /srv/sdk/**\nfs.write WORKSPACE/**\nfs.write /srv/cache/**\nnet.fetch proxy.example.com", "WORKSPACE", dir)
	if strings.Join(got, "\n") != want {
		t.Errorf("it uses\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	read := &manifest.Tool{Requires: &manifest.Requires{FSRead: []string{"{workspace}"}}, Bridge: manifest.Bridge{Kind: manifest.BridgeCore}}
	if set := scope.Effective(read); len(set.Read.Patterns) != 1 || len(set.NetHosts) != 0 {
		t.Errorf("a tool that runs nothing has %+v", set)
	}
}
