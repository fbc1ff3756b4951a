// Sidecar wraps a command-line agent and serves it by A2A: see sidecar --help.
package main

import (
	"os"

	"github.com/a2a-sidecar/sidecar/sidecar/cli"
)

// version is set by the build: -ldflags "-X main.version=v1.2.3".
var version string

func main() {
	os.Exit(cli.Main(os.Args, cli.Std{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ(), Version: version,
	}))
}
