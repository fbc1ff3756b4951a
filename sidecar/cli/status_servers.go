package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// statusServer is an MCP server.
type statusServer struct {
	Server   string    `json:"server"`
	State    string    `json:"state"`
	Since    time.Time `json:"since"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Tools    int       `json:"tools"`
	Calls    int       `json:"calls"`
	Error    string    `json:"error"`
	Problems []string  `json:"problems"`
	Warnings []string  `json:"warnings"`
}

func (s *statusServer) print(b *strings.Builder, now time.Time) {
	fmt.Fprintf(b, "MCP server %s: %s", printable(s.Server), printable(s.State))
	if !s.Since.IsZero() {
		fmt.Fprintf(b, " for %s", since(now, s.Since))
	}
	fmt.Fprintf(b, ", %s", text.Count(s.Tools, "tool"))
	if s.Name != "" {
		fmt.Fprintf(b, ", %s", printable(strings.TrimSpace(s.Name+" "+s.Version)))
	}
	if s.Calls > 0 {
		fmt.Fprintf(b, ", works on %s", text.Count(s.Calls, "call"))
	}
	b.WriteByte('\n')
	if s.Error != "" {
		fmt.Fprintf(b, "  failed: %s\n", printable(first(s.Error)))
	}
	for _, p := range s.Problems {
		fmt.Fprintf(b, "  left out: %s\n", printable(first(p)))
	}
	for _, w := range s.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", printable(first(w)))
	}
}
