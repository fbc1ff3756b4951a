package cli

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// The variables with which an agent finds its sidecar.
const (
	socketVariable = "SIDECAR_SOCKET"
	tokenVariable  = "SIDECAR_CHANNEL_TOKEN"
)

// withChannel calls do with a connection to the sidecar that started us.
func withChannel(ctx context.Context, std Std, do func(*channel.Client) error) error {
	socket, token := std.Getenv(socketVariable), std.Getenv(tokenVariable)
	if socket == "" || token == "" {
		return &exitError{code: exitNoSidecar, err: errors.New("no sidecar: " + socketVariable + " and " + tokenVariable + " are not set"),
			hint: "this command is for programs that a sidecar runs"}
	}
	client, err := channel.Dial(ctx, socket, token, channel.Capabilities{})
	var refused *channel.Error
	switch {
	case errors.As(err, &refused):
		return channelError(err)
	case err != nil:
		return &exitError{code: exitNoSidecar, err: errors.New("no sidecar: " + err.Error())}
	}
	return errors.Join(do(client), client.Close())
}

// channelError adds the exit code to an error that the sidecar answered.
func channelError(err error) error {
	code := exitFailed
	switch {
	case err == nil:
		return nil
	case errors.Is(err, channel.ErrNobody), errors.Is(err, channel.ErrTimeout):
		code = exitNobody
	case errors.Is(err, channel.ErrLost):
		code = exitNoSidecar
	}
	return &exitError{code: code, err: err}
}
