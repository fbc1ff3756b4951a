package sidecar_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/peer/peertest"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// answersItself is an agent that asks, and has a process of its own answer: over A2A,
// and by typing. How that went it shows on its terminal.
func answersItself() int {
	ctx := context.Background()
	if way := os.Getenv(selfWay); way != "" && os.Getenv(selfTask) != "" {
		fmt.Println(answerHidden(way))
		return 0
	}
	if os.Getenv(selfTask) != "" {
		fmt.Println(answerAndType(ctx))
		return 0
	}
	c, err := channel.Dial(ctx, os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
	must(err)
	fmt.Print("ready> ")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Print("ready> ") {
		go func() { fmt.Print("tried:\n", haveItAnswered(ctx)) }()
		a, err := c.Ask(ctx, channel.Question{Text: "may I?", Options: []channel.Option{{ID: "yes"}, {ID: "no"}}})
		must(err)
		must(c.Done(ctx, channel.Done{Text: "decided: " + a.OptionID}))
	}
	return 0
}

// selfTask makes its process answer the question of that task, and selfWay hide.
const (
	selfTask = "TEST_SELF_TASK"
	selfWay  = "TEST_SELF_WAY"
)

// haveItAnswered starts a process that answers as soon as the task asks, in a
// session of its own.
func haveItAnswered(ctx context.Context) string {
	client := client.New(os.Getenv("SIDECAR_URL"), nil)
	for {
		doc, err := client.Document(ctx, "/status")
		must(err)
		var s toldStatus
		must(json.Unmarshal(doc.Body, &s))
		task, err := client.Get(ctx, &a2a.GetRequest{ID: s.Sessions[0].TaskID})
		must(err)
		if task.Status.State == a2a.StateInputRequired {
			self, err := os.Executable()
			must(err)
			cmd := exec.Command(self)
			cmd.Env = []string{asAgent + "=self", selfTask + "=" + task.ID, "SIDECAR_URL=" + os.Getenv("SIDECAR_URL"),
				selfWay + "=" + os.Getenv(selfWay)}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := cmd.Output()
			must(err)
			return string(out)
		}
	}
}

// answerHidden answers by a connection that is hidden before the answer comes.
func answerHidden(way string) string {
	address := strings.TrimPrefix(os.Getenv("SIDECAR_URL"), "http://")
	body := fmt.Sprintf(`{"message":{"messageId":"1","role":"ROLE_USER","taskId":%q,"parts":[{"text":"yes"}]}}`, os.Getenv(selfTask))
	local, err := peertest.Hide(way, netip.MustParseAddrPort(address), fmt.Sprintf(
		"POST /message:send HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", address, len(body), body))
	if err != nil {
		return fmt.Sprintf("cannot hide: %v\nthat is all\n", err)
	}
	must(peertest.Answered(local))
	return "that is all\n"
}

func answerAndType(ctx context.Context) string {
	_, err := client.New(os.Getenv("SIDECAR_URL"), nil).Send(ctx, &a2a.SendRequest{
		Message: a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, TaskID: os.Getenv(selfTask), Parts: []a2a.Part{a2a.TextPart("yes")}},
	})
	_, naming := client.New(os.Getenv("SIDECAR_URL"), nil).Send(ctx, &a2a.SendRequest{
		Message: a2a.Message{
			ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("read it")},
			Metadata: a2a.Metadata{capability.DirectoriesURI: json.RawMessage(`["/etc"]`)},
		},
	})
	req, err2 := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv("SIDECAR_URL")+"/terminal/attach?write=1", nil)
	must(err2)
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "MDAwMDAwMDAwMDAwMDAwMA==",
	} {
		req.Header.Set(name, value)
	}
	resp, err2 := http.DefaultClient.Do(req)
	must(err2)
	resp.Body.Close()
	return fmt.Sprintf("answering: %v\nnaming: %.80s\ntyping: %d\nthat is all\n", err, fmt.Sprint(naming), resp.StatusCode)
}

// TestAgentDoesNotAnswerItself: what it asks is for others to decide, whatever
// process of its own says otherwise.
func TestAgentDoesNotAnswerItself(t *testing.T) {
	t.Parallel()
	r := run(t, append([]string{"--"}, agentCommand(t, "self")...)...)
	await.True(r.t, "the prompt", func() bool { return r.shows("ready>") })
	asked := r.begin("ask")
	r.untilStateOf(asked.ID, a2a.StateInputRequired)
	screen := r.selfTried()
	if !strings.Contains(screen, "answering: the agent's own processes may not") || !strings.Contains(screen, "typing: 403") || !strings.Contains(screen, "naming: the agent's own processes may not") {
		t.Errorf("its process was told:\n%s", screen)
	}
	r.personDecides(asked.ID)
}

// selfTried waits until the agent's own process has tried everything, and returns the
// screen.
func (r *running) selfTried() (screen string) {
	r.t.Helper()
	await.True(r.t, "its process has tried", func() bool {
		screen = r.getPath("/terminal").body
		return strings.Contains(screen, "that is all")
	})
	return screen
}

// personDecides answers the question of a task from outside, which nobody else has
// answered yet.
func (r *running) personDecides(task string) {
	r.t.Helper()
	answer := userMessage("no")
	answer.TaskID = task
	if _, err := r.client().Send(r.context(), &a2a.SendRequest{Message: answer}); err != nil {
		r.t.Fatal(err)
	}
	if got := r.settle(task); got.Status.Message == nil || got.Status.Message.Parts[0].Text != "decided: no" {
		r.t.Errorf("the task ended as %+v", got.Status)
	}
}

// TestAgentDoesNotAnswerItselfUnseen: nor when it hides who answers.
func TestAgentDoesNotAnswerItselfUnseen(t *testing.T) {
	t.Parallel()
	for _, way := range peertest.Ways() {
		t.Run(way, func(t *testing.T) {
			command := agentCommand(t, "self")
			command = slices.Insert(command, 1, selfWay+"="+way)
			r := run(t, append([]string{"--"}, command...)...)
			await.True(r.t, "the prompt", func() bool { return r.shows("ready>") })
			asked := r.begin("ask")
			screen := r.selfTried()
			if way == peertest.Ring && strings.Contains(screen, "cannot hide") {
				t.Skip("the kernel refuses io_uring:", screen)
			}
			if strings.Contains(screen, "cannot hide") {
				t.Fatal(screen)
			}
			r.untilStateOf(asked.ID, a2a.StateInputRequired)
			r.personDecides(asked.ID)
		})
	}
}
