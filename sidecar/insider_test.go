package sidecar_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// insider is an agent that asks, and has a process of its own answer: over A2A,
// and by typing. How that went it shows on its terminal.
func insider() int {
	ctx := context.Background()
	if os.Getenv(insiderTask) != "" {
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

// insiderTask makes the insider's process answer.
const insiderTask = "TEST_INSIDER_TASK"

// haveItAnswered starts a process that answers as soon as the task asks, in a
// session of its own.
func haveItAnswered(ctx context.Context) string {
	client := a2a.NewClient(os.Getenv("SIDECAR_URL"), nil)
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
			cmd.Env = []string{asAgent + "=insider", insiderTask + "=" + task.ID, "SIDECAR_URL=" + os.Getenv("SIDECAR_URL")}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := cmd.Output()
			must(err)
			return string(out)
		}
	}
}

func answerAndType(ctx context.Context) string {
	_, err := a2a.NewClient(os.Getenv("SIDECAR_URL"), nil).Send(ctx, &a2a.SendRequest{
		Message: a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, TaskID: os.Getenv(insiderTask), Parts: []a2a.Part{a2a.TextPart("yes")}},
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
	return fmt.Sprintf("answering: %v\ntyping: %d\nthat is all\n", err, resp.StatusCode)
}

// TestAgentDoesNotAnswerItself: what it asks is for others to decide, whatever
// process of its own says otherwise (DESIGN 8).
func TestAgentDoesNotAnswerItself(t *testing.T) {
	r := run(t, append([]string{"--"}, agentCommand(t, "insider")...)...)
	asked := r.begin("ask")
	r.untilStateOf(asked.ID, a2a.StateInputRequired)
	screen := ""
	r.eventually("its process has tried", func() bool {
		screen = r.getPath("/terminal").body
		return strings.Contains(screen, "that is all")
	})
	if !strings.Contains(screen, "answering: the agent's own processes may not") || !strings.Contains(screen, "typing: 403") {
		t.Errorf("its process was told:\n%s", screen)
	}
	_, err := r.client().Send(r.context(), &a2a.SendRequest{
		Message: a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, TaskID: asked.ID, Parts: []a2a.Part{a2a.TextPart("no")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.settle(asked.ID); got.Status.Message == nil || got.Status.Message.Parts[0].Text != "decided: no" {
		t.Errorf("the task ended as %+v", got.Status)
	}
}
