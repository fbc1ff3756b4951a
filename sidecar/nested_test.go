package sidecar_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// callerSidecar is a sidecar whose agent and whose tools call tools.
func callerSidecar(t *testing.T, args ...string) (r *running, notes string) {
	t.Helper()
	return callerIn(t, append([]string{"--sandbox", "off"}, args...)...)
}

// callerIn is a callerSidecar whose tools run in the sandbox of the arguments.
func callerIn(t *testing.T, args ...string) (r *running, notes string) {
	t.Helper()
	return callerAs(t, "caller", args...)
}

// callerAs is callerIn for another agent. One tool says more than a frame of the channel holds.
func callerAs(t *testing.T, agent string, args ...string) (r *running, notes string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	workspace := t.TempDir()
	notes = filepath.Join(workspace, "notes")
	command, _ := json.Marshal([]string{"env", asAgent + "=caller", "NOTES=" + notes, self})
	tool := func(name, bridge string) string {
		return `{"name":"` + name + `","description":"calls","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},` +
			`"x-sidecar":{"effects":"write","bridge":` + bridge + `}}`
	}
	exec := `{"exec":{"command":` + string(command) + `}}`
	manifest := writeManifest(t, "["+strings.Join([]string{
		tool("test.exec", exec), tool("test.leaf", exec), tool("test.agent", `{"agent":{}}`), tool("test.prompt", `{"prompt":"{text}"}`),
		tool("test.long", `{"exec":{"command":["sh","-c","head -c 2000000 /dev/zero | tr '\\0' x"]}}`),
	}, ",")+"]")
	args = append(append([]string{"--mode", "oneshot", "--workspace", workspace, "--manifest", manifest}, args...), "--", "env", asAgent+"="+agent, "NOTES="+notes, self)
	return run(t, args...), notes
}

func noted(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// decide answers what the task asks until it has ended, and returns how often that was.
func (r *running) decide(id, answer string) (task *a2a.Task, asked int) {
	r.t.Helper()
	for {
		await.True(r.t, "task "+id+" asks or ends", func() bool {
			task = r.get(id)
			return task.Status.State.Terminal() || task.Status.State == a2a.StateAuthRequired
		})
		if task.Status.State.Terminal() {
			return task, asked
		}
		asked++
		m := userMessage(answer)
		m.TaskID = id
		if _, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m, ReturnImmediately: true}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// TestOwnProcessAsksAtEveryDoor: what the agent calls is the agent's, whatever way it
// takes, and asks where somebody waits: in the task of its turn.
func TestOwnProcessAsksAtEveryDoor(t *testing.T) {
	t.Parallel()
	r, notes := callerSidecar(t)
	for _, way := range callWays() {
		t.Run(way, func(t *testing.T) {
			os.Remove(notes)
			begun := r.begin(way + " test.leaf")
			ended, asked := r.decide(begun.ID, "reject")
			if asked != 1 || !strings.Contains(artifact(ended, "response"), "not approved") {
				t.Errorf("asked %d times, answered %s", asked, artifact(ended, "response"))
			}
			if got := fmt.Sprint(noted(t, notes)); got != "[begin  end]" {
				t.Errorf("the tool ran: %s", got)
			}
			begun = r.begin(way + " test.leaf")
			ended, asked = r.decide(begun.ID, "once")
			if said := artifact(ended, "response"); asked != 1 || !strings.Contains(said, "[test.leaf]") {
				t.Errorf("asked %d times, answered %s", asked, said)
			}
		})
	}
	list, err := r.client().List(r.context(), &a2a.ListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	contexts, parts := map[string]int{}, 0
	for _, one := range list.Tasks {
		contexts[one.ContextID]++
		if parent := one.Metadata["parentTask"]; parent != nil {
			parts++
			if of := r.get(strings.Trim(string(parent), `"`)); of.ContextID != one.ContextID {
				t.Errorf("a call of the agent's is in context %s, its turn in %s", one.ContextID, of.ContextID)
			}
		}
	}
	if parts != 2*len(callWays()) {
		t.Errorf("%d calls belong to a turn, want %d", parts, 2*len(callWays()))
	}
}

// TestNestedCallsEnd: calls three deep, each of which writes, through every bridge that
// starts something, end; and while one has written the others had not begun, or wait for it.
// In the sandbox, where there is no other way, the calls go over the channel.
func TestNestedCallsEnd(t *testing.T) {
	t.Parallel()
	t.Run("off", func(t *testing.T) { nestedCallsEnd(t, "post", "--sandbox", "off") })
	t.Run("default", func(t *testing.T) { nestedCallsEnd(t, callCommand) })
}

// TestSandboxedCallsByTheChannelOnly: what the default sandbox leaves a program is the channel.
func TestSandboxedCallsByTheChannelOnly(t *testing.T) {
	t.Parallel()
	if sandbox.Probe().Layers&sandbox.Seccomp == 0 {
		t.Skip("nothing here takes sockets from a program")
	}
	r, notes := callerIn(t)
	for way, want := range map[string]string{"post": "[begin test.exec]", callCommand: "[begin test.exec begin test.leaf end test.leaf end test.exec]"} {
		os.Remove(notes)
		result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: toolMessage("test.exec", `{"text":"`+way+` test.leaf"}`), ReturnImmediately: true})
		if err != nil {
			t.Fatal(err)
		}
		r.decide(result.Task.ID, "once")
		if got := fmt.Sprint(noted(t, notes)); got != want {
			t.Errorf("%s: %s, want %s", way, got, want)
		}
	}
}

func nestedCallsEnd(t *testing.T, way string, args ...string) {
	for _, chain := range []string{
		"test.exec,test.exec,test.leaf",
		"test.exec,test.agent,test.exec,test.leaf",
		"test.agent,test.exec,test.prompt,test.leaf",
		"test.prompt,test.agent,test.prompt,test.leaf",
	} {
		t.Run(chain, func(t *testing.T) {
			t.Parallel()
			r, notes := callerIn(t, append(args[:len(args):len(args)], "--max-concurrency", "1")...)
			first, rest, _ := strings.Cut(chain, ",")
			arguments, _ := json.Marshal(map[string]string{"text": way + " " + rest})
			result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: toolMessage(first, string(arguments)), ReturnImmediately: true})
			if err != nil {
				t.Fatal(err)
			}
			ended, asked := r.decide(result.Task.ID, "once")
			depth := strings.Count(chain, ",")
			if ended.Status.State != a2a.StateCompleted || asked != depth {
				t.Fatalf("%s after %d approvals of %d: %s", ended.Status.State, asked, depth, artifact(ended, "result"))
			}
			var open []string
			for _, line := range noted(t, notes) {
				what, name, _ := strings.Cut(line, " ")
				if what == "begin" {
					open = append(open, name)
				} else if open[len(open)-1] != name {
					t.Errorf("%s ended while %s wrote", name, open[len(open)-1])
				} else {
					open = open[:len(open)-1]
				}
			}
			if len(open) > 0 || len(noted(t, notes)) != 2*(depth+1) {
				t.Errorf("notes %q", noted(t, notes))
			}
		})
	}
}

// TestToolCallTerms: how long a call may take, and its batch, through both doors.
func TestToolCallTerms(t *testing.T) {
	t.Parallel()
	r, _ := callerSidecar(t)
	for _, one := range []struct {
		query, members string
		status         int
		says           string
	}{
		{"timeout=1ns", `"timeout":"1ns"`, 504, "1ns"},
		{"timeout=1m&batch=b&onFailure=cancel", `"timeout":"1m","batch":{"id":"b","onFailure":"cancel"}`, 200, "[test.leaf]"},
		{"timeout=soon", `"timeout":"soon"`, 400, "30s"},
		{"timeout=-1s", `"timeout":"-1s"`, 400, "30s"},
		{"batch=b&onFailure=stop", `"batch":{"id":"b","onFailure":"stop"}`, 400, "continue"},
		{"onFailure=cancel", `"batch":{"onFailure":"cancel"}`, 400, "name the batch"},
	} {
		if got := r.do("POST", "/a2a/tools/test.leaf?"+one.query, "application/json", `{"text":""}`); got.status != one.status || !strings.Contains(got.body, one.says) {
			t.Errorf("%s: %d %s", one.query, got.status, got.body)
		}
		m := toolMessage("test.leaf", `{"text":""}`)
		m.Parts[0] = a2a.DataPart(json.RawMessage(`{"toolCall":{"name":"test.leaf","arguments":{"text":""},` + one.members + `}}`))
		result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m})
		if one.status == 400 {
			if err == nil || !strings.Contains(err.Error(), one.says) {
				t.Errorf("%s: %v", one.members, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if said := artifact(result.Task, "result"); !strings.Contains(said, one.says) {
			t.Errorf("%s: %s", one.members, said)
		}
	}
}
