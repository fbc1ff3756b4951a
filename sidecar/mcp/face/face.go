package face

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Options configure a Face.
type Options struct {
	Backend Backend
	// Version is the sidecar's, "" for none.
	Version string
	// Progress is how often a client is told that its call goes on; 0: ProgressEvery.
	Progress time.Duration
	// Loaded is how many tools a caller may have loaded by name, 0: LoadedTools. The one that
	// was used least recently gives way.
	Loaded int
	// Scope returns the context in which the Backend works for a request, from the request's
	// own and from the header of the HTTP request that brought it. The error is why there is
	// none. nil: the request's own.
	Scope func(ctx context.Context, h http.Header) (context.Context, error)
	// Instructions returns what a client that connects now may tell its model, in addition to how the tools
	// are used. nil, or "": nothing.
	Instructions func(ctx context.Context) string
	// Log gets what goes wrong here. nil: nothing.
	Log *slog.Logger
}

const (
	// ProgressEvery is how often a client that asked for progress gets some. The least patient
	// one that is known gives up after a minute.
	ProgressEvery = 5 * time.Second
	// LoadedTools is how many tools of one caller are listed because they were loaded by name.
	LoadedTools = 128
	// MaxCalls is how many requests of one caller are handled at a time. A further one is told
	// busy.
	MaxCalls = 64
)

// instructions is what a client may tell its model of the server.
const instructions = "Tools of this agent's sidecar. A call may wait for a person's approval. If " + tool.SearchID + " or " + SearchName + " is listed, there are more tools than the list shows: find them with it."

// Face serves the tools of one Backend. Its methods may be called from many goroutines.
type Face struct {
	o      Options
	b      Backend
	server *mcp.Server
	slots  chan struct{}
	loaded loaded
	parked parked
	// sessions are those with calls that run.
	sessions sessions
	// schemas are the tools that were last listed with an output schema.
	schemas promised

	ctx     context.Context // ends with the face
	cancel  context.CancelCauseFunc
	closing sync.Mutex     // held while a call is started
	work    sync.WaitGroup // calls
}

// New returns a face; Close releases it.
func New(o Options) *Face {
	if o.Progress == 0 {
		o.Progress = ProgressEvery
	}
	if o.Loaded == 0 {
		o.Loaded = LoadedTools
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	f := &Face{o: o, b: o.Backend, slots: make(chan struct{}, MaxCalls), loaded: loaded{most: o.Loaded}}
	f.ctx, f.cancel = context.WithCancelCause(context.Background())
	f.server = mcp.NewServer(&mcp.Implementation{Name: "sidecar", Title: "Tools of the sidecar", Version: version(o.Version)}, &mcp.ServerOptions{
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = scopePrivate },
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	f.register()
	f.server.AddReceivingMiddleware(f.receive)
	return f
}

func version(v string) string {
	if v == "" {
		return "devel"
	}
	return v
}

// errClosed is why the calls of a face that was closed have ended.
var errClosed = errors.New("the MCP server is closing")

// Close cancels what runs, ends every session and waits for both.
func (f *Face) Close() {
	f.closing.Lock()
	f.cancel(errClosed)
	f.closing.Unlock()
	f.parked.dismiss()
	for s := range f.server.Sessions() {
		_ = s.Close() // its client has gone, or goes now
	}
	f.work.Wait()
}

// Serve serves one client until it ends the connection, or ctx ends. The error is why it ended, if
// the client did not end it.
func (f *Face) Serve(ctx context.Context, t mcp.Transport) error {
	s, err := f.server.Connect(ctx, t, nil)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		f.cancel(context.Cause(ctx))
		_ = s.Close()
	})()
	return s.Wait()
}

// Follow tells the clients of each change of the list until ctx ends.
func (f *Face) Follow(ctx context.Context) {
	for {
		changed := f.b.Changed()
		select {
		case <-changed:
			f.Notify()
		case <-ctx.Done():
			return
		}
	}
}

// dispatcher is the one tool that the server has: it carries out the call whose name is in the
// context. So everything that the server does around a call is done for each of our tools,
// however many there are. Its name is none of a tool of ours.
const dispatcher = "dispatcher"

// register adds the dispatcher. Adding it again tells every client that the list has changed.
func (f *Face) register() {
	f.server.AddTool(&mcp.Tool{Name: dispatcher, InputSchema: map[string]any{"type": "object"}}, f.dispatch)
}

// idle reports whether no call of the caller runs.
func (f *Face) idle() bool { return len(f.slots) == 0 && f.parked.empty() }

// Notify tells every client that the list has changed. It does not wait for them.
func (f *Face) Notify() { f.register() }

// receive answers what concerns tools, and keeps a request that panics from ending the process.
func (f *Face) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				f.o.Log.Error("panic in an MCP request", "method", method, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		switch p := req.GetParams().(type) {
		case *mcp.ListToolsParams:
			return f.limited(ctx, req, func(ctx context.Context) (mcp.Result, error) { return f.list(ctx, p) })
		case *mcp.CallToolParamsRaw:
			named := *p
			named.Name = dispatcher
			return f.limited(ctx, req, func(ctx context.Context) (mcp.Result, error) {
				s, _ := req.GetSession().(*mcp.ServerSession)
				defer f.sessions.begin(s, &ctx)()
				ctx = context.WithValue(ctx, nameKey{}, p.Name)
				return next(ctx, method, &mcp.CallToolRequest{Session: s, Params: &named, Extra: req.GetExtra()})
			})
		}
		if res, err = next(ctx, method, req); err != nil {
			return res, err
		}
		switch r := res.(type) {
		case *mcp.InitializeResult:
			r.Instructions = f.instruct(ctx, r.Instructions)
		case *mcp.DiscoverResult:
			r.Instructions = f.instruct(ctx, r.Instructions)
		}
		return res, nil
	}
}

// instruct returns the instructions as they are now.
func (f *Face) instruct(ctx context.Context, fixed string) string {
	if f.o.Instructions == nil {
		return fixed
	}
	if more := f.o.Instructions(ctx); more != "" {
		return fixed + "\n\n" + more
	}
	return fixed
}

// limited runs a request in its scope if not too many run.
func (f *Face) limited(ctx context.Context, req mcp.Request, run func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	if f.o.Scope != nil && req.GetExtra() != nil {
		in, err := f.o.Scope(ctx, req.GetExtra().Header)
		if err != nil {
			return nil, fault(err)
		}
		ctx = in
	}
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
		return run(ctx)
	default:
		return nil, &jsonrpc.Error{Code: codeBusy, Message: fmt.Sprintf("busy: %d requests of this caller have not ended, which is the limit", MaxCalls)}
	}
}

// codeBusy is the code of an error for a request that is to be tried again.
const codeBusy = -32004

// nameKey is what the name of the called tool is known by in a request's context.
type nameKey struct{}
