package sidecar_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// longText is how long what goes by files is.
const longText = 3 << 20

// mcpLong is an agent that calls tools by `sidecar mcp` with long arguments and long results, and
// has itself asked what a tool asks. Its message is the revision.
func mcpLong() int {
	revision, err := io.ReadAll(os.Stdin)
	must(err)
	self, err := os.Executable()
	must(err)
	cmd := exec.Command(self, "mcp")
	cmd.Env = append(os.Environ(), asSidecar+"=1")
	ctx := context.Background()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Printf("elicited: %s\n", r.Params.Message)
			if strings.Contains(r.Params.Message, "colour") {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "blue"}}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "once"}}, nil
		},
	}).Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: strings.TrimSpace(string(revision))})
	must(err)
	text := strings.Repeat("y", longText)
	res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "acme.echo", Arguments: map[string]any{"text": text}})
	must(err)
	said, _ := res.StructuredContent.(map[string]any)
	fmt.Printf("echo: whole %v, cut %v\n", said["text"] == text, res.Meta["a2a-sidecar/truncated"])
	res, err = c.CallTool(ctx, &mcp.CallToolParams{Name: "acme.big"})
	must(err)
	fmt.Printf("big: %d bytes\n", len(res.Content[0].(*mcp.TextContent).Text))
	res, err = c.CallTool(ctx, &mcp.CallToolParams{Name: "acme.ask"})
	must(err)
	fmt.Printf("ask: %s\n", res.Content[0].(*mcp.TextContent).Text)
	must(c.Close())
	left, err := os.ReadDir(os.Getenv("SIDECAR_OUTBOX"))
	must(err)
	fmt.Printf("left: %v\nthat is all\n", left)
	return 0
}

// allowAll is a file of rules that allow every call.
func allowAll(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.json")
	writeFile(t, path, rulesOf("allow", "all", ""))
	return path
}

// frameTools are echo, big, whose result no frame holds, and ask, which asks for a colour.
func frameTools(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sidecar := `"env","` + asSidecar + `=1","` + self + `",`
	tool := func(name, command, output string) string {
		return `{"name":"` + name + `","description":"x","inputSchema":{"type":"object"},"x-sidecar":{"effects":"read","bridge":{"exec":{"command":[` + command + `]` + output + `}}}}`
	}
	return writeManifest(t, "["+strings.Join([]string{
		tool("acme.echo", `"/bin/cat"`, ""),
		tool("acme.big", fmt.Sprintf(`"sh","-c","head -c %d /dev/zero | tr '\\0' x"`, longText), `,"output":"text"`),
		tool("acme.ask", sidecar+`"ask","--option","red=Red","--option","blue=Blue","Which colour?"`, `,"output":"text"`),
		tool("acme.inner", sidecar+`"call","acme.big"`, `,"output":"text"`),
	}, ",")+"]")
}

// What exceeds a frame comes whole through `sidecar mcp`, both ways, for a process of one turn and
// for that of a session; its agent is asked what a tool asks; nothing is published, and nothing stays.
func TestLongCallsOverStdio(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agent := "env " + asAgent + "=mcplong " + self
	// The program that reads lines says that it is busy, so that its silence does not end the turn.
	for mode, command := range map[string][]string{
		"oneshot": {"env", asAgent + "=mcplong", self},
		"lines":   {"sh", "-c", `while read -r line; do env ` + asSidecar + `=1 ` + self + ` emit status busy; echo "$line" | ` + agent + `; env ` + asSidecar + `=1 ` + self + ` emit done; done`},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			r := run(t, append([]string{"--mode", mode, "--sandbox", "off", "--policy", allowAll(t), "--max-output", "8MiB", "--manifest", frameTools(t), "--"}, command...)...)
			for _, revision := range []string{"2025-06-18", "2026-07-28"} {
				begun := r.begin(revision)
				var task *a2a.Task
				await.True(t, "the end", func() bool { task = r.get(begun.ID); return task.Status.State.Terminal() })
				said := artifact(task, "response")
				for _, want := range []string{
					"echo: whole true, cut <nil>\n", fmt.Sprintf("big: %d bytes\n", longText), "elicited: Which colour?\n", "ask: blue\n", "left: []\nthat is all",
				} {
					if !strings.Contains(said, want) {
						t.Errorf("%s: no %q in\n%s", revision, want, said)
					}
				}
				if len(task.Artifacts) != 1 {
					t.Errorf("%s: %d artifacts", revision, len(task.Artifacts))
				}
			}
		})
	}
}

// A tool in the sandbox reaches its own outbox: what it calls by the channel comes whole.
func TestLongCallsFromTheSandbox(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--policy", allowAll(t), "--max-output", "8MiB", "--manifest", frameTools(t), "--", "cat")
	c := r.mustMCP("", "2025-06-18", nil)
	res, err := c.CallTool(r.context(), &mcp.CallToolParams{Name: "acme.inner"})
	if err != nil || res.IsError || strings.Count(res.Content[0].(*mcp.TextContent).Text, "x") < longText {
		t.Errorf("%v, %.300v", err, res)
	}
}

// What a tool asks is asked of the client over HTTP, and its answer counts.
func TestMCPAnswersTools(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--sandbox", "off", "--policy", allowAll(t), "--manifest", frameTools(t), "--", "cat")
	for _, revision := range mcpRevisions {
		if revision == "2024-11-05" { // which has no elicitation
			continue
		}
		asked := make(chan string, 10)
		c := r.mustMCP("", revision, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked <- q.Params.Message
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "red"}}, nil
		}})
		res, err := c.CallTool(r.context(), &mcp.CallToolParams{Name: "acme.ask"})
		if err != nil || res.IsError || !strings.HasPrefix(res.Content[0].(*mcp.TextContent).Text, "red") {
			t.Errorf("%s: %v, %+v", revision, err, res)
			continue
		}
		if q := <-asked; q != "Which colour?" || len(asked) != 0 {
			t.Errorf("%s: asked %q, %d more", revision, q, len(asked))
		}
	}
}
