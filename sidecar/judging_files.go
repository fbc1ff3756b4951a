package sidecar

import (
	"context"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// judgingFile is a file that says what the agent may do, or who may tell it.
type judgingFile struct {
	setting string
	file    string
}

// judgingFiles lists the files that judge the agent.
func (s *sidecar) judgingFiles() (all []judgingFile) {
	c := &s.Config
	for _, j := range []judgingFile{
		{"--manifest", c.Manifest}, {"--token-file", c.TokenFile}, {"--card", c.Card}, {"--policy", s.policyFiles().Path()},
	} {
		if j.file != "" {
			all = append(all, j)
		}
	}
	if c.TrustProject { // otherwise it only makes things stricter
		all = append(all, judgingFile{"--trust-project", c.ProjectPolicy()})
	}
	return all
}

// checkJudgingFiles says which of the files that judge the agent it could change itself: it would then
// allow itself what it likes. With --sandbox required that is no way to start.
func (s *sidecar) checkJudgingFiles(context.Context) error {
	agent := s.Config.User
	if agent == nil {
		agent = proc.Self()
	}
	var changeable []string
	for _, j := range s.judgingFiles() {
		by, err := agent.CanChange(j.file)
		switch {
		case err != nil || by == "": // whoever opens it reports that it is missing
		case by == j.file || s.Config.User == nil: // our own user needs no way in
			changeable = append(changeable, j.setting+" "+j.file)
		default:
			changeable = append(changeable, fmt.Sprintf("%s %s (by %s)", j.setting, j.file, by))
		}
	}
	if len(changeable) == 0 {
		return nil
	}
	if s.Config.Sandbox == config.SandboxRequired {
		return fmt.Errorf("the agent runs as user %d and can change what judges it: %s; give it a user of its own (--user), and these files and their directories to another one",
			agent.UID, strings.Join(changeable, ", "))
	}
	s.Log.Warn("the agent can change what judges it: --user gives it a user of its own", "files", strings.Join(changeable, ", "))
	return nil
}
