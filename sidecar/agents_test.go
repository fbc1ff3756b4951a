package sidecar_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// runAgent is the body of one wrapped agent; most tests wrap sh instead.
func runAgent(name string) int {
	switch name {
	case "stubborn":
		return stubborn()
	case "connected":
		return connected()
	case "actor":
		return actor()
	case "crashing":
		return crashing()
	case "follower":
		return follower()
	case "caller":
		return caller()
	case "channel":
		return channelUser()
	case "self":
		return answersItself()
	case "escaper":
		return escaper()
	case "floods":
		return floods()
	case "layers":
		return triesLayers()
	case "proxied":
		return proxied()
	case "powerless":
		return powerless()
	case "approver":
		return approvesItself()
	case "platform":
		return platformUser()
	case "stays":
		return callsAndStays()
	case "undoer":
		return undoer()
	case "coreuser":
		return coreUser()
	case "mcpuser":
		return mcpUser()
	case "mcplong":
		return mcpLong()
	case "toolwatcher":
		return toolWatcher()
	}
	fmt.Fprintf(os.Stderr, "no agent is called %q\n", name)
	return 1
}

// stubborn ignores TERM, and so does the child that it starts in a session of
// its own; both say that they are there and stay.
func stubborn() int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	if os.Getenv("TEST_GRANDCHILD") == "" {
		self, err := os.Executable()
		if err != nil {
			return 1
		}
		child := exec.Command(self, "stubborn-grandchild")
		child.Env = append(os.Environ(), "TEST_GRANDCHILD=1")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := child.StdoutPipe()
		if err != nil {
			return 1
		}
		if err := child.Start(); err != nil {
			return 1
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			return 1
		}
	}
	fmt.Println("stubborn")
	select {}
}

// connected takes messages over the channel and answers with their text, or with
// the trace that they belong to.
func connected() int {
	_, err := channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{
		OnDeliver: func(_ context.Context, d channel.Delivery) (channel.Delivered, error) {
			if d.Text == "trace?" {
				d.Text = d.TraceParent
			}
			return channel.Delivered{Parts: []a2a.Part{a2a.TextPart(d.Text)}}, nil
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	select {}
}
