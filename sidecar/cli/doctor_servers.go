package cli

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

const serversWorth = `The tools of an MCP server that is not locked can become others without a word. Look at
them, and write down what was looked at: sidecar mcp lock.`

// examineServers says which MCP servers are not locked. It starts none. ok is false if there are no
// MCP servers.
func examineServers(environ []string) (s checkup, ok bool) {
	s = checkup{Name: "MCP servers", Worth: serversWorth}
	c, err := config.MCP(nil, environ)
	switch {
	case err != nil:
		s.Facts = []fact{{Name: "settings", Text: firstLine(err)}}
		return s, true
	case c.MCPConfig == "":
		return s, false
	}
	without, with, err := sidecar.Unlocked(c, environ)
	if err != nil {
		s.Facts = []fact{{Name: c.MCPConfig, Text: firstLine(err)}}
		return s, true
	}
	for _, slug := range with {
		s.Facts = append(s.Facts, fact{Name: slug, OK: true, Text: "is in " + c.MCPLockFile()})
	}
	for _, slug := range without {
		s.Facts = append(s.Facts, fact{Name: slug, Text: "unverified: it is not in " + c.MCPLockFile()})
	}
	return s, true
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
