package cli

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// statusGoverned is how the agent is governed.
type statusGoverned struct {
	Mode       string   `json:"mode"`
	Version    string   `json:"version"`
	Measured   bool     `json:"measured"`
	Recipe     string   `json:"recipe"`
	Left       []string `json:"left"`
	Holes      []string `json:"holes"`
	Sandbox    string   `json:"sandbox"`
	Watched    string   `json:"watched"`
	Native     int64    `json:"nativeCalls"`
	LastNative string   `json:"lastNative"`
}

func (g *statusGoverned) print(b *strings.Builder) {
	version := g.Version
	if version == "" {
		version = "unknown"
	}
	fmt.Fprintf(b, "governed: %s, agent version %s", printable(g.Mode), printable(version))
	if !g.Measured {
		b.WriteString(", for which it was not measured")
	}
	fmt.Fprintf(b, ", recipe %s\n", printable(g.Recipe))
	if len(g.Left) > 0 {
		fmt.Fprintf(b, "  left to the model: %s\n", printable(strings.Join(g.Left, ", ")))
	}
	for _, hole := range g.Holes {
		fmt.Fprintf(b, "  not closed: %s\n", printable(oneLine(hole)))
	}
	if g.Sandbox != "" {
		fmt.Fprintf(b, "  its own process is in a sandbox: %s\n", printable(oneLine(g.Sandbox)))
	}
	if g.Watched != "" {
		fmt.Fprintf(b, "  watched by %s: %s seen", printable(g.Watched), text.CountOf(int(g.Native), "native call", "native calls"))
		if g.LastNative != "" {
			fmt.Fprintf(b, ", the last %s", printable(g.LastNative))
		}
		b.WriteByte('\n')
	}
}
