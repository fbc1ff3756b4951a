package sidecar

import (
	"log/slog"
	"os"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// Options is what Run is told. Config must be complete (config.Load, or
// config.DefaultConfig with a Command).
type Options struct {
	Config config.Config
	// Registry holds tools that are Go functions; they are served before the
	// manifest's. Tools of MCP servers are added by Config.MCPConfig. nil: none.
	Registry *manifest.Registry
	// Log gets everything that Run has to say. nil: nothing is logged.
	Log *slog.Logger
	// Warnings are logged first: they say what is odd about the settings.
	Warnings []string
	// Stdin and Stdout are the person's terminal, if they are a terminal. Stderr gets
	// the one line with the address before the terminal is handed over. nil: there is
	// none.
	Stdin, Stdout, Stderr *os.File
	// Environ is the environment, as os.Environ returns it; the agent inherits a part
	// of it.
	Environ []string
	// Self is the path of a binary with the sidecar's commands, which agents call to
	// report what they do, and start as the MCP server of Config.GiveTools. "": agents that
	// need one do not report, and cannot be given tools.
	Self string
	// Version is our own, for the card and the health endpoint.
	Version string
	// Serving is called with the address after the agent has started and new work is
	// taken. nil: it is not called.
	Serving func(url string)
	// Ending is called, perhaps more than once, when Run begins to end: the agent has
	// ended, or somebody has asked for it. nil: it is not called.
	Ending func()
}
