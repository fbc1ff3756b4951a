package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/coder/websocket"
	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const attachHelp = `Show an agent's terminal in this one, as it is now and as it goes on. Ctrl-]
leaves it; the agent goes on.

Nothing is typed into it, and Ctrl-C leaves too, unless --write is given: then
all keys but Ctrl-] are the agent's. They wait while a message is typed for a
client, and a message waits while somebody is in the middle of a line.

What is shown is drawn here: nothing that the agent writes can set the title or
the clipboard of this terminal, print, or ask it anything. --raw passes the
agent's bytes on as they are, after a warning.

The agent's terminal keeps its size: in a smaller one the part around the cursor
is shown.`

const attachExamples = `sidecar attach                               look at it
sidecar attach --write                       use it
sidecar attach --write --context CONTEXT     with run --sessions: that one
curl -s localhost:8999/terminal              the screen as text, without a terminal`

const attachExits = `0      left by Ctrl-], or the agent or the sidecar has ended
1      not allowed, or the connection was lost
2      there is no terminal here
4      no sidecar there
128+n  stopped by signal n`

// attachOptions are the flags of attach.
type attachOptions struct {
	target
	write, raw       bool
	session, context string
}

func newAttach(std Std) *cobra.Command {
	o := &attachOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "attach",
		Short:       "Look at an agent's terminal, or use it",
		Long:        attachHelp,
		Example:     attachExamples,
		Annotations: map[string]string{exitCodes: attachExits},
		Args:        between(0, 0, ""),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	f := c.Flags()
	f.BoolVarP(&o.write, "write", "w", false, "type into it")
	f.BoolVar(&o.raw, "raw", false, "pass the agent's bytes on, to be obeyed by this terminal")
	f.StringVar(&o.session, "session", "", "`NAME` of the session, where there are several")
	f.StringVar(&o.context, "context", "", "`ID` of the context whose session it is")
	o.addFlag(c)
	return c
}

func (o *attachOptions) run(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	to, err := o.find()
	if err != nil {
		return err
	}
	if !isTerminal(o.std.In) || !isTerminal(o.std.Out) {
		return &exitError{code: exitUsage, err: errors.New("attach needs a terminal on its standard input and output"),
			hint: "without one: curl " + to.URL + "/terminal shows the screen, " + to.URL + "/terminal/stream what comes"}
	}
	if o.url == "" && o.variable("SIDECAR_CHANNEL_TOKEN") != "" {
		return &exitError{code: exitUsage, err: errors.New("this terminal is the agent's own: it would show itself in itself"),
			hint: "attach from another terminal, or name another sidecar with --url"}
	}
	ctx, signals := untilSignal(ctx)
	defer signals.stop()
	conn, err := o.dial(ctx)
	if err != nil {
		if sig := signals.got(); sig != 0 {
			return silent(128 + sig)
		}
		return clientError(to.URL, err)
	}
	a := &attached{std: o.std, conn: conn, base: to.URL, write: o.write, raw: o.raw}
	err = a.run(ctx)
	if sig := signals.got(); sig != 0 {
		return silent(128 + sig)
	}
	return err
}

// maxPicture is the longest message that is accepted, in bytes: a picture of the
// largest screen.
const maxPicture = 64 << 20

// dial opens the WebSocket.
func (o *attachOptions) dial(ctx context.Context) (*websocket.Conn, error) {
	to, err := o.find()
	if err != nil {
		return nil, err
	}
	hc, err := o.httpClient(to)
	if err != nil {
		return nil, &exitError{code: exitFault, err: err}
	}
	token, err := o.token(to)
	if err != nil {
		return nil, &exitError{code: exitFault, err: err}
	}
	h := http.Header{}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	conn, resp, err := websocket.Dial(ctx, to.URL+"/terminal/attach?"+o.query(), &websocket.DialOptions{HTTPClient: hc, HTTPHeader: h})
	if err != nil {
		return nil, refusal(resp, err)
	}
	conn.SetReadLimit(maxPicture)
	return conn, nil
}

// query returns the URL's query: which terminal, and what for.
func (o *attachOptions) query() string {
	q := url.Values{}
	for name, value := range map[string]string{"session": o.session, "context": o.context} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if o.write {
		q.Set("write", "true")
	}
	return q.Encode()
}

// refusal returns why the server did not accept a WebSocket, in the server's own
// words if there are any.
func refusal(resp *http.Response, err error) error {
	if resp == nil || resp.Body == nil {
		return err
	}
	body, _ := io.ReadAll(resp.Body)
	var answer struct {
		Error struct{ Message string }
	}
	switch {
	case resp.StatusCode == http.StatusNotFound && json.Unmarshal(body, &answer) != nil:
		return errors.New("there is no terminal: it is no sidecar, or an older one")
	case json.Unmarshal(body, &answer) != nil || answer.Error.Message == "":
		return errors.New("it does not speak WebSocket there: " + resp.Status)
	}
	for _, known := range []*a2a.Error{a2a.ErrUnauthenticated, a2a.ErrBusy, a2a.ErrUnavailable} {
		if known.HTTP == resp.StatusCode {
			return known.With("%s", answer.Error.Message)
		}
	}
	return errors.New(answer.Error.Message)
}
