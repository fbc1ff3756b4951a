package mcptest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Argument is the first argument of a test binary that plays a server; a Mode follows.
const Argument = "mcptest:server"

// The modes of a server.
const (
	ModeGood     = "good"     // does what it is asked for
	ModeStubborn = "stubborn" // ends neither with its input nor by a TERM
	ModeSilent   = "silent"   // closes its output and lives on
	ModeFails    = "fails"    // says why on standard error, and ends with code 3
)

// Main plays a server if the arguments of this process ask for it; it does not return then.
// It must be called before anything else of a TestMain.
func Main() {
	if len(os.Args) < 3 || os.Args[1] != Argument {
		return
	}
	code := 0
	switch os.Args[2] {
	case ModeFails:
		fmt.Fprintln(os.Stderr, "first\nthe \x1b[31mlicense\x1b[0m has run out")
		code = 3
	case ModeSilent:
		os.Stdout.Close()
		<-time.After(time.Hour) // longer than a test: whoever waits so long is killed
	case ModeStubborn:
		signal.Ignore(syscall.SIGTERM)
		_ = NewServer("stubborn").Run(context.Background(), &mcp.StdioTransport{})
		<-time.After(time.Hour)
	default:
		name := "Good Server"
		if len(os.Args) > 3 {
			name = os.Args[3]
		}
		_ = NewServer(name).Run(context.Background(), &mcp.StdioTransport{}) // it ends with its input
	}
	syscall.Exit(code) // os.Exit waits a second under -race
}

// Command returns the argv of a server in a mode, with more arguments for the mode.
func Command(mode string, more ...string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{self, Argument, mode}, more...)
}

// Text is the one argument of most tools.
type Text struct {
	Text string `json:"text"`
}

// Empty is the arguments of a tool that has none.
type Empty struct{}

// NewServer returns a server with the tools echo, getEnv, read-file, write-file, connect, die,
// sleep, add-tool, memory and count.
func NewServer(name string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1.2.3"}, nil)
	add(s, "echo", "Returns its text.", func(_ context.Context, t string) (string, error) { return t, nil })
	add(s, "getEnv", "Returns the environment.", func(context.Context, string) (string, error) { return strings.Join(os.Environ(), "\n"), nil })
	add(s, "read-file", "Reads a file.", func(_ context.Context, t string) (string, error) {
		b, err := os.ReadFile(t)
		return string(b), err
	})
	add(s, "write-file", "Writes a file.", func(_ context.Context, t string) (string, error) {
		return "written", os.WriteFile(t, []byte("written"), 0o600)
	})
	add(s, "connect", "Connects to an address.", connect)
	add(s, "die", "Ends the server with an error.", func(context.Context, string) (string, error) {
		fmt.Fprintln(os.Stderr, "I die")
		syscall.Exit(7)
		return "", nil
	})
	add(s, "sleep", "Answers after an hour.", func(ctx context.Context, _ string) (string, error) {
		select {
		case <-ctx.Done():
		case <-time.After(time.Hour):
		}
		return "", ctx.Err()
	})
	add(s, "memory", "Takes so many MiB of memory.", func(_ context.Context, t string) (string, error) {
		var n int
		if _, err := fmt.Sscan(t, &n); err != nil {
			return "", err
		}
		b := make([]byte, n<<20)
		for i := range b {
			b[i] = 1
		}
		return fmt.Sprint(len(b)), nil
	})
	add(s, "pid", "Returns the id of its process.", func(context.Context, string) (string, error) { return fmt.Sprint(os.Getpid()), nil })
	add(s, "add-tool", "Adds a tool.", func(_ context.Context, t string) (string, error) {
		add(s, t, "Was added.", func(context.Context, string) (string, error) { return "added", nil })
		return "added", nil
	})
	return s
}

// add adds a tool with one text argument, whose result is text. An error is one of the tool's.
func add(s *mcp.Server, name, description string, run func(context.Context, string) (string, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description}, func(ctx context.Context, _ *mcp.CallToolRequest, t Text) (*mcp.CallToolResult, any, error) {
		said, err := run(ctx, t.Text)
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil, nil
	})
}

// connect reaches a TCP address, by the proxy of the environment if it is an http URL.
func connect(ctx context.Context, to string) (string, error) {
	if strings.HasPrefix(to, "http://") {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
		if err != nil {
			return "", err
		}
		t := &http.Transport{}
		if proxy, err := url.Parse(os.Getenv("HTTP_PROXY")); err == nil && proxy.Host != "" { // net/http's own way leaves out the loopback
			t.Proxy = http.ProxyURL(proxy)
		}
		defer t.CloseIdleConnections()
		res, err := t.RoundTrip(r)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		return res.Status, nil
	}
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", to)
	if err != nil {
		return "", err
	}
	return "connected", c.Close()
}
