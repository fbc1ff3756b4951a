package manifest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

func nothing(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }

func TestRegistryRefuses(t *testing.T) {
	object := json.RawMessage(`{"type":"object"}`)
	good := manifest.Definition{Name: "acme.echo", Description: "d", InputSchema: object}
	r := manifest.NewRegistry()
	if err := r.Register(good, nothing); err != nil {
		t.Fatal(err)
	}
	for want, def := range map[string]manifest.Definition{
		"is registered already":           good,
		`write "arxiv.search"`:            {Name: "arxiv_search", Description: "d", InputSchema: object},
		`reserved namespace "sv"`:         {Name: "sv.x", Description: "d", InputSchema: object},
		`"inputSchema" is missing`:        {Name: "acme.a", Description: "d"},
		"/inputSchema/type: expected":     {Name: "acme.b", Description: "d", InputSchema: json.RawMessage(`{"type":}`)},
		"/inputSchema: something follows": {Name: "acme.c", Description: "d", InputSchema: json.RawMessage(`{}, "x-sidecar": {}`)},
		"/inputSchema/type: the type":     {Name: "acme.d", Description: "d", InputSchema: json.RawMessage(`{"type":"array"}`)},
		"/outputSchema":                   {Name: "acme.e", Description: "d", InputSchema: object, OutputSchema: json.RawMessage(`3`)},
		"/x-sidecar/kind: must be":        {Name: "acme.f", Description: "d", InputSchema: object, Kind: "red"},
		"/x-sidecar/effects: must be":     {Name: "acme.g", Description: "d", InputSchema: object, Effects: "none"},
		"/x-sidecar/timeout: \"-1ns\" is": {Name: "acme.h", Description: "d", InputSchema: object, Timeout: -1},
		"/x-sidecar/requires/fs/read/0":   {Name: "acme.j", Description: "d", InputSchema: object, Requires: &manifest.Requires{FSRead: []string{"../x"}}},
		"/x-sidecar/uses/fs.read/0":       {Name: "acme.k", Description: "d", InputSchema: object, Uses: manifest.Uses{FSRead: []string{"/path"}}},
		"/x-sidecar/limits/cpu":           {Name: "acme.l", Description: "d", InputSchema: object, Limits: manifest.Limits{CPU: 1}},
		"/x-sidecar/concurrency":          {Name: "acme.m", Description: "d", InputSchema: object, Concurrency: -1},
	} {
		if err := r.Register(def, nothing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", def.Name, err, want)
		}
	}
	if err := r.Register(manifest.Definition{Name: "acme.i", Description: "d", InputSchema: object}, nil); err == nil {
		t.Error("a tool without a handler was taken")
	}
	s, _, err := manifest.Parse("", []byte("[]"), manifest.Options{Registry: r})
	if err != nil || len(s.Tools()) != 1 {
		t.Errorf("what was refused is there all the same: %v, %v", s, err)
	}
}

// The registry's tools come first, and the file cannot take their names.
func TestRegistryBesideFile(t *testing.T) {
	r := manifest.NewRegistry()
	for _, name := range []string{"zulu.one", "alpha.two"} {
		def := manifest.Definition{Name: name, Description: "d", InputSchema: json.RawMessage(`{ "type": "object" }`), Effects: manifest.EffectsRead}
		if err := r.Register(def, nothing); err != nil {
			t.Fatal(err)
		}
	}
	file := `[{"name":"mike.three","description":"d","inputSchema":{"type":"object"}}]`
	s, _, err := manifest.Parse("tools.json", []byte(file), manifest.Options{Registry: r})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name":"zulu.one","description":"d","inputSchema":{"type":"object"}},` +
		`{"name":"alpha.two","description":"d","inputSchema":{"type":"object"}},` +
		`{"name":"mike.three","description":"d","inputSchema":{"type":"object"}}]`
	if got := string(s.Document()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.Tools()[0].Handler == nil || s.Tools()[0].Effects != manifest.EffectsRead || s.Tools()[2].Handler != nil {
		t.Error("handlers are not where they belong")
	}

	_, _, err = manifest.Parse("tools.json", []byte(strings.ReplaceAll(file, "mike.three", "zulu.one")), manifest.Options{Registry: r})
	if want := `tools.json:1:10: /0/name: "zulu.one" is registered in Go already`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
	_, _, err = manifest.Parse("tools.json", []byte(`[]`), manifest.Options{Registry: r, Reserved: []string{"alpha"}})
	if err == nil || !strings.Contains(err.Error(), `"alpha.two" is in the reserved namespace`) {
		t.Errorf("a registered tool in a reserved namespace: %v", err)
	}
}
