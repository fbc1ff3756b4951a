package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

const (
	// agentGate, in the environment, makes this test binary the agent, and
	// names where it asks to go on.
	agentGate = "INTEROP_GATE"

	agentEvents = 10_000
	agentBlock  = 500 // it writes so many before it asks again,
	agentBatch  = 20  // and so many before it reads what they were answered
)

// line is the text of the i-th event.
func line(i int) string { return fmt.Sprintf("%05d\n", i) }

// runAgent says ten thousand things over the channel, each an event of its own,
// no faster than the gate lets it.
func runAgent(gate string) error {
	conn, err := net.Dial("unix", os.Getenv("SIDECAR_SOCKET"))
	if err != nil {
		return err
	}
	defer conn.Close()
	w, answers := bufio.NewWriter(conn), bufio.NewReader(conn)
	calls := 0
	call := func(method string, params any) error {
		calls++
		frame, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": calls, "method": method, "params": params})
		if err != nil {
			return err
		}
		_, err = w.Write(append(frame, '\n'))
		return err
	}
	if err := call("initialize", map[string]any{"token": os.Getenv("SIDECAR_CHANNEL_TOKEN"), "protocolVersion": "1"}); err != nil {
		return err
	}
	for i := range agentEvents {
		err := call("task/artifact", map[string]any{
			"artifactId": "log", "append": i > 0, "lastChunk": i == agentEvents-1, "parts": []any{map[string]string{"text": line(i)}},
		})
		if err != nil {
			return err
		}
		if (i+1)%agentBatch != 0 {
			continue
		}
		if err := w.Flush(); err != nil {
			return err
		}
		for ; calls > 0; calls-- {
			if answer, err := answers.ReadBytes('\n'); err != nil || !json.Valid(answer) {
				return fmt.Errorf("answered %q: %w", answer, err)
			}
		}
		if (i+1)%agentBlock != 0 {
			continue
		}
		if err := pass(gate, i+1); err != nil {
			return err
		}
	}
	return nil
}

// pass waits at the gate.
func pass(gate string, written int) error {
	resp, err := http.Get(fmt.Sprintf("%s/%d", gate, written))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
