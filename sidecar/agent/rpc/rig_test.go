package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// wire is what we write, as the process reads it.
type wire struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpc.Error      `json:"error"`
}

// rig is a connection and the other end of what it writes.
type rig struct {
	*rpc.Conn
	t    *testing.T
	sent chan wire // what was written
	log  *await.Log
}

// connect returns a connection to a process that reads all.
func connect(t *testing.T, o rpc.Options) *rig {
	t.Helper()
	read, write := io.Pipe()
	r := &rig{t: t, sent: make(chan wire, 4096), log: &await.Log{}}
	o.Write, o.Log = write, slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r.Conn = rpc.New(o)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewReader(read)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var m wire
			if err := json.Unmarshal(line, &m); err != nil {
				t.Errorf("wrote %q: %v", line, err)
			}
			r.sent <- m
		}
	}()
	t.Cleanup(func() {
		r.Close()
		<-done
	})
	return r
}

// says has the process write lines.
func (r *rig) says(lines ...string) {
	for _, line := range lines {
		r.Output([]byte(line + "\n"))
	}
}

// next returns what is written next.
func (r *rig) next() wire {
	r.t.Helper()
	return await.One(r.t, r.sent, "what is written")
}

// called is how a call ended.
type called struct {
	result string
	err    error
}

// call begins a call, and returns when it was written.
func (r *rig) call(method string) (id string, end <-chan called) {
	r.t.Helper()
	ended := make(chan called, 1)
	go func() {
		var raw json.RawMessage
		err := r.Call(context.Background(), method, nil, &raw)
		ended <- called{string(raw), err}
	}()
	return string(r.next().ID), ended
}
