package channel_test

import (
	"context"
	"fmt"
	"os"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// A wrapped program says what it does, asks, and ends its turn. The sidecar gives
// it the socket and a token of its own, in SIDECAR_SOCKET and SIDECAR_CHANNEL_TOKEN.
func ExampleDial() {
	dir, err := os.MkdirTemp("/tmp", "ch")
	must(err)
	defer os.RemoveAll(dir)
	server, err := channel.Listen(channel.Options{RuntimeDir: dir, UID: -1})
	must(err)
	defer server.Close()
	turn := &owner{} // what the program says is this one's
	grant := server.Grant(turn)
	defer grant.Revoke()

	ctx := context.Background()
	c, err := channel.Dial(ctx, server.Path(), grant.Token(), channel.Capabilities{})
	must(err)
	defer c.Close()
	must(c.Status(ctx, channel.Status{Text: "looking at the orders"}))
	answer, err := c.Ask(ctx, channel.Question{Text: "cancel order 7?", Options: []channel.Option{{ID: "yes"}, {ID: "no"}}})
	must(err)
	must(c.Done(ctx, channel.Done{Text: "you said " + answer.OptionID}))
	fmt.Println("you said", answer.OptionID)
	// Output: you said yes
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
