package client

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// nameMax is the longest name of a tool in bytes, with its server's slug: MCP clients refuse
// longer ones.
const nameMax = 128

// segment returns the last segment of a tool's name here (see manifest.Segment).
func segment(native string) (string, error) {
	if len(native) > nameMax {
		return "", fmt.Errorf("its name has %d bytes; at most %d are possible", len(native), nameMax)
	}
	s := manifest.Segment(native)
	if s == "" {
		return "", fmt.Errorf("its name %q has no letter and no digit", native)
	}
	return s, nil
}
