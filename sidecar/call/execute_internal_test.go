package call

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// A tool whose secrets cannot be taken out of what it says is not run.
func TestNothingRunsWithoutItsRedactor(t *testing.T) {
	const tools = `[{"name":"acme.x","description":"a test tool","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["true"],"env":["ACME_KEY"]}},"requires":{}}}]`
	snap, _, err := manifest.Parse("tools.json", []byte(tools), manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := task.OpenRegistry(t.Context(), task.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tasks.Close()
	p, err := New(Options{
		Surface: func(*Request) *manifest.Snapshot { return snap }, Tasks: tasks, Env: []string{"ACME_KEY=a long secret"},
		MaxConcurrency: 1, AskTimeout: time.Minute, MaxOutput: 1 << 10, Workspace: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.secrets.made = map[string]madeRedactor{"ACME_KEY": {err: errors.New("the value of ACME_KEY: the rules are too long together")}}
	inv := p.Start(Request{Tool: "acme.x"})
	<-inv.Done()
	if o := inv.Outcome(); o.Case != Unavailable || !strings.Contains(string(inv.Envelope()), "ACME_KEY") || strings.Contains(string(inv.Envelope()), "a long secret") {
		t.Errorf("%s: %s", o, inv.Envelope())
	}
}

// A bridge that the manifest takes is one that something executes.
func TestEveryBridgeIsExecuted(t *testing.T) {
	for _, kind := range manifest.BridgeKinds() {
		if (&Pipeline{}).executor(kind) == nil {
			t.Errorf("nothing executes the bridge %q: give it its case in execute.go", kind)
		}
	}
	if (&Pipeline{}).executor("carrier pigeon") != nil {
		t.Error("a bridge that nobody knows is executed")
	}
}
