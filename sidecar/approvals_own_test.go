package sidecar_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

// stolenToken is the variable with the token of a caller that the agent has got hold of.
const stolenToken = "TEST_STOLEN"

// approvesItself is an agent that calls a tool and says yes at every door, first with
// nothing, then with its token; or with one that it has stolen. It prints what each of them
// answered.
func approvesItself() int {
	ctx := context.Background()
	base := os.Getenv("SIDECAR_URL")
	tokens := []string{"", os.Getenv("SIDECAR_CHANNEL_TOKEN")}
	own := client.New(base, nil)
	if stolen := os.Getenv(stolenToken); stolen != "" {
		tokens = []string{stolen}
		own.Header = http.Header{"Authorization": {"Bearer " + stolen}}
	}
	called := make(chan *a2a.ToolReply)
	go func() {
		r, err := own.CallTool(ctx, &a2a.ToolRequest{Name: "acme.say", Arguments: []byte(`{"text":"hello"}`)})
		must(err)
		called <- r
	}()
	task, d := ownQuestion(ctx, own)
	data := fmt.Sprintf(`{%q:{"id":%q,"digest":%q,"option":"once"}}`, approval.URI, d.ID, d.Digest)
	for _, token := range tokens {
		try := func(door, method, path, body string) {
			fmt.Printf("%s: %s\n", door, knock(ctx, token, method, base+path, body))
		}
		for name, encode := range approvalDialects {
			path, body := encode(task, data)
			try(name, http.MethodPost, path, body)
		}
		try("text", http.MethodPost, "/message:send", `{"message":{"messageId":"t","role":"ROLE_USER","taskId":"`+task+`","parts":[{"text":"once"}]}}`)
		try("post", http.MethodPost, "/a2a/approvals/"+d.ID, fmt.Sprintf(`{"digest":%q,"option":"once"}`, d.Digest))
		try("list", http.MethodGet, "/a2a/approvals", "")
		try("get", http.MethodGet, "/a2a/approvals/"+d.ID, "")
	}
	for _, command := range []string{"approve", "deny"} {
		self, err := os.Executable()
		must(err)
		cmd := exec.Command(self, command, d.ID)
		cmd.Env = append(os.Environ(), asSidecar+"=1", "SIDECAR_TOKEN="+os.Getenv(stolenToken))
		out, _ := cmd.CombinedOutput() // that it fails is what it prints
		fmt.Printf("%s: %s\n", command, bytes.ReplaceAll(out, []byte("\n"), []byte(" ")))
	}
	fmt.Println("that is all")
	fmt.Printf("called: %s\n", (<-called).Envelope)
	return 0
}

// ownQuestion waits until the agent's own task asks.
func ownQuestion(ctx context.Context, own *client.Client) (string, *approval.Document) {
	id := os.Getenv("SIDECAR_TASK_ID")
	for {
		task, err := own.Get(ctx, &a2a.GetRequest{ID: id})
		must(err)
		if task.Status.State != a2a.StateAuthRequired {
			continue
		}
		for _, p := range task.Status.Message.Parts {
			var part map[string]*approval.Document
			if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &part) == nil && part[approval.URI] != nil {
				return id, part[approval.URI]
			}
		}
	}
}

// knock sends a request on a connection of its own and returns the answer on one line.
func knock(ctx context.Context, token, method, url, body string) string {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	must(err)
	req.Close = true
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	must(err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	must(err)
	return fmt.Sprint(res.StatusCode, " ", strings.ReplaceAll(string(answer), "\n", " "))
}

// TestAgentDoesNotApproveItself: at no door, whatever it shows, be it the token of the one
// whom the rules let approve.
func TestAgentDoesNotApproveItself(t *testing.T) {
	t.Parallel()
	tools, file := filepath.Join(t.TempDir(), "tools.json"), filepath.Join(t.TempDir(), "policy.json")
	writeFile(t, tools, sayTools("says it"))
	writeFile(t, file, rulesOf("ask", "alice decides", `,"approvers":["alice"]`))
	agent := agentCommand(t, "approver")
	for _, c := range []struct {
		name, token string
		args, agent []string
		tried       int
	}{
		{"its own", "", nil, agent, 2*8 + 2},
		{"the approver's token", aliceToken, []string{"--policy", file, "--token-file", writeTokens(t)}, slices.Insert(slices.Clone(agent), 1, stolenToken+"="+aliceToken), 8 + 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, append(append([]string{"--manifest", tools, "--mode", "oneshot"}, c.args...), append([]string{"--"}, c.agent...)...)...)
			client := r.as(c.token)
			begun, err := client.Send(r.context(), &a2a.SendRequest{Message: userMessage("go"), ReturnImmediately: true})
			if err != nil {
				t.Fatal(err)
			}
			var task *a2a.Task
			await.True(t, "it has tried every door", func() bool {
				if task, err = client.Get(r.context(), &a2a.GetRequest{ID: begun.Task.ID}); err != nil {
					t.Fatal(err)
				}
				return strings.Contains(artifact(task, "response"), "that is all")
			})
			doorsWereShut(t, artifact(task, "response"), c.tried)
			d := r.document(task) // it still waits
			if got := r.post(c.token, d, d.Digest, "reject"); got != "200" {
				t.Errorf("a person's answer: %s", got)
			}
			if said := r.untilEnded(c.token, task.ID); !strings.Contains(said, `"outcome":"rejected"`) {
				t.Errorf("its call ended as %s", said)
			}
		})
	}
}

// doorsWereShut checks what each of some doors said to an own process.
func doorsWereShut(t *testing.T, said string, want int) {
	t.Helper()
	tried := 0
	for line := range strings.Lines(said) {
		door, answer, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case door == "that is all":
			continue
		case !strings.Contains(answer, "may not answer what it asks"):
			t.Errorf("%s answered %s", door, answer)
		case door != "approve" && door != "deny" && !strings.Contains(door, "JSON-RPC") && !strings.HasPrefix(answer, "403 "):
			t.Errorf("%s answered %s", door, answer)
		}
		tried++
	}
	if tried != want {
		t.Errorf("it tried %d doors, want %d:\n%s", tried, want, said)
	}
}

// TestApprovalAtTheTerminal: a call that the agent makes outside of a turn rings the
// person's bell, and waits for sidecar approve from another terminal.
func TestApprovalAtTheTerminal(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	tools := filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, sayTools("says it"))
	v := view(t, 100, 30, []string{"XDG_STATE_HOME=" + state, "PATH=" + os.Getenv("PATH"), "SELF=" + self, "SIDECAR_DRAIN_TIMEOUT=100ms"},
		"run", "--port", "0", "--host", "127.0.0.1", "--manifest", tools, "--", "bash", "--norc", "-i")
	var url string
	v.until("the address", func(all, _ string) bool {
		url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(all)
		return url != ""
	})
	v.until("the prompt", func(_, screen string) bool { return strings.Contains(screen, "bash-") })
	cli := func(args ...string) string {
		t.Helper()
		cmd := sidecarCommand(args...)
		cmd.Env = append(cmd.Env, "SIDECAR_URL="+url)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("sidecar %s: %v: %s", args, err, out)
		}
		return string(out)
	}
	for _, c := range []struct{ command, shown string }{{"approve", "said: hello"}, {"deny", "was not approved"}} {
		v.types(asSidecar + `=1 $SELF call acme.say '{"text":"hel'lo'"}' & ` + "\r")
		var id string
		v.until("the bell and the title", func(all, _ string) bool {
			if found := regexp.MustCompile(`\x07\x1b\[22;2t\x1b\]2;sidecar: acme\.say waits for your yes: sidecar approve ([0-9a-f-]+)\x07`).FindAllStringSubmatch(all, -1); found != nil {
				id = found[len(found)-1][1]
			}
			return id != "" && strings.Count(all, "\x1b[22;2t") == strings.Count(all, "\x1b[23;2t")+1
		})
		if list := cli("approvals"); !strings.Contains(list, id) || !strings.Contains(list, `arguments {"text":"hello"}`) {
			t.Errorf("listed: %s", list)
		}
		v.types(asSidecar + "=1 $SELF approve " + id + "\r") // in the agent's own terminal
		v.shows("the agent's own processes may not")
		if said := cli(c.command, id); !strings.Contains(said, "May the agent's call of acme.say run?") || !strings.Contains(said, "answered: ") {
			t.Errorf("%s says %s", c.command, said)
		}
		v.shows(c.shown)
		v.until("the title of before", func(all, _ string) bool { return strings.Count(all, "\x1b[22;2t") == strings.Count(all, "\x1b[23;2t") })
		v.types("\rclear\r")
	}
	log, err := os.ReadFile(filepath.Join(state, "sidecar", "sidecar.log"))
	if n := strings.Count(string(log), "a call of the agent's waits for an approval"); err != nil || n != 2 {
		t.Errorf("%d lines in the log, %v", n, err)
	}
	v.types("exit\r")
	v.ends(0, "")
}
