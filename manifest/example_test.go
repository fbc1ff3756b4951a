package manifest_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// A tool written in Go is served beside the tools of the file.
func ExampleRegistry() {
	registry := manifest.NewRegistry()
	err := registry.Register(manifest.Definition{
		Name:        "acme.echo",
		Description: "Echoes the input string back.",
		InputSchema: json.RawMessage(`{"type":"object","required":["value"],"properties":{"value":{"type":"string"}}}`),
	}, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
		return args, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	source, err := manifest.Open("", manifest.Options{Registry: registry})
	if err != nil {
		fmt.Println(err)
		return
	}
	snapshot := source.Snapshot()
	fmt.Println(string(snapshot.Document()))

	_, err = snapshot.Validate(context.Background(), "acme.echo", json.RawMessage(`{"value":7}`))
	fmt.Println(err)

	tool, _ := snapshot.Lookup("acme.echo")
	result, err := tool.Handler(context.Background(), json.RawMessage(`{"value":"hello"}`))
	fmt.Println(string(result), err)
	// Output:
	// [{"name":"acme.echo","description":"Echoes the input string back.","inputSchema":{"type":"object","required":["value"],"properties":{"value":{"type":"string"}}}}]
	// invalid arguments: /value must be a string, not a number
	// {"value":"hello"} <nil>
}
