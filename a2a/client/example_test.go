package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http/httptest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// agent is a server of an agent that says again what it is told.
func agent() *httptest.Server {
	return httptest.NewServer(server.New(server.Options{Handler: a2atest.NewFake()}))
}

func say(text string) *a2a.SendRequest {
	return &a2a.SendRequest{Message: a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}}
}

// Send waits until the task has ended, or waits for its client.
func ExampleClient_Send() {
	srv := agent()
	defer srv.Close()

	c := client.New(srv.URL, nil)
	result, err := c.Send(context.Background(), say("hello"))
	if err != nil {
		log.Fatal(err)
	}
	task := result.Task // nil for an agent that answers with a message alone
	fmt.Println(task.Status.State)
	fmt.Println(task.Artifacts[0].Parts[0].Text)
	// Output:
	// TASK_STATE_COMPLETED
	// echo: hello
}

// A stream tells of a task while it works, the task itself first.
func ExampleClient_Stream() {
	srv := agent()
	defer srv.Close()

	ctx := context.Background()
	stream, err := client.New(srv.URL, nil).Stream(ctx, say("hello"))
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range events {
			if e.Artifact != nil {
				fmt.Printf("%q\n", e.Artifact.Artifact.Parts[0].Text)
			} else {
				fmt.Println(e.State())
			}
		}
	}
	// Output:
	// TASK_STATE_SUBMITTED
	// TASK_STATE_WORKING
	// "echo: "
	// "hello"
	// TASK_STATE_COMPLETED
}

// What the server refuses is an error of package a2a.
func ExampleClient_Cancel() {
	srv := agent()
	defer srv.Close()

	c := client.New(srv.URL, nil)
	task, err := c.Cancel(context.Background(), &a2a.CancelRequest{ID: "working"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(task.Status.State)

	_, err = c.Cancel(context.Background(), &a2a.CancelRequest{ID: "done"})
	fmt.Println(err, errors.Is(err, a2a.ErrTaskNotCancelable))
	// Output:
	// TASK_STATE_CANCELED
	// task cannot be canceled true
}

// A tool is called without the agent. A tool that fails is a reply, not an error.
func ExampleClient_CallTool() {
	srv := agent()
	defer srv.Close()

	c := client.New(srv.URL, nil)
	reply, err := c.CallTool(context.Background(), &a2a.ToolRequest{Name: "acme.echo", Arguments: []byte(`{"value":"hi"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d %s\n", reply.Status, reply.Envelope)
	// Output:
	// 200 {"type":"output","data":{"value":"hi"}}
}
