package opencode

import (
	"errors"
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// acpCommand is the subcommand with which opencode speaks ACP.
const acpCommand = "acp"

// speakACP adds the subcommand. It goes to the end: opencode takes its options before it, too.
func speakACP(l *spec.Launch) (spec.Plan, error) {
	switch {
	case slices.Contains(l.Argv[1:], acpCommand):
		return spec.Plan{}, nil
	case slices.Contains(l.Argv[1:], "run") || slices.Contains(l.Argv[1:], "serve"):
		return spec.Plan{}, errors.New("its command has another subcommand; leave that out")
	}
	return spec.Plan{Argv: l.With(acpCommand)}, nil
}
