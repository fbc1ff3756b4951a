package call_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// word is a secret by the operator's rules.
const word = "acme-0123456789abcdef"

func hiding(t *testing.T) func(*call.Options) {
	t.Helper()
	r, err := output.NewRedactor(output.Rules{Patterns: []string{`acme-[0-9a-f]{16}`}})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *call.Options) { o.Secrets = func() *output.Redactor { return r } }
}

// What the operator's rules hide is in no record of the audit and no line of the log, whether a call
// ran or was refused, by whoever's words. The hash stays that of the real arguments, what nothing was
// taken out of is decided again, and the rest is counted.
func TestAuditWithoutSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.ndjson")
	kept, err := audit.Open(audit.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	rules := strings.Replace(mixedRules, `{"rules":[`, `{"rules":[{"permission":"acme.deploy","pointer":"/env","action":"allow"},`, 1)
	set := rulesOf(t, rules)
	all := []string{
		tool("acme.deploy", `{}`), withArgument(tool("acme.open", `{"uses":{"fs.read":["/path"]},"requires":{"fs":{"read":["/**"]}}}`), "path"),
		withArgument(tool("acme.run", `{"uses":{"shell.run":["/command"]},"requires":{"shell":[{"cmd":"git"}]}}`), "command"),
		strings.Replace(execTool("acme.argv", "", "tool:say", "{x}"), `{"type":"object"}`, `{"type":"object","properties":{"x":{"type":"string"}}}`, 1),
	}
	agent := withAgent(func(context.Context, driver.Call) (driver.CallResult, error) { return driver.CallResult{}, nil })
	dog := watchFunc(func(_ context.Context, r watchdog.Request) watchdog.Answer {
		if r.Call.Caller == "bob" {
			return watchdog.Answer{Verdict: policy.Deny, Reason: "it says " + word}
		}
		return watchdog.Answer{Verdict: policy.Allow, Reason: "though it says " + word}
	})
	told := ""
	record := func(tweak ...func(*call.Options)) *rig {
		tweak = append(tweak, agent, withHost(t), func(o *call.Options) { o.Decider, o.Audit, o.Headless, o.Watchdog = set, kept, true, dog })
		r := newRig(t, strings.Join(all, ","), nil, tweak...)
		for _, q := range []call.Request{
			{Tool: "acme.deploy", Arguments: json.RawMessage(`{"env":{"name":"` + word + `"}}`)},
			{Tool: "acme.deploy", Arguments: json.RawMessage(`{"env":{"name":"dev"}}`)},
			{Tool: "acme.deploy", Arguments: json.RawMessage(`{"env":{"name":"dev"}}`), Caller: "bob"},
			{Tool: "acme.open", Arguments: json.RawMessage(`{"path":"/srv/` + word + `/x"}`)},
			{Tool: "acme.open", Arguments: json.RawMessage(`{"path":"/srv/private/` + word + `"}`)},
			{Tool: "acme.run", Arguments: json.RawMessage(`{"command":"git clone https://x/` + word + `"}`)},
			{Tool: "acme.argv", Arguments: json.RawMessage(`{"x":"` + word + `"}`)},
			{Tool: "acme.argv", Arguments: json.RawMessage(`{"x":7}`)},
			{Tool: word, Arguments: json.RawMessage(`{}`)},
		} {
			inv := r.p.Start(q)
			<-inv.Done()
			if q.Caller == "bob" { // who did not say the word: the watchdog did
				told = string(inv.Envelope())
			}
		}
		return r
	}
	record()
	hidden := record(hiding(t))
	kept.Close()
	if report, err := audit.Verify(file); err != nil || report.Fault != nil {
		t.Fatal(err, report.Fault)
	}
	var open, shut []audit.Line // of the first run and of the second
	for l := range audit.Lines(file) {
		switch {
		case l.Record.Task == "":
		case len(open) > 0 && open[len(open)-1].Record.Tool == word: // the last call of the first run
			shut = append(shut, l)
		default:
			open = append(open, l)
		}
	}
	if len(open) != len(shut) {
		t.Fatalf("%d records and %d", len(open), len(shut))
	}
	redacted := 0
	for i, l := range shut {
		b, err := json.Marshal(l.Record)
		if err != nil || strings.Contains(string(b), word) {
			t.Errorf("%s, %v", b, err)
		}
		before, err := json.Marshal(open[i].Record)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(before), word) != strings.Contains(string(b), "[redacted]") {
			t.Errorf("%s\nwas %s", b, before)
		}
		if a := l.Record.Arguments; a != nil && (a.HMAC != open[i].Record.Arguments.HMAC || a.Bytes != open[i].Record.Arguments.Bytes) {
			t.Errorf("the hash is of other arguments: %+v, %+v", a, open[i].Record.Arguments)
		}
		if l.Record.Redacted {
			redacted++
		}
	}
	sum, err := audit.ReplayAll(t.Context(), file, set, set.Revision(), func(d audit.Difference) { t.Errorf("%+v, now %+v", d.Line.Record, d.Now) })
	if err != nil || redacted != 5 || sum.Redacted != redacted || sum.Different != 0 || sum.Same != 7+2 {
		t.Errorf("%d redacted; replayed %+v, %v", redacted, sum, err)
	}
	if strings.Contains(told, word) || !strings.Contains(told, "it says [redacted]") {
		t.Errorf("the caller is told %s", told)
	}
	if log := hidden.log.String(); strings.Contains(log, word) {
		t.Errorf("the log has it: %s", log)
	}
}

// The reason of whoever rejects a call is told without secrets: to the caller, in the task and in the
// audit, even where it is cut.
func TestRejectedWithASecret(t *testing.T) {
	kept := &inMemory{}
	approvals := approval.NewRegistry(approval.Limits{Max: 1, Timeout: 60e9})
	waits := make(chan *approval.Approval, 1)
	_, reg := ran(t)
	r := newRig(t, "", reg, hiding(t), deciding(policy.Ask), func(o *call.Options) {
		o.Audit, o.Approvals, o.Person = kept, approvals, func(a *approval.Approval) func() {
			waits <- a
			return func() {}
		}
	})
	for reason, want := range map[string]string{
		"it has " + word + " in it":         "it has [redacted] in it",
		strings.Repeat("x", 1<<10-9) + word: strings.Repeat("x", 1<<10-9),
	} {
		kept.clear()
		inv := r.p.Start(call.Request{Tool: "go.write", Agent: true, Arguments: json.RawMessage(`{"n":"1"}`)})
		a := <-waits
		if err := approvals.Answer(t.Context(), approval.By{Person: true}, a.ID(), approval.Reply{Digest: a.Digest(), Option: approval.Reject, Reason: reason}); err != nil {
			t.Fatal(err)
		}
		e := r.ended(inv).is("rejected", a2a.StateRejected, 403).says(want)
		task, err := json.Marshal(e.task)
		if err != nil {
			t.Fatal(err)
		}
		record, err := json.Marshal(kept.records())
		if err != nil || !strings.Contains(string(record), want[:20]) {
			t.Errorf("%s, %v", record, err)
		}
		for where, text := range map[string]string{"the envelope": string(inv.Envelope()), "the task": string(task), "the audit": string(record), "the log": r.log.String()} {
			if strings.Contains(text, "acme-0") {
				t.Errorf("%s: %s", where, text)
			}
		}
	}
}
