package sidecar_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// follower is an agent that does what the lines of its message say: "say TEXT", "ask TEXT", "cost USD", "status TEXT", "note" (it
// has begun), "hang", and "TOOL ARGUMENTS" for a call, of which it says the envelope.
func follower() int {
	ctx := context.Background()
	c, err := channel.Dial(ctx, os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
	must(err)
	defer c.Close()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "":
		case "say":
			fmt.Println(rest)
		case "ask":
			a, err := c.Ask(ctx, channel.Question{Text: rest})
			fmt.Println("answer:", a.Text, err)
		case "status":
			must(c.Status(ctx, channel.Status{Text: rest}))
		case "cost":
			usd := 0.0
			fmt.Sscan(rest, &usd)
			must(c.Usage(ctx, channel.Usage{CostUSD: &usd}))
		case "hang":
			select {}
		default:
			called, err := c.CallTool(ctx, channel.Call{Name: word, Arguments: []byte(rest)})
			must(err)
			fmt.Println(string(called.Envelope))
		}
	}
	return 0
}
