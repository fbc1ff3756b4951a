package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// connection is our end of the connection to one process.
type connection struct {
	process peer.Process
	conn    *rpc.Conn
	work    sync.WaitGroup // what tells the agent of a cancel

	first first

	mu     sync.Mutex
	about  peer.About
	agent  abilities
	chosen offer              // of the conversation that was opened last
	costs  map[string]float64 // by conversation, in US dollars: what it had cost when its last turn ended
	turn   *turn              // the one that runs
	turns  int                // so far
	given  bool               // the agent was given our tools
	closed bool
}

var _ peer.Peer = (*connection)(nil)

// New returns a Peer for a process that was just started. Close must follow.
func New(p peer.Process) peer.Peer {
	a := &connection{process: p, costs: map[string]float64{}, first: first{strange: make(chan struct{})}}
	a.conn = rpc.New(rpc.Options{Write: p.Input, Request: a.request, Arrived: a.arrived, Notice: a.notice, Log: p.Log})
	return a
}

// Output implements peer.Peer.
func (a *connection) Output(chunk []byte) {
	a.first.look(chunk)
	a.conn.Output(chunk)
}

// About implements peer.Peer.
func (a *connection) About() peer.About {
	a.mu.Lock()
	defer a.mu.Unlock()
	about := a.about
	about.Options = a.chosen.choices()
	return about
}

// Close implements peer.Peer.
func (a *connection) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.conn.Close()
	a.work.Wait()
}

// notice takes a notification, on the goroutine that reads.
func (a *connection) notice(method string, params json.RawMessage) {
	switch {
	case method == sdk.ClientMethodSessionUpdate:
		a.update(object(params))
	case method == "$/cancel_request":
		a.conn.Withdraw(object(params)["requestId"])
	case strings.HasPrefix(method, "_"): // an extension
	default:
		a.process.Log.Debug("the agent sent a notification that is not known", "method", text.Line(method, maxName))
	}
}

// arrived takes a request in its order among the updates: what a permission says of its tool is told then.
func (a *connection) arrived(method string, params json.RawMessage) {
	if method != sdk.ClientMethodSessionRequestPermission {
		return
	}
	f := object(params)
	if t := a.enter(f.text("sessionId")); t != nil {
		defer t.leave()
		t.tell(pending(f.object("toolCall")))
	}
}

// request answers a request, on a goroutine of its own.
func (a *connection) request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method == sdk.ClientMethodSessionRequestPermission {
		return a.permission(ctx, object(params)), nil
	}
	serve := machine()[method]
	if serve == nil {
		return nil, rpc.Errorf(rpc.MethodNotFound, "there is no method %q", text.Line(method, maxName))
	}
	in := object(params)
	t := a.enter(in.text("sessionId"))
	if t == nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "%s: no turn of this session is running", method)
	}
	defer t.leave()
	ctx, end := t.during(ctx)
	defer end()
	result, err := serve(t, ctx, in)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, rpc.Errorf(requestCanceled, "%s: %v", method, cause)
	}
	return result, err
}

// requestCanceled is ACP's code for a request that was not carried out to its end.
const requestCanceled = -32800

// lost returns an error of the connection as a Peer returns it.
func lost(err error) error {
	if errors.Is(err, rpc.ErrClosed) {
		return peer.ErrClosed
	}
	return err
}

// first is what the process writes first: what does not begin as a message tells that it speaks no ACP.
type first struct {
	mu      sync.Mutex
	done    bool
	head    []byte
	strange chan struct{} // closed when head does not begin as a message
	told    bool
}

// maxFirst is how much of the first output an error shows, in bytes.
const maxFirst = 200

func (f *first) look(chunk []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done || len(f.head) >= maxFirst {
		return
	}
	f.head = append(f.head, chunk[:min(len(chunk), maxFirst-len(f.head))]...)
	if begun := bytes.TrimSpace(f.head); len(begun) > 0 && begun[0] != '{' && !f.told {
		f.told = true
		close(f.strange)
	}
}

// end says that the agent has shown what it is, and returns what it wrote first.
func (f *first) end() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
	return text.Line(string(bytes.TrimSpace(f.head)), maxFirst)
}
