package sidecar_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// channelUser is an agent that reads what to do with a call of test.leaf over the channel, and
// prints what came of it.
func channelUser() int {
	text, err := io.ReadAll(os.Stdin)
	must(err)
	switch what := strings.TrimSpace(string(text)); what {
	case "talk", "leave":
		talkOver(what == "leave")
	default:
		c, err := channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
		must(err)
		defer c.Close()
		called, err := c.CallTool(context.Background(), channel.Call{Name: what, Arguments: json.RawMessage(`{"text":""}`)})
		fmt.Printf("%d bytes, %.300s … %v", len(called.Envelope), called.Envelope, err)
	}
	return 0
}

// talkOver makes a call, shows that it keeps nothing else from being answered, nor can be answered
// by who made it, and stops it: by a word or by leaving.
func talkOver(leave bool) {
	nc, err := net.Dial("unix", os.Getenv("SIDECAR_SOCKET"))
	must(err)
	in := bufio.NewReader(nc)
	say := func(method, params string, id int) {
		_, err := fmt.Fprintf(nc, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
		must(err)
	}
	hear := func() string {
		line, err := in.ReadString('\n')
		must(err)
		return line
	}
	say("initialize", `{"token":"`+os.Getenv("SIDECAR_CHANNEL_TOKEN")+`","protocolVersion":"1"}`, 0)
	fmt.Print(hear())
	say("tools/call", `{"name":"test.leaf","arguments":{"text":""},"progress":true}`, 1)
	fmt.Print(hear()) // it waits
	for id, method := range []string{"approvals/answer", "task/answer", "task/status"} {
		say(method, `{"id":"once","option":"once","text":"still here"}`, 10+id)
		fmt.Print(hear())
	}
	if leave {
		must(nc.Close())
		return
	}
	say("tools/cancel", `{"id":1}`, 20)
	for {
		line := hear()
		fmt.Print(line)
		if strings.Contains(line, `"id":1,`) {
			return
		}
	}
}

// TestCallOverTheChannelWaits: while a call over the channel waits for an approval, the agent
// can say other things, cannot give it, and can have the call stopped; nothing is run then.
func TestCallOverTheChannelWaits(t *testing.T) {
	t.Parallel()
	r, notes := callerAs(t, "channel", "--sandbox", "off")
	for _, what := range []string{"talk", "leave"} {
		begun := r.begin(what)
		var task *a2a.Task
		await.True(t, "the turn ends", func() bool {
			task = r.get(begun.ID)
			return task.Status.State.Terminal()
		})
		said := artifact(task, "response")
		for _, want := range []string{`"url":"` + r.url + `"`, `"method":"tools/progress","params":{"id":1,"event":{"statusUpdate":`, `"id":10,"error":{"code":-32601`, `"id":11,"error":{"code":-32601`, `"id":12,"result":{}`} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: no %s in %s", what, want, said)
			}
		}
		if what == "talk" && !strings.Contains(said, `"outcome":"canceled"`) {
			t.Errorf("not canceled: %s", said)
		}
		if task.Status.State != a2a.StateCompleted {
			t.Errorf("%s: %s", what, task.Status.State)
		}
		await.True(t, "nothing is left", func() bool {
			list, err := r.client().List(r.context(), &a2a.ListRequest{})
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range list.Tasks {
				if !one.Status.State.Terminal() {
					return false
				}
			}
			return true
		})
	}
	if _, err := os.Stat(notes); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the tool ran: %q", noted(t, notes))
	}
}

// TestLongResultOverTheChannel: a result that no frame holds comes as its head, with the file
// that has all of it.
func TestLongResultOverTheChannel(t *testing.T) {
	t.Parallel()
	r, _ := callerAs(t, "channel", "--sandbox", "off", "--max-output", "4MiB")
	ended, asked := r.decide(r.begin("test.long").ID, "once")
	said := artifact(ended, "response")
	var size int
	fmt.Sscanf(said, "%d bytes", &size)
	if asked != 1 || size < channel.MaxFrame/2 || size > channel.MaxFrame || !strings.Contains(said, `{"type":"output","data":{"head":"xxx`) || !strings.HasSuffix(said, "<nil>") {
		t.Errorf("asked %d times: %s", asked, said)
	}
}
