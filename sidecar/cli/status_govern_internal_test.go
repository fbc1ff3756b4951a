package cli

import (
	"strings"
	"testing"
)

func TestStatusOfAGovernedAgent(t *testing.T) {
	for want, g := range map[string]statusGoverned{
		"governed: on, agent version 1.2, recipe r\n  left to the model: a, b\n  not closed: c\n  watched by h: 1 native call seen, the last d\n": {
			Mode: "on", Version: "1.2", Measured: true, Recipe: "r", Left: []string{"a", "b"}, Holes: []string{"c"}, Watched: "h", Native: 1, LastNative: "d",
		},
		"governed: strict, agent version unknown, for which it was not measured, recipe r\n  its own process is in a sandbox: landlock, x\n": {
			Mode: "strict", Recipe: "r", Sandbox: "landlock,\n x",
		},
	} {
		var b strings.Builder
		g.print(&b)
		if b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}
