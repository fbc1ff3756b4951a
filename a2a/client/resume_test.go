package client_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// Our client goes on where it was.
func TestClientResumes(t *testing.T) {
	base := a2atest.Serve(t, server.New(server.Options{Handler: a2atest.NewNumbered()}).HTTPServer())
	c := client.New(base, nil)
	for after, want := range map[uint64]string{0: "[1 2 3 4 5]", 2: "[3 4 5]"} {
		s, err := c.Subscribe(await.Context(t), &a2a.SubscribeRequest{ID: "working", After: after})
		if err != nil {
			t.Fatal(err)
		}
		events, err := a2atest.ReadAll(t, s)
		var got []uint64
		for _, e := range events {
			got = append(got, e.ID)
		}
		if !errors.Is(err, io.EOF) || fmt.Sprint(got) != want {
			t.Errorf("after %d: %v, %v", after, got, err)
		}
	}
	if _, err := c.Subscribe(await.Context(t), &a2a.SubscribeRequest{ID: "working", After: 5}); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("after the last one: %v", err)
	}
}

// What is no number is no id, and an event that broke off leaves none behind.
func TestClientReadsIDs(t *testing.T) {
	data := "data: " + envelope + completed + "\n\n"
	c := streaming(t, "id:7\n"+data+"id: x\n"+data+data+"data: "+envelope+completed+"\nid: 9\n\n"+"id: 10\ndata: "+envelope)
	s, err := c.Subscribe(await.Context(t), &a2a.SubscribeRequest{ID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	events, err := a2atest.ReadAll(t, s)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	var got []uint64
	for _, e := range events {
		got = append(got, e.ID)
	}
	if fmt.Sprint(got) != "[7 0 0 9]" {
		t.Errorf("ids %v", got)
	}
}

// Our client keeps the code too, and says so when the stream is opened.
func TestClientReadsStreamError(t *testing.T) {
	url := a2atest.Serve(t, server.New(server.Options{Handler: a2atest.NewFake()}).HTTPServer())
	c := client.New(url, nil)
	for _, after := range []uint64{0, 7} {
		st, err := c.Subscribe(await.Context(t), &a2a.SubscribeRequest{ID: "nope", After: after})
		if st != nil || !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("after %d: %v, %v", after, st, err)
		}
	}
}
