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
	// Registry holds tools that are Go functions; they are served beside the
	// manifest's, first. nil: none.
	Registry *manifest.Registry
	// Log gets everything that Run has to say. nil: nothing is said.
	Log *slog.Logger
	// Warnings are told in the log before all else: what is odd about the settings.
	Warnings []string
	// Stdin and Stdout are the person's terminal, where they are one. Stderr
	// gets the one line that tells the address before the terminal is handed
	// over. nil: there is none.
	Stdin, Stdout, Stderr *os.File
	// Environ is what the agent inherits a part of, as of os.Environ.
	Environ []string
	// Self is the path of a binary with the sidecar's commands, which agents
	// call to report what they do. "": those that need one do not report.
	Self string
	// Version is our own, for the card and the health endpoint.
	Version string
	// Serving is called with the address once the agent has started and new
	// work is taken. nil: nobody wants to know.
	Serving func(url string)
	// Ending is called, perhaps more than once, when Run begins to end: the agent
	// has ended, or somebody has asked for it. nil: nobody wants to know.
	Ending func()
}
