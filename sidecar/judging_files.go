package sidecar

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// judgingFile is a file that says what the agent may do, or who may tell it.
type judgingFile struct {
	setting string
	file    string
}

// judgingFiles lists the files that judge the agent. The watchdog has a check of its own, at each
// question.
func (s *sidecar) judgingFiles() (all []judgingFile) {
	c := &s.Config
	for _, j := range []judgingFile{
		{"--manifest", c.Manifest}, {"--token-file", c.TokenFile}, {"--tls-client-ca", c.TLSClientCA}, {"--card", c.Card},
		{"--policy", s.policyFiles().Path()}, {"--grants", c.Grants}, {"--surface", c.Surface}, {"--mcp-config", c.MCPConfig}, {"--mcp-lock", c.MCPLockFile()},
		{"--agents", c.Agents}, {"--config", c.File},
	} {
		if j.file != "" {
			all = append(all, j)
		}
	}
	for _, dir := range c.Skills {
		all = append(all, judgingFile{"--skills", dir})
	}
	if c.TrustProject { // otherwise it only makes things stricter
		all = append(all, judgingFile{"--trust-project", c.ProjectPolicy()})
	}
	return all
}

// judging knows which of these files the agent could not change when they were last looked at.
type judging struct {
	mu   sync.Mutex
	safe map[string]bool // by absolute path
}

// note remembers what was found out about a file, and returns what it was before.
func (j *judging) note(file string, safe bool) (was bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	was = j.safe[file]
	if j.safe == nil {
		j.safe = map[string]bool{}
	}
	j.safe[file] = safe
	return was
}

// knows reports whether a file was looked at.
func (j *judging) knows(file string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, known := j.safe[file]
	return known
}

// checkJudgingFiles says which of the files that judge the agent it could change itself: it would then
// allow itself what it likes. With --sandbox required that is no way to start. The audit is only
// told of if the agent runs as our own user: nobody else could write it then.
func (s *sidecar) checkJudgingFiles(context.Context) error {
	agent := s.agentUser()
	required := s.Config.Sandbox == config.SandboxRequired
	var changeable []string
	for _, j := range s.judgingFiles() {
		can, by := s.changeable(j.file)
		s.judging.note(absolute(j.file), !can)
		if can {
			changeable = append(changeable, j.setting+" "+j.file+by)
		}
	}
	record := s.changeableAudit()
	if record != "" && (!required || int(agent.UID) != os.Geteuid()) {
		changeable = append(changeable, record)
	} else if record != "" {
		s.Log.Warn("the agent runs as the sidecar's own user and can change the record of its calls: --user gives it one of its own", "file", record)
	}
	if len(changeable) == 0 {
		return nil
	}
	if required {
		return fmt.Errorf("the agent runs as user %d and can change what judges it: %s; give it a user of its own (--user), and these files and their directories to another one",
			agent.UID, strings.Join(changeable, ", "))
	}
	s.Log.Warn("the agent can change what judges it: --user gives it a user of its own", "files", strings.Join(changeable, ", "))
	return nil
}

// changeable reports whether the agent can change a file, and by what if that does not go without
// saying, to follow the file's name. What cannot be looked at counts as something that it can change.
func (s *sidecar) changeable(file string) (can bool, how string) {
	by, err := s.agentUser().CanChange(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "" // whoever opens it reports that
	case err != nil:
		return true, fmt.Sprintf(" (it cannot be looked at: %v)", err)
	case by == "":
		return false, ""
	case by == file || s.Config.User == nil: // our own user needs no way in
		return true, ""
	}
	return true, fmt.Sprintf(" (by %s)", by)
}

// changeableAudit says that the agent can change the record of its calls, or the key; "" if not.
func (s *sidecar) changeableAudit() string {
	file := s.Config.AuditFile()
	if file == "" {
		return ""
	}
	for _, path := range audit.Files(file) {
		if can, by := s.changeable(path); can {
			return "--audit " + path + by
		}
	}
	return ""
}

// believe says why a file that has changed must not be believed, nil if it may be: under
// "required" the agent must not be able to change it. Otherwise the first change of that kind is
// a warning. What the start has not judged is believed.
func (s *sidecar) believe(file string) error {
	file = absolute(file)
	if !s.judging.knows(file) {
		return nil
	}
	can, by := s.changeable(file)
	was := s.judging.note(file, !can)
	switch {
	case !can:
		return nil
	case s.Config.Sandbox == config.SandboxRequired:
		return fmt.Errorf("the agent, user %d, can change it%s: give it and its directories to another user (chown root, chmod go-w)", s.agentUser().UID, by)
	case was:
		s.Log.Warn("the agent can change what judges it: --user gives it a user of its own", "files", file+by)
	}
	return nil
}
