package spec_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestImagesThatModelsRead(t *testing.T) {
	for kind, want := range map[string]bool{
		"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/png; q=1": true, "image/PNG": false,
		"": false, "image/": false, "image/svg+xml": false, "image/tiff": false, "application/pdf": false, "text/plain; x=image/png": false,
	} {
		if got := spec.IsImage(kind); got != want {
			t.Errorf("%q: %v", kind, got)
		}
	}
}
