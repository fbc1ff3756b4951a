package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// mcpUser is an agent that uses its sidecar's tools by `sidecar mcp`, at the revision that its
// message names, and says yes to whatever it is asked.
func mcpUser() int {
	revision, err := io.ReadAll(os.Stdin)
	must(err)
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	self, err := os.Executable()
	must(err)
	cmd := exec.Command(self, "mcp")
	cmd.Env = append(os.Environ(), asSidecar+"=1")
	ctx := context.Background()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			say("progress: %s", r.Params.Message)
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			say("elicited")
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "once"}}, nil
		},
	}).Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: strings.TrimSpace(string(revision))})
	must(err)
	l, err := c.ListTools(ctx, nil)
	must(err)
	for _, one := range l.Tools {
		say("listed: %s", one.Name)
	}
	call := func(name string, arguments any) {
		p := &mcp.CallToolParams{Name: name, Arguments: arguments}
		p.SetProgressToken("t")
		res, err := c.CallTool(ctx, p)
		if err != nil {
			say("error: %.200s", err)
			return
		}
		b, err := json.Marshal(res)
		must(err)
		say("result: %.400s", b)
	}
	call("acme.echo", map[string]any{"text": "hi"})
	call("core.tool_search", map[string]any{"query": "fence"})
	call("acme.nobody", nil)
	must(c.Close())
	say("code: %d", cmd.ProcessState.ExitCode())
	return 0
}

// The wrapped agent lists and calls tools by `sidecar mcp`, at each revision. Its call is a part of
// its turn, waits for the client's approval with progress, and is never approved by what the
// agent's own client answers.
func TestMCPOverStdio(t *testing.T) {
	t.Parallel()
	tools := writeManifest(t, mcpTools)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, "--mode", "oneshot", "--sandbox", "off", "--manifest", tools, "--", "env", asAgent+"=mcpuser", self)
	for _, revision := range mcpRevisions {
		begun := r.begin(revision)
		await.True(t, "the agent is told of the approval", func() bool {
			return strings.Contains(artifact(r.get(begun.ID), "response"), "progress: waiting for approval ")
		})
		task, asked := r.decide(begun.ID, "once")
		said := artifact(task, "response")
		if task.Status.State != a2a.StateCompleted || asked != 1 || strings.Contains(said, "elicited") {
			t.Errorf("%s: %s, asked %d times:\n%s", revision, task.Status.State, asked, said)
		}
		for _, want := range []string{
			"listed: core.tool_search\nlisted: acme.echo\nlisted: acme.wait\n", "progress: waiting for approval ", `"a2a-sidecar/outcome":"final"`, `"structuredContent":{"text":"hi"}`,
			`acme.paint`, "unknown tool", "code: 0",
		} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %q in\n%s", revision, want, said)
			}
		}
	}
}
