package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
)

const mcpText = `Serve the sidecar's tools by MCP on stdin and stdout, for the wrapped agent: the
agent's configuration names this command, and its calls are judged as all calls of
the agent are. It finds its sidecar by the FILE of --channel, or by SIDECAR_SOCKET
and SIDECAR_CHANNEL_TOKEN, and ends with its input.

While the sidecar is away, calls say that it is unavailable. sidecar run --give-tools
configures some agents so, and sidecar help mcp tells the rest: how to bring in tools
of MCP servers, and how other clients reach the sidecar's.`

const mcpExits = `0  the input has ended
2  the command line is wrong
4  no sidecar there`

func newMCP(std Std, settings *pflag.FlagSet) *cobra.Command {
	door := ""
	c := &cobra.Command{
		Use:         "mcp",
		Short:       "Serve the tools by MCP on stdin and stdout",
		Long:        mcpText,
		Example:     "sidecar mcp --channel channel.json",
		Annotations: map[string]string{exitCodes: mcpExits},
		Args:        cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			ctx, stop := untilInterrupt(c.Context())
			defer stop()
			return serveMCP(ctx, std, func() (fd, socket, token string, err error) {
				if door == "" {
					return std.Getenv(doorVariable), std.Getenv(socketVariable), std.Getenv(tokenVariable), nil
				}
				socket, token, err = spec.OpenDoor(door)
				return std.Getenv(doorVariable), socket, token, err
			})
		},
		DisableFlagsInUseLine: true,
	}
	c.Flags().StringVar(&door, "channel", "", "`FILE` that says where the channel is (SIDECAR_SOCKET and SIDECAR_CHANNEL_TOKEN)")
	c.AddCommand(newMCPLock(std, settings))
	return c
}

// serveMCP serves the tools until the input ends or ctx does.
func serveMCP(ctx context.Context, std Std, door func() (fd, socket, token string, err error)) error {
	b := newMCPBackend(ctx, door)
	defer b.close()
	if err := b.begin(); err != nil {
		return err
	}
	f := face.New(face.Options{Backend: b, Version: std.Version, Instructions: b.instructions})
	defer f.Close()
	ctx, stop := context.WithCancel(ctx)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		f.Follow(ctx)
	}()
	defer func() {
		stop()
		<-followed
	}()
	err := f.Serve(ctx, &mcp.IOTransport{Reader: std.In, Writer: keptOpen{std.Out}})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// keptOpen is an output that outlives the connection which writes to it.
type keptOpen struct{ *os.File }

// Close implements io.Closer.
func (keptOpen) Close() error { return nil }
