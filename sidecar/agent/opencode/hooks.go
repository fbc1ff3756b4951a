package opencode

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// If opencode is given a port, it serves its API beside the terminal and reports
// everything that happens as a stream of events. Without a password anybody on the
// machine could use the API, so it gets one. Its tools see the password in their
// environment, as they see all of it: a command that the model may run can reach the
// API while another waits for a permission. Seen with 1.18.33.

const (
	passwordVariable = "OPENCODE_SERVER_PASSWORD"
	userVariable     = "OPENCODE_SERVER_USERNAME"
)

// otherCommands lists the commands of opencode that do not draw a screen.
func otherCommands() []string {
	return []string{
		"acp", "agent", "attach", "auth", "completion", "db", "debug", "export", "github", "import", "mcp", "models", "plug",
		"plugin", "pr", "providers", "run", "serve", "session", "stats", "uninstall", "upgrade", "web",
	}
}

func install(l *spec.Launch) (spec.Plan, error) {
	if len(l.Argv) > 1 && slices.Contains(otherCommands(), l.Argv[1]) {
		return spec.Plan{}, fmt.Errorf("%s is another program of opencode's", l.Argv[1])
	}
	var plan spec.Plan
	host := "127.0.0.1"
	if _, h := l.Flag("--hostname"); h != "" && h != "0.0.0.0" {
		host = h
	}
	at, port := l.Flag("--port")
	if n, err := strconv.Atoi(port); at == 0 || err == nil && n == 0 {
		free, err := freePort(host)
		if err != nil {
			return plan, err
		}
		port = strconv.Itoa(free)
		if at > 0 {
			plan.Argv = l.SetFlag(at, port)
		} else {
			plan.Argv = l.With("--port", port)
		}
	}
	plan.Env = guarded(l.Env)
	url := "http://" + net.JoinHostPort(host, port)
	user, password := credentials(plan.Env)
	plan.Source = func(ctx context.Context, report func(channel.Report)) error {
		return readReports(ctx, newAPI(url, user, password), report)
	}
	return plan, nil
}

// guarded returns an environment in which the server has a password: the user's, or a random one.
func guarded(env []string) []string {
	if spec.Getenv(env, passwordVariable) != "" {
		return env
	}
	var secret [24]byte
	rand.Read(secret[:]) // it never fails (crypto/rand)
	return append(slices.Clone(env), passwordVariable+"="+base64.RawURLEncoding.EncodeToString(secret[:]))
}

// credentials returns the user and the password of a server with this environment.
func credentials(env []string) (user, password string) {
	return spec.FirstOf(spec.Getenv(env, userVariable), "opencode"), spec.Getenv(env, passwordVariable)
}

// freePort returns a port on which nobody listens now. Another program may take it
// before the agent listens; the agent then ends with an error.
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
