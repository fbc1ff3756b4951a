package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// The variables with which an agent finds its sidecar.
const (
	socketVariable = "SIDECAR_SOCKET"
	tokenVariable  = "SIDECAR_CHANNEL_TOKEN"
	doorVariable   = "SIDECAR_CHANNEL_FD"
	urlVariable    = "SIDECAR_URL"
)

// withChannel calls do with a connection to the sidecar that started us.
func withChannel(ctx context.Context, std Std, do func(*channel.Client) error) error {
	socket, token := std.Getenv(socketVariable), std.Getenv(tokenVariable)
	if socket == "" || token == "" {
		return &exitError{code: exitNoSidecar, err: errors.New("no sidecar: " + socketVariable + " and " + tokenVariable + " are not set"),
			hint: "this command is for programs that a sidecar runs"}
	}
	client, err := dial(ctx, std.Getenv(doorVariable), socket, token)
	var refused *channel.Error
	switch {
	case errors.As(err, &refused):
		return channelError(err)
	case err != nil:
		return &exitError{code: exitNoSidecar, err: errors.New("no sidecar: " + err.Error())}
	}
	return errors.Join(do(client), client.Close())
}

// dial connects through the door that we have inherited or, if there is none or something has
// closed it, by the socket's path, which a program in a sandbox cannot reach.
func dial(ctx context.Context, door, socket, token string) (*channel.Client, error) {
	fd, err := strconv.Atoi(door)
	if err != nil || fd < 3 {
		return channel.Dial(ctx, socket, token, channel.Capabilities{})
	}
	client, err := channel.DialDoor(ctx, fd, token, channel.Capabilities{})
	if refused := (*channel.Error)(nil); err == nil || errors.As(err, &refused) {
		return client, err
	}
	client, again := channel.Dial(ctx, socket, token, channel.Capabilities{})
	if again == nil {
		return client, nil
	}
	return nil, fmt.Errorf("descriptor %d (%s): %w: a program in between has closed it; %w", fd, doorVariable, err, again)
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
	case errors.Is(err, channel.ErrBusy), errors.Is(err, channel.ErrUnavailable):
		code = exitBusy
	}
	return &exitError{code: code, err: err}
}
