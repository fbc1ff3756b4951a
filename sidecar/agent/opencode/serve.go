package opencode

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
	commands "github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// serveCommand is the subcommand with which opencode is nothing but a server. On port 0 it takes
// port 4096 or, if that is not free, any other, and says on its standard output which. Seen with 1.18.33.
const serveCommand = "serve"

// serveFlags lists the flags that a user may give it, with whether each has a value.
func serveFlags() map[string]bool {
	return map[string]bool{
		"--print-logs": false, "--log-level": true, "--pure": false, "--port": true, "--hostname": true, "--cors": true,
	}
}

// serve makes the user's command that of a server on loopback, with a password.
func serve(l *spec.Launch) (spec.Plan, error) {
	has, err := checkServe(l.Argv)
	if err != nil {
		return spec.Plan{}, err
	}
	var more []string
	if !has {
		more = append(more, serveCommand)
	}
	switch at, host := l.Flag("--hostname"); {
	case at == 0:
		more = append(more, "--hostname", "127.0.0.1")
	case !loopback(host):
		return spec.Plan{}, fmt.Errorf("--hostname %s lets others reach it; leave it out", text.Quote(host, maxShown))
	}
	if at, _ := l.Flag("--port"); at == 0 {
		more = append(more, "--port", "0")
	}
	return spec.Plan{Argv: l.With(more...), Env: guarded(l.Env)}, nil
}

// maxShown is how much of a word of others is shown in an error, in bytes.
const maxShown = 100

// checkServe holds a command to what a server takes, and reports whether it has the subcommand.
func checkServe(argv []string) (has bool, err error) {
	args := argv[1:]
	name, _ := commands.Program(argv)
	if own, _ := commands.Program(argv[:1]); own != name { // argv[0] runs the script that is opencode
		args = args[slices.IndexFunc(args, func(s string) bool { return !strings.HasPrefix(s, "-") })+1:]
	}
	options := map[string]string{"--model": modelKey, "-m": modelKey, "--agent": agentKey}
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		value, known := serveFlags()[name]
		switch {
		case args[i] == serveCommand && !has:
			has = true
		case known && value && !joined:
			i++
		case known:
		case slices.Contains(otherCommands(), name):
			return has, fmt.Errorf("%s is another program of opencode's: leave it out, %q is started", name, serveCommand)
		case options[name] != "":
			return has, fmt.Errorf("its server has no %s: use --agent-option %s=…", name, options[name])
		default:
			return has, fmt.Errorf("its server takes no %s: leave it out", text.Quote(args[i], maxShown))
		}
	}
	return has, nil
}

// loopback reports whether a host is this machine's, for itself alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// maxStart is how much of the server's output is kept until it says where it listens, in bytes.
const maxStart = 16 << 10

// listener finds in the server's output where it listens.
type listener struct {
	mu    sync.Mutex
	begun []byte // a line
	seen  int    // bytes
	last  string // the last line
	done  bool   // url or err is set
	url   string
	err   error
	ready chan struct{} // closed when done
}

func newListener() *listener { return &listener{ready: make(chan struct{})} }

// output takes a chunk of the output.
func (l *listener) output(chunk []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range chunk {
		if l.done {
			return
		}
		if l.seen++; l.seen > maxStart {
			l.finish("", fmt.Errorf("it wrote %d bytes without saying where it listens%s", maxStart, after(": ", l.last)))
			return
		}
		if c != '\n' {
			l.begun = append(l.begun, c)
			continue
		}
		l.line(string(l.begun))
		l.begun = l.begun[:0]
	}
}

// line looks at one line.
func (l *listener) line(line string) {
	if s := strings.TrimSpace(text.Line(line, maxReason)); s != "" {
		l.last = s
	}
	_, rest, ok := strings.Cut(line, "listening on ")
	if !ok {
		return
	}
	where, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	u, err := url.Parse(where)
	switch {
	case err != nil || u.Scheme != "http" || u.Port() == "" || u.User != nil || strings.Trim(u.Path, "/") != "":
		l.finish("", fmt.Errorf("where it listens is no address: %s", text.Quote(where, maxShown)))
	case !loopback(u.Hostname()):
		l.finish("", fmt.Errorf("it listens on %s, where others can reach it; it must listen on 127.0.0.1", text.Quote(u.Host, maxShown)))
	default:
		l.finish("http://"+u.Host, nil)
	}
}

func (l *listener) finish(url string, err error) {
	l.done, l.url, l.err, l.begun = true, url, err, nil
	close(l.ready)
}

// errNoAddress means that the server has not said where it listens.
var errNoAddress = errors.New("it has not said where it listens")

// wait waits until it is known where the server listens.
func (l *listener) wait(ctx context.Context) (url string, err error) {
	select {
	case <-l.ready:
		return l.url, l.err
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		return "", fmt.Errorf("%w%s: %w", errNoAddress, after("; its last line: ", l.last), context.Cause(ctx))
	}
}
