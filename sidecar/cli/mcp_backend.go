package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

const (
	// redialTime is how long a request waits for a sidecar that has gone away.
	redialTime = 5 * time.Second
	// redialPause is the time between two attempts to reach it.
	redialPause = 250 * time.Millisecond
)

// mcpBackend has the tools of the sidecar at the other end of the channel. When the connection is
// lost, the next request makes a new one.
type mcpBackend struct {
	ctx  context.Context
	door func() (fd, socket, token string, err error)

	dialing chan struct{} // held by whoever connects

	mu      sync.Mutex
	client  *channel.Client // nil before the first connection
	list    *channel.ToolList
	changed chan struct{}
	watched sync.WaitGroup
}

var _ face.Backend = (*mcpBackend)(nil)

func newMCPBackend(ctx context.Context, door func() (fd, socket, token string, err error)) *mcpBackend {
	return &mcpBackend{ctx: ctx, door: door, dialing: make(chan struct{}, 1), changed: make(chan struct{})}
}

// begin makes the first connection.
func (b *mcpBackend) begin() error {
	_, socket, token, err := b.door()
	if err == nil && (socket == "" || token == "") {
		return &exitError{code: exitNoSidecar, err: errors.New("no sidecar: " + socketVariable + " and " + tokenVariable + " are not set"),
			hint: "this command is for programs that a sidecar runs; --channel names a file that says where it is"}
	}
	if err == nil {
		err = b.dial(b.ctx)
	}
	if err != nil {
		return &exitError{code: exitNoSidecar, err: fmt.Errorf("no sidecar: %w", err)}
	}
	return nil
}

// close ends the connection.
func (b *mcpBackend) close() {
	b.mu.Lock()
	c := b.client
	b.mu.Unlock()
	if c != nil {
		_ = c.Close() // nobody could be told
	}
	b.watched.Wait()
}

// dial connects anew. The caller is the only one that does.
func (b *mcpBackend) dial(ctx context.Context) error {
	fd, socket, token, err := b.door()
	if err != nil {
		return err
	}
	c, err := dial(ctx, fd, socket, token)
	if err != nil {
		return err
	}
	b.mu.Lock()
	old := b.client
	b.client, b.list = c, nil
	b.mu.Unlock()
	if old != nil {
		_ = old.Close() // it was lost
		b.tell()
	}
	b.watched.Go(func() { b.watch(c) })
	return nil
}

// watch passes on the changes of the tools until the connection ends.
func (b *mcpBackend) watch(c *channel.Client) {
	for {
		changed := c.ToolsChanged()
		select {
		case <-changed:
			b.mu.Lock()
			b.list = nil
			b.mu.Unlock()
			b.tell()
		case <-c.Lost():
			return
		}
	}
}

// tell says that the list may have changed.
func (b *mcpBackend) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.changed)
	b.changed = make(chan struct{})
}

// Changed implements face.Backend.
func (b *mcpBackend) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// live returns the connection, nil if there is none.
func (b *mcpBackend) live() *channel.Client {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.client == nil {
		return nil
	}
	select {
	case <-b.client.Lost():
		return nil
	default:
		return b.client
	}
}

// connected returns the connection. If it was lost, it tries for a while to make a new one.
func (b *mcpBackend) connected(ctx context.Context) (*channel.Client, error) {
	if c := b.live(); c != nil {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, redialTime)
	defer cancel()
	var err error
	for {
		select {
		case b.dialing <- struct{}{}:
		case <-ctx.Done():
			return nil, lostError(err)
		}
		c := b.live()
		if c == nil {
			err = b.dial(ctx)
			c = b.live()
		}
		<-b.dialing
		if c != nil {
			return c, nil
		}
		if refused := (*channel.Error)(nil); errors.As(err, &refused) {
			return nil, lostError(err) // it is there and says no: that stays so
		}
		select {
		case <-time.After(redialPause):
		case <-ctx.Done():
			return nil, lostError(err)
		}
	}
}

func lostError(err error) error {
	if err == nil {
		return errors.New("the sidecar has gone away")
	}
	return fmt.Errorf("the sidecar has gone away: %w", err)
}

// Tools implements face.Backend.
func (b *mcpBackend) Tools(ctx context.Context) (*face.List, error) {
	l, err := b.tools(ctx)
	if err != nil {
		return nil, err
	}
	if c, err := b.connected(ctx); err == nil {
		_ = c.Listed() // a sidecar that has gone away waits for nothing
	}
	return &face.List{Tools: faceTools(l.Tools), Discoverable: l.Discoverable, Searches: l.Searches}, nil
}

// instructions returns what the sidecar has its agents' models told, "" for nothing: a client can do without.
func (b *mcpBackend) instructions(ctx context.Context) string {
	l, err := b.tools(ctx)
	if err != nil {
		return ""
	}
	return l.Instructions
}

// tools returns the list as it is now.
func (b *mcpBackend) tools(ctx context.Context) (*channel.ToolList, error) {
	c, err := b.connected(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	l, changed := b.list, b.changed
	b.mu.Unlock()
	if l == nil {
		fresh, err := c.ListTools(ctx)
		if err != nil {
			return nil, backendError(err)
		}
		l = &fresh
		b.mu.Lock()
		if b.client == c && b.changed == changed { // else it is old already
			b.list = l
		}
		b.mu.Unlock()
	}
	return l, nil
}

func faceTools(all []channel.ToolDefinition) []face.Tool {
	tools := make([]face.Tool, len(all))
	for i, t := range all {
		tools[i] = face.Tool{
			Name: t.Name, Description: t.Description, Input: t.InputSchema, Output: t.OutputSchema,
			Always: t.Surface == "always", ReadOnly: t.Effects == "read",
		}
	}
	return tools
}

// Search implements face.Backend.
func (b *mcpBackend) Search(ctx context.Context, query string, limit int) ([]tool.Found, error) {
	c, err := b.connected(ctx)
	if err != nil {
		return nil, err
	}
	found, err := c.SearchTools(ctx, query, limit)
	hits := make([]tool.Found, len(found))
	for i, t := range found {
		hits[i] = tool.Found(t)
	}
	return hits, backendError(err)
}

// Load implements face.Backend.
func (b *mcpBackend) Load(ctx context.Context, names []string) ([]face.Tool, error) {
	c, err := b.connected(ctx)
	if err != nil {
		return nil, err
	}
	tools, err := c.LoadTools(ctx, names)
	return faceTools(tools), backendError(err)
}

// Call implements face.Backend. A call whose connection was lost is not made again: it may have
// been executed.
func (b *mcpBackend) Call(ctx context.Context, call *face.Call) (*face.Result, error) {
	c, err := b.connected(ctx)
	if err != nil {
		return nil, err
	}
	var track face.Tracker
	one := channel.Call{Name: call.Name, Arguments: call.Arguments, TraceParent: call.TraceParent, Artifacts: true, Files: true}
	if call.Heed != nil {
		var answer channel.Answering
		one.Answers = func(a channel.Answering) { answer = a }
		one.Progress = func(raw json.RawMessage) {
			if e, err := codec.DecodeEvent(raw); err == nil {
				state := track.See(e)
				state.Question = state.ToolQuestion(answer)
				call.Heed(state)
			}
		}
	}
	called, err := c.CallTool(ctx, one)
	if errors.Is(err, channel.ErrFrame) {
		return nil, fmt.Errorf("the call of %q does not fit the channel: %w: write what is long to a file, and pass its path", call.Name, err)
	}
	if err != nil {
		return nil, backendError(err)
	}
	return &face.Result{TaskID: called.TaskID, Envelope: called.Envelope, Artifacts: called.Artifacts, Omitted: called.Omitted}, nil
}

// backendError says what an error of the channel means for who called.
func backendError(err error) error {
	switch {
	case errors.Is(err, channel.ErrLost):
		return errors.New("the sidecar has gone away, and it is not known what became of the request")
	case errors.Is(err, channel.ErrBusy):
		return &face.Busy{Err: err}
	}
	return err
}
