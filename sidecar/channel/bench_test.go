package channel_test

import (
	"bufio"
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// The floor: a line echoed over a Unix socket by two goroutines.
func BenchmarkFloorEcho(b *testing.B) {
	ln, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
	if err != nil {
		b.Fatal(err)
	}
	defer ln.Close()
	go func() {
		nc, err := ln.Accept()
		if err != nil {
			return
		}
		defer nc.Close()
		r := bufio.NewReader(nc)
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return
			}
			nc.Write(line)
		}
	}()
	nc, err := net.Dial("unix", ln.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer nc.Close()
	r := bufio.NewReader(nc)
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"task/status","params":{"text":"x"}}` + "\n")
	for b.Loop() {
		nc.Write(line)
		r.ReadSlice('\n')
	}
}

// A bare frame: task/status and its answer.
func BenchmarkStatus(b *testing.B) {
	s := listen(b)
	c := dial(b, s, s.Grant(silent{}).Token(), channel.Capabilities{})
	for b.Loop() {
		if err := c.Status(b.Context(), channel.Status{Text: "x"}); err != nil {
			b.Fatal(err)
		}
	}
}

// A message to a connected agent and its answer.
func BenchmarkDeliver(b *testing.B) {
	s := listen(b)
	o := newSession()
	dial(b, s, s.Grant(o).Token(), channel.Capabilities{
		OnDeliver: func(_ context.Context, d channel.Delivery) (channel.Delivered, error) {
			return channel.Delivered{Parts: d.Parts}, nil
		},
	})
	conn := <-o.offered
	d := channel.Delivery{TaskID: "t", ContextID: "c", MessageID: "m", Text: "hi"}
	for b.Loop() {
		if _, err := deliver(b.Context(), conn, d); err != nil {
			b.Fatal(err)
		}
	}
}

// silent is an owner that keeps nothing.
type silent struct{ channel.Owner }

func (silent) Status(channel.Status) error { return nil }
