package manifest

import (
	"crypto/sha256"
	"encoding/hex"
)

// The sources of tools.
const (
	SourceManifest = "manifest" // the file
	SourceRegistry = "registry" // Go handlers
	// SourceMCP begins the source of an MCP server's tools; a colon and the server's slug follow.
	SourceMCP = "mcp"
	// SourceCore is the source of the tools that the sidecar brings.
	SourceCore = "core"
)

// Source says where the tool comes from: SourceManifest, SourceRegistry, SourceCore, or SourceMCP with
// the server, as in "mcp:github".
func (t *Tool) Source() string {
	if t.Bridge.Kind == BridgeCore {
		return SourceCore
	}
	if t.External != nil {
		return SourceMCP + ":" + t.External.Server
	}
	if t.Handler != nil {
		return SourceRegistry
	}
	return SourceManifest
}

// digestOf returns the Digest of a definition, given its source and its text.
func digestOf(source, definition string) string {
	b := make([]byte, 0, len(source)+1+len(definition))
	b = append(append(b, source...), 0)
	sum := sha256.Sum256(compact(b, definition))
	return "sha256:" + hex.EncodeToString(sum[:])
}
