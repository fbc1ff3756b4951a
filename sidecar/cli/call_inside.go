package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// inside connects to the sidecar that started this program, if that one is meant: there is
// nothing on the command line about another, and SIDECAR_URL is unset or names it. Otherwise
// it returns nil: the call goes by HTTP. The error is why the channel could not be used.
func (o *callOptions) inside(ctx context.Context) (*channel.Client, error) {
	socket, token := o.std.Getenv(socketVariable), o.std.Getenv(tokenVariable)
	if socket == "" || token == "" || o.url != "" || o.tokenFile != "" || o.cert != "" || o.key != "" || o.ca != "" {
		return nil, nil
	}
	c, err := dial(ctx, o.std.Getenv(doorVariable), socket, token)
	if err != nil {
		return nil, err
	}
	if own := c.URL(); own == "" || !means(o.std.Getenv(urlVariable), own) {
		return nil, c.Close()
	}
	return c, nil
}

// callInside calls a tool over the channel.
func callInside(ctx context.Context, c *channel.Client, name string, arguments []byte) (*a2a.ToolReply, error) {
	called, err := c.CallTool(ctx, channel.Call{Name: name, Arguments: arguments, Files: true})
	switch {
	case ctx.Err() != nil:
		return nil, &exitError{code: exitInterrupt, err: errors.New("interrupted before the answer came: the call is stopped")}
	case errors.Is(err, channel.ErrFrame):
		return nil, &exitError{code: exitArguments, err: errors.New("the call does not fit the channel: " + err.Error()),
			hint: "write what is long to a file, and pass its path"}
	case err != nil:
		return nil, channelError(err)
	}
	return &a2a.ToolReply{Status: http.StatusOK, TaskID: called.TaskID, Envelope: called.Envelope}, nil
}

// means reports whether what somebody gave as the sidecar's address is the address own, or
// nothing.
func means(given, own string) bool {
	return given == "" || origin(given) == origin(own)
}

// origin returns an address in one spelling, without a path; localhost is 127.0.0.1 and ::1.
func origin(address string) string {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return address
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if host == "127.0.0.1" || host == "::1" {
		host = "localhost"
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(host, port)
}
