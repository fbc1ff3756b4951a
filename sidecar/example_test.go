package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// A Go program serves tools that are its own functions, beside those of the
// manifest.
func Example() {
	tools := manifest.NewRegistry()
	err := tools.Register(manifest.Definition{
		Name:        "acme.echo",
		Description: "Echoes the input string back.",
		InputSchema: json.RawMessage(`{"type":"object","required":["value"],"properties":{"value":{"type":"string"}}}`),
	}, func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		return arguments, nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := config.DefaultConfig()
	cfg.Mode, cfg.Command, cfg.Port = config.ModeOneshot, []string{"cat"}, 0

	ctx, stop := context.WithCancel(context.Background())
	url, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		_, err := sidecar.Run(ctx, sidecar.Options{Config: cfg, Registry: tools, Serving: func(u string) { url <- u }})
		ended <- err
	}()
	base := <-url
	show := func(res *http.Response, err error) {
		if err != nil {
			fmt.Println(err)
			return
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		text, _, _ := strings.Cut(string(body), `,"metadata"`)
		fmt.Println(res.StatusCode, text)
	}
	show(http.Get(base + "/a2a/tools"))
	show(http.Post(base+"/a2a/tools/acme.echo", "application/json", strings.NewReader(`{"value":"hi"}`)))
	stop()
	fmt.Println(<-ended)
	// Output:
	// 200 [{"name":"acme.echo","description":"Echoes the input string back.","inputSchema":{"type":"object","required":["value"],"properties":{"value":{"type":"string"}}}}]
	// 200 {"type":"output","data":{"value":"hi"}
	// <nil>
}
