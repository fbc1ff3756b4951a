package client_test

import (
	"context"
	"io"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// rig is a set of servers under test, and what their log says.
type rig struct {
	*client.Servers
	log *await.Log
}

func newRig(t *testing.T, o client.Options, servers ...client.Server) *rig {
	t.Helper()
	r := &rig{log: &await.Log{}}
	o.Log = r.log.Logger()
	r.Servers = client.New(o)
	t.Cleanup(r.Close)
	if err := r.Set(servers); err != nil {
		t.Fatal(err)
	}
	return r
}

// pipes is what a program is dialed as: the client's ends of two pipes and the program's.
func pipes() (*mcp.IOTransport, io.ReadCloser, io.WriteCloser) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	return &mcp.IOTransport{Reader: fromServer, Writer: toServer}, in, out
}

// sdk returns a server's Dial: each time, a server of the SDK runs until its input ends.
func sdk(t *testing.T, make func() *mcp.Server) func(context.Context) (mcp.Transport, error) {
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	return func(context.Context) (mcp.Transport, error) {
		transport, in, out := pipes()
		wg.Go(func() {
			_ = make().Run(context.Background(), &mcp.IOTransport{Reader: in, Writer: out})
			in.Close()
			out.Close()
		})
		return transport, nil
	}
}
