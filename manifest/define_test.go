package manifest_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// define returns a tool of the MCP server "files".
func define(t *testing.T, name, schema, hash string) *manifest.Tool {
	t.Helper()
	tool, err := manifest.Define(manifest.Definition{
		Name: name, Description: "d", InputSchema: json.RawMessage(schema),
		External: &manifest.External{Server: "files", Name: "native", Hash: hash}, MCP: &manifest.MCP{Server: "files", Tool: "native"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestDefine(t *testing.T) {
	tool := define(t, "files.read", `{ "type": "object" }`, "sha256:1")
	if tool.Source() != "mcp:files" || tool.Bridge.Kind != manifest.BridgeMCP || string(tool.InputSchema) != `{"type":"object"}` {
		t.Errorf("got %q, %q, %s", tool.Source(), tool.Bridge.Kind, tool.InputSchema)
	}
	if again := define(t, "files.read", `{"type":"object"}`, "sha256:1"); again.Digest != tool.Digest {
		t.Error("one definition has two digests")
	}
	if other := define(t, "files.read", `{"type":"object"}`, "sha256:2"); other.Digest == tool.Digest {
		t.Error("what the server changed is not in the digest")
	}
	if define(t, "sv.memory.read", `{"type":"object"}`, "sha256:1").Name != "sv.memory.read" {
		t.Error("the platform's tools cannot be defined")
	}
	var faults jsontree.Faults
	if _, err := manifest.Define(manifest.Definition{Name: "Bad", InputSchema: json.RawMessage(`[]`)}); !errors.As(err, &faults) || len(faults) < 2 {
		t.Errorf("got %v, want both faults", err)
	}
}

func TestCompose(t *testing.T) {
	first, second := define(t, "files.read", `{"type":"object","required":["path"]}`, "sha256:1"), define(t, "files.write", `{"type":"object"}`, "sha256:1")
	s := manifest.Compose(first, second, define(t, "files.read", `{"type":"object"}`, "sha256:3"))
	if got, _ := s.Lookup("files.read"); got != first || len(s.Tools()) != 2 {
		t.Errorf("got %d tools, and not the first one of a name", len(s.Tools()))
	}
	if _, err := s.Validate(t.Context(), "files.read", json.RawMessage(`{}`)); err == nil {
		t.Error("the schema does not count")
	}
	if _, warnings, err := manifest.Parse("composed", s.Document(), manifest.Options{}); err != nil || len(warnings) > 0 {
		t.Errorf("the document is not a manifest: %v, %v", warnings, err)
	}
	if manifest.Compose(first).Revision() == s.Revision() {
		t.Error("two lists have one revision")
	}
}
