package opencode

import (
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// maxDiffs is how many changes are told of one tool.
const maxDiffs = 100

// diffs returns the changes that a tool makes, nil if they are not told.
func (u *use) diffs() (all []peer.Diff) {
	for _, f := range u.Files {
		if len(all) < maxDiffs && f.Patch != "" {
			all = append(all, spec.Hunks(f.FilePath, f.Patch)...)
		}
	}
	switch {
	case all != nil:
	case u.FileDiff.Patch != "":
		all = spec.Hunks(u.FileDiff.File, u.FileDiff.Patch)
	case u.Diff != "":
		all = spec.Hunks(u.file(), u.Diff)
	}
	return all[:min(len(all), maxDiffs)]
}
