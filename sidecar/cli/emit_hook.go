package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

const emitHookText = `Pass on what an agent tells its own hooks: that it works, asks or is done, and
its answer. AGENT is one of %s, and what it tells is
the last argument or stdin. run sets this up by itself, for the agents that it
knows; it is here for hooks of your own.

It observes and never disturbs: it takes two seconds at the most, prints nothing,
and exits with 0 whatever happens.`

const emitHookExits = `0    always`

// hookTime is the longest time for which a hook delays its agent.
const hookTime = 2 * time.Second

func newEmitHook(std Std) *cobra.Command {
	door := ""
	c := &cobra.Command{
		Use:         "hook AGENT [JSON]",
		Short:       "Pass on what an agent tells its own hooks",
		Long:        fmt.Sprintf(emitHookText, strings.Join(agent.HookCommands(), ", ")),
		Example:     "sidecar emit hook claude < event.json",
		Annotations: map[string]string{exitCodes: emitHookExits},
		RunE: func(c *cobra.Command, args []string) error {
			ctx, cancel := context.WithTimeout(c.Context(), hookTime)
			defer cancel()
			done := make(chan struct{})
			go func() { // not waited for after the limit: the process ends, and it with it
				defer close(done)
				_ = passOn(ctx, std, door, args) // nobody could read the error
			}()
			select {
			case <-done:
			case <-ctx.Done():
			}
			return nil
		},
		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVar(&door, "channel", "", "`FILE` that says where the channel is (SIDECAR_SOCKET and SIDECAR_CHANNEL_TOKEN)")
	// Exit code 2 would tell some agents not to do what they were about to do.
	c.SetFlagErrorFunc(func(*cobra.Command, error) error { return nil })
	return c
}

// passOn reads what the agent says, and reports it.
func passOn(ctx context.Context, std Std, door string, args []string) error {
	if len(args) == 0 {
		return errors.New("no agent")
	}
	var payload []byte
	if len(args) > 1 {
		payload = []byte(args[len(args)-1])
	} else {
		var err error
		if payload, err = readHook(std); err != nil {
			return err
		}
	}
	named := agent.Named(args[0])
	r, ok := named.Read(payload, spec.Tail)
	if !ok {
		return nil
	}
	socket, token := std.Getenv(socketVariable), std.Getenv(tokenVariable)
	if door != "" {
		var err error
		if socket, token, err = spec.OpenDoor(door); err != nil {
			return err
		}
	}
	client, err := channel.Dial(ctx, socket, token, channel.Capabilities{})
	if err != nil {
		return err
	}
	defer client.Close()
	err = client.Report(ctx, r)
	if errors.Is(err, channel.ErrFrame) { // that it ended matters more than its text
		r.Text, r.Prompt = "", ""
		err = client.Report(ctx, r)
	}
	return err
}

// readHook reads all of stdin, so that the agent can write all of it, and keeps it if
// it is not too long.
func readHook(std Std) ([]byte, error) {
	payload, err := io.ReadAll(io.LimitReader(std.In, spec.MaxPayload+1))
	if err == nil && len(payload) > spec.MaxPayload {
		_, err = io.Copy(io.Discard, std.In)
	}
	return payload, err
}
