package turn_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// play is the test binary as an agent.
func play(name string, args []string) int {
	switch name {
	case "flood": // n bytes in lines
		var n int
		fmt.Sscan(args[0], &n)
		w := bufio.NewWriterSize(os.Stdout, 64<<10)
		for line := []byte(strings.Repeat("x", 1023) + "\n"); n > 0; n -= len(line) {
			w.Write(line)
		}
		w.Flush()
	case "file": // a file on stdout, another on stderr, and an exit code
		var code int
		io.Copy(io.Discard, os.Stdin)
		out, _ := os.ReadFile(args[0])
		os.Stdout.Write(out)
		if args[1] != "" {
			serr, _ := os.ReadFile(args[1])
			os.Stderr.Write(serr)
		}
		fmt.Sscan(args[2], &code)
		return code
	case "agent":
		return playAgent(args)
	case "lines":
		return playLines()
	case "talker":
		return playTalker(args)
	case "fake":
		return playFake(args)
	case "--version":
		fmt.Println("governed", os.Getenv("GOVERNED_VERSION"))
	case "caged":
		return playCaged(args)
	case "governed":
		return playGoverned(args)
	default:
		fmt.Fprintln(os.Stderr, "no such program:", name)
		return 99
	}
	return 0
}

// dial connects to the sidecar that started this process.
func dial(c channel.Capabilities) *channel.Client {
	client, err := channel.Dial(context.Background(), os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dial:", err)
		os.Exit(98)
	}
	return client
}

// playAgent speaks over the channel, as its first argument says.
func playAgent(args []string) int {
	ctx := context.Background()
	switch args[0] {
	case "say": // everything that emit can say, then stay
		c := dial(channel.Capabilities{})
		half := 0.5
		check(c.Status(ctx, channel.Status{Text: "half way", Progress: &half}))
		check(c.Artifact(ctx, a2a.ArtifactUpdate{Artifact: a2a.Artifact{Name: "report", Parts: []a2a.Part{a2a.TextPart("all good")}}}))
		in, out, cost := int64(7), int64(9), 0.25
		check(c.Usage(ctx, channel.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: &cost, Model: "m1"}))
		c.Close()
	case "forge": // publish what is the sidecar's to publish
		c := dial(channel.Capabilities{})
		for _, id := range args[1:] {
			fmt.Println(id, c.Artifact(ctx, a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart("forged")}}}) != nil)
		}
		c.Close()
	case "done": // done with a state, then go on with a command
		c := dial(channel.Capabilities{})
		check(c.Done(ctx, channel.Done{State: a2a.TaskState(args[1]), Text: args[2], Message: args[3] == "message"}))
		c.Close()
		if args[4] == "stay" {
			<-make(chan os.Signal)
		}
		var code int
		fmt.Sscan(args[4], &code)
		return code
	case "parts": // an answer that begins on stdout
		fmt.Print("out loud")
		c := dial(channel.Capabilities{})
		check(c.Done(ctx, channel.Done{Parts: []a2a.Part{a2a.DataPart([]byte(`{"n":1}`))}}))
		c.Close()
	case "ask":
		c := dial(channel.Capabilities{})
		a, err := c.Ask(ctx, channel.Question{Text: "really?", Options: []channel.Option{{ID: "y", Label: "yes"}, {ID: "n", Label: "no"}}})
		if err != nil {
			fmt.Printf("nobody: %v", err)
			return 0
		}
		fmt.Printf("answer %s %s", a.OptionID, a.Text)
	case "serve": // take messages and calls
		serve()
	}
	return 0
}

// serve takes messages and calls over the channel until the terminal hangs up.
func serve() {
	var c *channel.Client
	ready := make(chan struct{}) // a message may come before dial returns
	c = dial(channel.Capabilities{
		Name: "server",
		OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
			<-ready
			whole := context.WithoutCancel(ctx) // a cancel may overtake the answer to a report
			switch d.Text {
			case "lose":
				c.Close()
				return channel.Delivered{}, nil
			case "wait":
				check(c.Status(whole, channel.Status{Text: "waiting"}))
				<-ctx.Done()
				return channel.Delivered{}, context.Cause(ctx)
			case "deaf":
				check(c.Status(whole, channel.Status{Text: "waiting"}))
				<-make(chan struct{})
			case "more":
				return channel.Delivered{State: a2a.StateInputRequired}, nil
			case "done":
				check(c.Done(whole, channel.Done{Text: "all done"}))
				<-ctx.Done()
				return channel.Delivered{}, context.Cause(ctx)
			case "exit":
				os.Exit(3)
			}
			return channel.Delivered{Parts: []a2a.Part{a2a.TextPart("heard " + d.Text)}}, nil
		},
		OnCall: func(_ context.Context, k channel.ToolCall) (channel.ToolResult, error) {
			return channel.ToolResult{Content: []a2a.Part{a2a.TextPart("called " + k.Name)}, StructuredContent: k.Arguments}, nil
		},
	})
	close(ready)
	io.Copy(io.Discard, os.Stdin) // the process outlives its connection
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(97)
	}
}
