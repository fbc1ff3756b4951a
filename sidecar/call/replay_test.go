package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const mixedRules = `{"rules":[
	{"permission":"acme.*","action":"allow"},
	{"permission":"acme.secret","action":"deny","reason":"nobody may"},
	{"permission":"acme.deploy","pointer":"/env/name","pattern":"prod*","action":"ask"},
	{"permission":"acme.deploy","pointer":"/tags/1","action":"deny"},
	{"permission":"acme.open","callers":["ann"],"action":"allow"},
	{"permission":"acme.open","callers":["agent"],"action":"deny"},
	{"permission":"fs.read","pattern":"/srv/**","action":"allow"},
	{"permission":"fs.read","pattern":"/srv/private/**","action":"deny"},
	{"permission":"fs.read","pattern":"/usr/**","action":"allow"},
	{"permission":"fs.read","action":"ask"},
	{"permission":"shell.run","pattern":"git *","action":"allow"},
	{"permission":"shell.run","pattern":"git push *","action":"deny"},
	{"permission":"shell.run","action":"ask"}
]}`

// withArgument declares an argument of a tool, a text.
func withArgument(tool, name string) string {
	return strings.Replace(tool, `{"type":"object"}`, `{"type":"object","properties":{"`+name+`":{"type":"string"}}}`, 1)
}

// rulesOf loads rules.
func rulesOf(t *testing.T, text string) *policy.Set {
	t.Helper()
	set, _, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "policy.json", Data: []byte(text)}}, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// mixed returns some call: of any tool, by anybody, with all kinds of arguments.
func mixed(r *rand.Rand) call.Request {
	pick := func(all ...string) string { return all[r.IntN(len(all))] }
	q := call.Request{Caller: pick("", "ann", "bob"), Agent: r.IntN(3) == 0, Door: "http", ContextID: pick("c1", "c2")}
	switch q.Tool = pick("acme.secret", "acme.deploy", "acme.open", "acme.run", "acme.none", "acme.any"); q.Tool {
	case "acme.deploy":
		q.Arguments = json.RawMessage(fmt.Sprintf(`{"env":{"name":%q,"pin":%d},"tags":[%s]}`, pick("prod", "prod-eu", "dev", "x\n"), r.IntN(1e6), pick("", `"a"`, `"a","b"`, `"a",null,3`)))
	case "acme.open":
		q.Arguments = json.RawMessage(fmt.Sprintf(`{"path":%q}`, pick("/srv/a", "/srv/private/key", "/srv/x/../private/y", "/etc/hosts", "here")))
	case "acme.run":
		q.Arguments = json.RawMessage(fmt.Sprintf(`{"command":%q}`, pick("git status", "git push origin main", "git log | xargs rm", "ls", "sh -c 'git push x'", "git $X", "git diff > /srv/out")))
	default:
		q.Arguments = json.RawMessage(pick(`{}`, `{"a":[1,{"b":2}]}`, `{"a`))
	}
	return q
}

// The decisions of a long mixed run are the same when they are made again from nothing but
// the audit and the policy file; under other rules they are not; and a record that was
// changed or cut is found.
func TestReplayOfAMixedRun(t *testing.T) {
	const calls, workers = 1200, 8
	file := filepath.Join(t.TempDir(), "audit.ndjson")
	log, err := audit.Open(audit.Options{File: file, MaxBytes: 200_000, Keep: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	set := rulesOf(t, mixedRules)
	all := []string{tool("acme.secret", `{}`), tool("acme.deploy", `{}`), tool("acme.any", `{"effects":"read"}`),
		withArgument(tool("acme.open", `{"uses":{"fs.read":["/path"]},"requires":{"fs":{"read":["/**"]}}}`), "path"),
		withArgument(tool("acme.run", `{"uses":{"shell.run":["/command"]},"requires":{"fs":{"read":["/usr/**"],"write":["/srv/**"]},"shell":[{"cmd":"git"},{"cmd":"ls"},{"cmd":"sh"},{"cmd":"xargs"},{"cmd":"rm"}]}}`), "command")}
	r := newRig(t, strings.Join(all, ","), nil, withAgent(func(context.Context, driver.Call) (driver.CallResult, error) { return driver.CallResult{}, nil }),
		func(o *call.Options) { o.Decider, o.Audit, o.Headless, o.Queue = set, log, true, calls })
	var work sync.WaitGroup
	for n := range uint64(workers) {
		work.Go(func() {
			random := rand.New(rand.NewPCG(n, 7))
			for range calls / workers {
				<-r.p.Start(mixed(random)).Done()
			}
		})
	}
	work.Wait()
	log.Close()
	if report, err := audit.Verify(file); err != nil || report.Fault != nil || report.Files < 5 {
		t.Fatalf("%+v, %v", report, err)
	}

	var differences []audit.Difference
	again := func(set *policy.Set) audit.Replay {
		differences = nil
		sum, err := audit.ReplayAll(t.Context(), file, set, set.Revision(), func(d audit.Difference) { differences = append(differences, d) })
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	sum := again(rulesOf(t, mixedRules))
	if sum.Different != 0 || sum.OtherRevisions != 0 || sum.Same+sum.Others != calls || sum.Same < calls/2 || sum.Others == 0 {
		t.Errorf("the same rules: %+v; first difference %+v", sum, differences[:min(1, len(differences))])
	}
	verdicts := map[string]int{}
	for l := range audit.Lines(file) {
		if d := l.Record.Decision; d != nil {
			verdicts[d.Verdict+" "+l.Record.Tool]++
		}
	}
	for _, want := range []string{"allow acme.deploy", "ask acme.deploy", "deny acme.deploy", "allow acme.open", "deny acme.open", "allow acme.run", "ask acme.run", "deny acme.run", "deny acme.secret", "allow acme.any"} {
		if verdicts[want] == 0 {
			t.Errorf("the run has no %q: %v", want, verdicts)
		}
	}
	sum = again(rulesOf(t, strings.Replace(mixedRules, `"prod*","action":"ask"`, `"prod*","action":"deny"`, 1)))
	if sum.Different == 0 || sum.Different != len(differences) || sum.OtherRevisions != sum.Same+sum.Different {
		t.Errorf("other rules: %+v", sum)
	}
	for _, d := range differences {
		if d.Line.Record.Tool != "acme.deploy" || d.Now.Verdict != policy.Deny || d.Recorded.Verdict == "deny" && d.Recorded.Rule == d.Now.Rule {
			t.Errorf("difference %+v", d)
		}
	}
	damage(t, file)
}

// damage changes one record, then cuts the audit, and finds both.
func damage(t *testing.T, file string) {
	t.Helper()
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"changed": strings.Replace(string(whole), `"event":"`, `"event":"x`, 1),
		"cut":     string(whole[:strings.LastIndexByte(strings.TrimSuffix(string(whole), "\n"), '\n')+1]),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if report, err := audit.Verify(file); err != nil || report.Fault == nil {
			t.Errorf("%s: %+v, %v", what, report, err)
		}
	}
}
