package call_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// benchmarkedSandboxes are calls of confined programs: what each layer costs is their difference.
var benchmarkedSandboxes = []benchmarkedCall{
	{"sandbox", "", func(t testing.TB) func(*call.Options) { return sandboxed(t, confine.Required) }},
	{"sandbox and hosts", `,"requires":{"net":{"hosts":["example.com"]}}`, networked},
}
