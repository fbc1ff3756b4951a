package channel_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// The test binary, started with agentVariable, is an agent that connects there
// and says how that went, or, with agentSilent, opens all the connections it can
// and says nothing on them.
const (
	agentVariable = "CHANNEL_TEST_AGENT"
	agentSilent   = "CHANNEL_TEST_SILENT"
	agentOrphanOf = "CHANNEL_TEST_ORPHAN_OF" // wait until this is the parent
	agentToken    = "CHANNEL_TEST_TOKEN"     // in place of the usual variable
)

func playAgent(socket, token string, silent bool) {
	if token == "" {
		token = os.Getenv(agentToken)
	}
	for parent := os.Getenv(agentOrphanOf); parent != "" && parent != strconv.Itoa(os.Getppid()); {
		<-time.After(time.Millisecond)
	}
	for silent {
		nc, err := net.Dial("unix", socket)
		if err != nil {
			break
		}
		var one [1]byte
		nc.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
		if n, _ := nc.Read(one[:]); n == 1 { // one too many
			silent = false
		}
		defer nc.Close()
	}
	c, err := channel.Dial(context.Background(), socket, token, channel.Capabilities{})
	fmt.Println("said:", err)
	if err == nil {
		defer c.Close()
	}
	io.Copy(io.Discard, os.Stdin) // until the test has seen it
}
