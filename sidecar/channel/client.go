package channel

import (
	"context"
	"encoding/json"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Client is the agent's end of the channel. All methods may be called from many
// goroutines. A method returns ErrLost if it fails because the connection ended, and
// an *Error if the sidecar refused the request.
type Client struct {
	link    *link
	frames  *frameReader // used only by the goroutine that reads
	offer   Capabilities
	version string
	url     string
	outbox  string // the directory for what exceeds a frame, "" for none
	maxFile int64  // how long a file there may be

	ctx     context.Context // the context of the handlers
	cancel  context.CancelCauseFunc
	reader  sync.WaitGroup
	handler sync.WaitGroup

	prompt atomic.Bool // the last message was answered within promptTime
	watch  *time.Timer // calls look while the reader may be in a handler

	mu      sync.Mutex
	running map[string]map[*context.CancelCauseFunc]struct{} // by task
	away    bool                                             // the reader is running a handler
	watched bool                                             // watch is set
	stays   uint64                                           // how many handlers the reader has run
	changed chan struct{}                                    // closed when the tools have changed
	seen    uint64                                           // the value of stays when look last ran
}

// clientCalls is how many of a client's own requests may be unanswered.
const clientCalls = 1024

// Dial connects and sends initialize. path is the value of SIDECAR_SOCKET: the path of a socket, or the
// URL of a proxy that leads to one (see package egress). It fails with an *Error if the sidecar
// refuses, otherwise with the dial error or the cause of ctx's end.
func Dial(ctx context.Context, path, token string, o Capabilities) (*Client, error) {
	if proxied(path) {
		nc, err := dialTunnel(ctx, path)
		if err != nil {
			return nil, err
		}
		return newClient(ctx, nc, token, o)
	}
	nc, err := new(net.Dialer).DialUnix(ctx, "unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return newClient(ctx, nc, token, o)
}

// newClient sends initialize over a connection, which it takes.
func newClient(ctx context.Context, nc socket, token string, o Capabilities) (*Client, error) {
	c := &Client{
		link: newLink(nc, true, clientCalls), frames: newFrameReader(nc), offer: o,
		running: make(map[string]map[*context.CancelCauseFunc]struct{}), changed: make(chan struct{}),
	}
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	c.watch = time.AfterFunc(time.Hour, c.look)
	c.watch.Stop() // look need not run yet
	c.reader.Go(c.read)
	raw, err := c.request(ctx, methodInitialize, initializeParams{
		Token: token, ProtocolVersion: ProtocolVersion, Name: o.Name,
		Capabilities: capabilities{Messages: o.OnDeliver != nil, Tools: o.OnCall != nil},
	})
	var r initializeResult
	if err == nil {
		err = decode(raw, &r)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	c.version, c.url, c.outbox, c.maxFile = r.SidecarVersion, r.URL, r.Outbox, r.MaxFile
	return c, nil
}

// SidecarVersion is the sidecar's version, as the answer to initialize named it.
func (c *Client) SidecarVersion() string { return c.version }

// URL is the address of the sidecar, as the answer to initialize named it: CallTool calls its
// tools. It is "" if the sidecar takes no calls over the channel.
func (c *Client) URL() string { return c.url }

// Lost is closed when the connection has ended.
func (c *Client) Lost() <-chan struct{} { return c.link.dead }

// Close ends the connection, which withdraws open questions, and waits for the
// handlers.
func (c *Client) Close() error {
	c.link.kill()
	c.link.writer.Wait()
	c.reader.Wait()
	c.handler.Wait()
	c.watch.Stop()
	return nil
}

// request sends a request to the sidecar and waits for the result. The reader may be
// running the handler that calls request, so another goroutine must read the answer.
func (c *Client) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c.handOver()
	return c.link.call(ctx, method, params)
}

// Status reports what the agent is doing.
func (c *Client) Status(ctx context.Context, s Status) error {
	_, err := c.request(ctx, methodStatus, statusParams{
		Text: s.Text, Parts: encodeParts(s.Parts), Progress: s.Progress, extras: extras{s.Metadata, s.Extensions},
	})
	return err
}

// Artifact adds to the task's artifacts. An empty ID makes a new one. The error is
// ErrFrame if the parts are too long for one frame.
func (c *Client) Artifact(ctx context.Context, u a2a.ArtifactUpdate) error {
	_, err := c.request(ctx, methodArtifact, artifactParamsOf(u))
	return err
}

// artifactParamsOf returns an update as it is sent.
func artifactParamsOf(u a2a.ArtifactUpdate) artifactParams {
	return artifactParams{
		ArtifactID: u.Artifact.ID, Name: u.Artifact.Name, Description: u.Artifact.Description,
		Parts: encodeParts(u.Artifact.Parts), Append: u.Append, LastChunk: u.LastChunk,
		extras: extras{u.Artifact.Metadata, u.Artifact.Extensions},
	}
}

// Ask asks a question and blocks until the answer comes. ErrNobody, ErrTimeout,
// ErrQuestionOpen and ErrEnded tell why there is no answer. If ctx ends, the
// question stays open until the client is closed.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	p := askParams{
		Question: q.Text, Options: q.Options, Parts: encodeParts(q.Parts), extras: extras{q.Metadata, q.Extensions},
	}
	if q.Timeout > 0 {
		p.Timeout = json.RawMessage(strconv.FormatFloat(q.Timeout.Seconds(), 'f', -1, 64))
	}
	raw, err := c.request(ctx, methodAsk, p)
	if err != nil {
		return Answer{}, err
	}
	var r askResult
	if err := decode(raw, &r); err != nil {
		return Answer{}, err
	}
	return r.answer()
}

// Done ends the turn.
func (c *Client) Done(ctx context.Context, d Done) error {
	_, err := c.request(ctx, methodDone, doneParams{
		State: string(d.State), Text: d.Text, Parts: encodeParts(d.Parts), Message: d.Message,
		extras: extras{d.Metadata, d.Extensions},
	})
	return err
}

// Usage reports what the turn has cost so far.
func (c *Client) Usage(ctx context.Context, u Usage) error {
	_, err := c.request(ctx, methodUsage, usageParams(u))
	return err
}

// Report tells the sidecar what a hook saw of the agent. Only a connection with a
// session's token may call it. If a text is too long for a frame, the error is
// ErrFrame.
func (c *Client) Report(ctx context.Context, r Report) error {
	_, err := c.request(ctx, methodReport, reportParams(r))
	return err
}
