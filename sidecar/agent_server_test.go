package sidecar_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/mcptest"
)

// asServer is a sidecar whose agent is an MCP server.
func asServer(t testing.TB, args ...string) *bridged {
	t.Helper()
	return &bridged{running: run(t, append(append([]string{"--mode", "mcp"}, args...), append([]string{"--"}, mcptest.Command(mcptest.ModeGood)...)...)...)}
}

// Without a manifest, the agent's list is the manifest: list, card and calls see it, and what is
// added later.
func TestAgentIsAServer(t *testing.T) {
	t.Parallel()
	s := asServer(t)
	if body := s.getPath("/a2a/tools").body; !strings.Contains(body, `"name":"good_server.echo"`) {
		t.Errorf("the list: %s", body)
	}
	if body := s.getPath("/.well-known/agent-card.json").body; !strings.Contains(body, `"good_server.echo"`) {
		t.Errorf("the card: %s", body)
	}
	if status, body := s.call("good_server.echo", "hello"); status != 200 || !strings.Contains(body, "hello") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.call("good_server.get_env", ""); status != 200 || !strings.Contains(body, "SIDECAR_SOCKET=") {
		t.Errorf("it has not the agent's environment: %d %s", status, body)
	}
	if status, body := s.call("good_server.add_tool", "newTool"); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	await.True(t, "the tool that was added", func() bool { return strings.Contains(s.getPath("/a2a/tools").body, `"good_server.new_tool"`) })
	s.has("good_server.new_tool")
	_, err := s.client().Send(s.context(), &a2a.SendRequest{Message: userMessage("hello")})
	if err == nil || !strings.Contains(err.Error(), "takes calls of tools and no messages") {
		t.Errorf("a message: %v", err)
	}
}

// The agent's end is the sidecar's, with its code; restarted, it goes on.
func TestAgentServerEnds(t *testing.T) {
	t.Parallel()
	s := asServer(t, "--name", "Acme")
	s.do(http.MethodPost, "/a2a/tools/acme.die", "application/json", `{"text":""}`)
	if code := s.wait(); code != 7 {
		t.Errorf("the exit code is %d", code)
	}
	again := asServer(t, "--name", "Acme", "--restart", "on-failure")
	if status, body := again.call("acme.die", ""); status != 502 || !strings.Contains(body, "agent has ended") {
		t.Errorf("%d %s", status, body)
	}
	again.has("acme.echo")
}

// While the list of an agent is awaited that is no MCP server, the sidecar ends when it is asked to.
func TestAgentServerEndsBeforeItLists(t *testing.T) {
	t.Parallel()
	started := filepath.Join(t.TempDir(), "started")
	r := startOnly(t, nil, "--mode", "mcp", "--ready-timeout", "1h", "--", "sh", "-c", "touch "+started+"; exec sleep 3600")
	await.True(t, "the agent's start", func() bool { _, err := os.Stat(started); return err == nil })
	r.stop()
}

// With a manifest, its tools are called by the agent's names.
func TestAgentServerWithManifest(t *testing.T) {
	t.Parallel()
	file := writeManifest(t, `[{"name":"acme.get_env","description":"d","inputSchema":{"type":"object"}},{"name":"acme.none","description":"d","inputSchema":{"type":"object"}},
{"name":"acme.echo","description":"d","inputSchema":{"type":"object"}}]`)
	s := asServer(t, "--manifest", file)
	if status, body := s.call("acme.echo", "hello"); status != 200 || !strings.Contains(body, "hello") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.call("acme.get_env", ""); status != 200 || !strings.Contains(body, "PATH=") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.call("acme.none", ""); status == 200 || !strings.Contains(body, "has no tool of that name") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := s.call("good_server.echo", ""); status != 404 {
		t.Errorf("the agent's list is served beside the manifest: %d", status)
	}
}
