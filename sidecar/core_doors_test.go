package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// coreCall is a call that the test's agent makes by a door of its own.
type coreCall struct {
	Door, Tool string
	Arguments  json.RawMessage
}

// coreUser is an agent that makes the call of its message over the channel, or by `sidecar mcp` with the
// official client, and prints the id of the call's task.
func coreUser() int {
	text, err := io.ReadAll(os.Stdin)
	must(err)
	var c coreCall
	must(json.Unmarshal(text, &c))
	ctx := context.Background()
	if c.Door == "channel" {
		conn, err := channel.Dial(ctx, os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
		must(err)
		defer conn.Close()
		called, err := conn.CallTool(ctx, channel.Call{Name: c.Tool, Arguments: c.Arguments})
		must(err)
		fmt.Print(called.TaskID)
		return 0
	}
	self, err := os.Executable()
	must(err)
	cmd := exec.Command(self, "mcp")
	cmd.Env = append(os.Environ(), asSidecar+"=1")
	s, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	must(err)
	fmt.Print(mcpTask(ctx, s, &c))
	must(s.Close())
	return 0
}

// mcpTask makes a call by MCP if the tool is listed by its ID and shown at once, and returns the id of
// its task.
func mcpTask(ctx context.Context, s *mcp.ClientSession, c *coreCall) string {
	l, err := s.ListTools(ctx, nil)
	must(err)
	listed := false
	for _, one := range l.Tools {
		listed = listed || "core."+one.Name == "core."+strings.TrimPrefix(c.Tool, "core.") && one.Meta["anthropic/alwaysLoad"] == true
	}
	if !listed {
		return "it is not listed"
	}
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: c.Tool, Arguments: c.Arguments})
	must(err)
	id, _ := res.Meta["a2a-sidecar/taskId"].(string)
	return id
}

// coreDoors are the doors for a call of a tool. Each returns the id of the call's task; the agent's own wait for its end.
func coreDoors(r *running, c *mcp.ClientSession) map[string]func(coreCall) string {
	byAgent := func(door string) func(coreCall) string {
		return func(call coreCall) string {
			call.Door = door
			b, err := json.Marshal(call)
			sure(r.t, err)
			return artifact(r.settle(r.send(string(b)).ID), "response")
		}
	}
	return map[string]func(coreCall) string{
		"POST /mcp":   func(call coreCall) string { return mcpTask(r.context(), c, &call) },
		"sidecar mcp": byAgent("mcp"),
		"the channel": byAgent("channel"),
		"POST /a2a/tools": func(call coreCall) string {
			reply, err := r.client().CallTool(r.context(), &a2a.ToolRequest{Name: call.Tool, Arguments: call.Arguments})
			sure(r.t, err)
			return reply.TaskID
		},
		"a message": func(call coreCall) string {
			data, err := json.Marshal(map[string]any{"toolCall": map[string]any{"name": call.Tool, "arguments": call.Arguments}})
			sure(r.t, err)
			m := a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.DataPart(data)}, Extensions: []string{"urn:a2a-sidecar:tool-call:v1"}}
			var id string
			for _, e := range r.stream(m) {
				if e.Task != nil {
					id = e.Task.ID
				}
			}
			return id
		},
	}
}

// approving makes a call by a door, answers each approval that it asks for with a yes, and returns its envelope, without the
// call's id and its time, and how often it asked.
func (r *running) approving(by func(coreCall) string, c coreCall) (envelope map[string]any, asked int) {
	r.t.Helper()
	called := make(chan string, 1)
	go func() {
		defer close(called) // also if the door fails the test
		called <- by(c)
	}()
	id, ended := "", false
	await.True(r.t, "the call "+c.Tool+" ends", func() bool {
		if !ended {
			select {
			case id = <-called:
				ended = true
			default:
			}
		}
		var pending struct{ Approvals []approval.Document }
		sure(r.t, json.Unmarshal([]byte(r.getPath("/a2a/approvals").body), &pending))
		for i := range pending.Approvals {
			d := &pending.Approvals[i]
			if got := r.post("", d, d.Digest, "once"); got != "200" {
				r.t.Errorf("the yes: %s", got)
			}
			asked++
		}
		return ended && (id == "" || r.get(id).Status.State.Terminal())
	})
	text := artifact(r.get(id), "result")
	if err := json.Unmarshal([]byte(text), &envelope); err != nil {
		r.t.Fatalf("%s: %q: %v", c.Tool, text, err)
	}
	meta, _ := envelope["metadata"].(map[string]any)
	delete(meta, "call_id")
	delete(meta, "duration_ms")
	return envelope, asked
}

// The same tool is called by each door, and read by both of its names, and ends in one envelope: equal but for the
// call's id and its time. One that writes, and one that runs a command, ask at each door.
func TestCoreToolsHaveOneEnvelopeAtEachDoor(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	file, policy := filepath.Join(workspace, "a.txt"), filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, filepath.Join(workspace, "i.png"), "\x89PNG\r\n\x1a\nxyz")
	writeFile(t, policy, `{"rules":[{"permission":"*","action":"allow"},{"permission":"edit","action":"ask"},{"permission":"bash","action":"ask"}]}`)
	self, err := os.Executable()
	sure(t, err)
	r := run(t, "--mode", "oneshot", "--tools", "core", "--workspace", workspace, "--policy", policy, "--", "env", asAgent+"=coreuser", self)
	c := r.mustMCP("", "2025-11-25", nil)
	for _, one := range []struct {
		id, arguments, want string
		asks                int
	}{
		{"read", `{"file_path":"a.txt"}`, "     1\tone\n     2\ttwo\n", 0},
		{"todo", `{"todos":[{"content":"build it","status":"in_progress"},{"content":"test it","status":"completed"}]}`, "The list has 1 of 2 left to do.", 0},
		{"glob", `{"pattern":"*.txt"}`, "a.txt\n", 0},
		{"grep", `{"pattern":"t.o","output_mode":"content"}`, "a.txt:2:two\n", 0},
		{"edit", `{"file_path":"a.txt","old_string":"two","new_string":"2"}`, "Edited a.txt: 1 replacement.\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n", 1},
		{"bash", `{"command":"wc -l <a.txt; echo done >&2"}`, "2\ndone\n", 1},
	} {
		for door, by := range coreDoors(r, c) {
			names := []string{one.id, "core." + one.id}
			if one.id != "read" {
				names = names[:1] // one tool shows that both are good
			}
			for _, name := range names {
				writeFile(t, file, "one\ntwo\n")
				got, asked := r.approving(by, coreCall{Tool: name, Arguments: json.RawMessage(one.arguments)})
				if asked != one.asks {
					t.Errorf("%s by %s asked %d times", name, door, asked)
				}
				want := map[string]any{"type": "output", "data": one.want, "metadata": map[string]any{"tool": "core." + one.id, "outcome": "final"}}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s by %s: -want +got\n%s", name, door, diff)
				}
			}
		}
	}
	res, err := c.CallTool(r.context(), &mcp.CallToolParams{Name: "read", Arguments: map[string]any{"file_path": "i.png"}})
	if err != nil || len(res.Content) == 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	if image, ok := res.Content[len(res.Content)-1].(*mcp.ImageContent); !ok || image.MIMEType != "image/png" || string(image.Data) != "\x89PNG\r\n\x1a\nxyz" {
		t.Errorf("an image: %+v", res.Content)
	}
}

// The sidecar's own tools are in the effective set and not in the image's list nor on the card; what is to
// be done is in the status and in the metadata of the task that wrote it.
func TestCoreToolsAreShown(t *testing.T) {
	t.Parallel()
	r, _ := served(t, "--tools", "todo,read")
	if list := r.getPath("/a2a/tools").body; strings.Contains(list, "core.") || strings.Contains(list, `"todo"`) || !strings.Contains(list, "acme.echo") {
		t.Errorf("the image's list: %s", list)
	}
	if card := r.getPath("/.well-known/agent-card.json").body; strings.Contains(card, "core.todo") || strings.Contains(card, `"todo"`) {
		t.Errorf("the card: %s", card)
	}
	if rows := r.getPath("/a2a/tools/effective").body; !strings.Contains(rows, `{"name":"core.todo","namespace":"core",`) || !strings.Contains(rows, `"provenance":"core","source":"core","external_mappings":{"core":"todo"}}`) {
		t.Errorf("the effective set: %s", rows)
	}
	reply := r.do("POST", "/a2a/tools/todo", "application/json", `{"todos":[{"content":"build it","status":"in_progress"}]}`)
	if reply.status != 200 {
		t.Fatal(reply)
	}
	id := strings.TrimPrefix(reply.header.Get("Location"), "/")
	id = id[strings.LastIndexByte(id, '/')+1:]
	const todos = `{"entries":[{"content":"build it","status":"in_progress","priority":"medium"}],"open":1,"total":1}`
	task := r.get(id)
	if string(task.Metadata["todos"]) != todos {
		t.Errorf("the task's metadata: %s", task.Metadata["todos"])
	}
	if status := r.getPath("/status").body; !strings.Contains(status, `"todos":[{"contextId":"`+task.ContextID+`",`+strings.TrimPrefix(todos, "{")) {
		t.Errorf("the status: %s", status)
	}
	if reply := r.do("POST", "/a2a/tools/tood", "application/json", `{}`); reply.status != 404 || !strings.Contains(reply.body, `did you mean \"todo\"?`) {
		t.Errorf("%+v", reply)
	}
}
