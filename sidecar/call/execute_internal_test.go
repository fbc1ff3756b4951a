package call

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// A bridge that the manifest takes is one that something executes.
func TestEveryBridgeIsExecuted(t *testing.T) {
	for _, kind := range manifest.BridgeKinds() {
		if kind == manifest.BridgeHTTP {
			continue // declared, and unavailable as long as nothing sends its requests
		}
		if (&Pipeline{}).executor(kind) == nil {
			t.Errorf("nothing executes the bridge %q: give it its case in execute.go", kind)
		}
	}
	if (&Pipeline{}).executor("carrier pigeon") != nil {
		t.Error("a bridge that nobody knows is executed")
	}
}
