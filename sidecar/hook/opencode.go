package hook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// opencode serves its API beside the terminal when it is given a port, and tells
// all that happens as a stream of events. Without a password anybody on the
// machine could use it, so it gets one. Its tools see that in their environment,
// as they see all of it: a command that the model may run can reach the API while
// another waits for a permission. Seen with 1.18.33.

const (
	opencodePassword = "OPENCODE_SERVER_PASSWORD"
	opencodeUser     = "OPENCODE_SERVER_USERNAME"
)

// opencodeCommands are what opencode does beside drawing a screen.
func opencodeCommands() []string {
	return []string{
		"acp", "agent", "attach", "auth", "completion", "db", "debug", "export", "github", "import", "mcp", "models", "plug",
		"plugin", "pr", "providers", "run", "serve", "session", "stats", "uninstall", "upgrade", "web",
	}
}

func (o *Options) opencode() (Plan, error) {
	if len(o.Argv) > 1 && slices.Contains(opencodeCommands(), o.Argv[1]) {
		return Plan{}, fmt.Errorf("%s is another program of opencode's", o.Argv[1])
	}
	var plan Plan
	host := "127.0.0.1"
	if _, h := o.flag("--hostname"); h != "" && h != "0.0.0.0" {
		host = h
	}
	at, port := o.flag("--port")
	if n, err := strconv.Atoi(port); at == 0 || err == nil && n == 0 {
		free, err := freePort(host)
		if err != nil {
			return plan, err
		}
		port = strconv.Itoa(free)
		if at > 0 {
			plan.Argv = o.setFlag(at, port)
		} else {
			plan.Argv = o.with("--port", port)
		}
	}
	stream := &opencodeStream{url: "http://" + net.JoinHostPort(host, port) + "/event", user: o.getenv(opencodeUser), password: o.getenv(opencodePassword)}
	if stream.user == "" {
		stream.user = "opencode"
	}
	if stream.password == "" {
		var secret [24]byte
		rand.Read(secret[:]) // never fails (crypto/rand)
		stream.password = base64.RawURLEncoding.EncodeToString(secret[:])
		plan.Env = append(slices.Clone(o.Env), opencodePassword+"="+stream.password)
	}
	plan.Source = func(ctx context.Context, report func(channel.Report)) error { return stream.run(ctx, report) }
	return plan, nil
}

// freePort is one that nobody listens on now. That it still is so when the agent
// listens cannot be promised; the agent then ends with an error.
func freePort(host string) (int, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	addr, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.New("no TCP here")
	}
	return addr.Port, nil
}
