package sidecar

import (
	"errors"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// turnStatus is a turn that runs or waits.
type turnStatus struct {
	Task    string `json:"taskId"`
	Context string `json:"contextId"`
	Tool    string `json:"tool,omitempty"`
	// State is running or waiting.
	State string    `json:"state"`
	Since time.Time `json:"since"`
	PID   int       `json:"pid,omitempty"`
	// WaitsFor says in words what must happen before the turn goes on.
	WaitsFor string `json:"waitsFor"`
}

// turnsFor returns the turns that a caller may know of: its own.
func turnsFor(all []turn.TurnStatus, caller string) (own []turnStatus) {
	for _, t := range all {
		if t.Owner != caller {
			continue
		}
		state := "waiting"
		if t.Running {
			state = "running"
		}
		own = append(own, turnStatus{
			Task: t.Task, Context: t.Context, Tool: t.Tool, State: state, Since: t.Entered.UTC(), PID: t.PID, WaitsFor: t.WaitsFor,
		})
	}
	return own
}

// fileStatus is a followed file that is bad now.
type fileStatus struct {
	// Kind is manifest, tokens, certificates, policy, servers, lock or agents.
	Kind string `json:"kind"`
	File string `json:"file"`
	Text string `json:"text"`
}

// fileFaults returns the followed files that are bad now.
func (s *sidecar) fileFaults() (all []fileStatus) {
	if err := s.source.Last(); err != nil {
		all = append(all, fileStatus{"manifest", s.Config.Manifest, text.Shorten(manifestFault(err), statusText)})
	}
	if s.callers == nil { // the sidecar still starts
		return all
	}
	if s.rules != nil && s.rules.Last() != nil {
		all = append(all, fileStatus{"policy", s.Config.Policy, text.Shorten(manifestFault(s.rules.Last()), statusText)})
	}
	if s.grants != nil && s.grants.Last() != nil {
		all = append(all, fileStatus{"grants", s.Config.Grants, text.Shorten(manifestFault(s.grants.Last()), statusText)})
	}
	if s.preferences != nil && s.preferences.Last() != nil {
		all = append(all, fileStatus{"surface", s.Config.Surface, text.Shorten(manifestFault(s.preferences.Last()), statusText)})
	}
	if f := s.agents.file; f != nil && f.Last() != nil {
		all = append(all, fileStatus{"agents", s.Config.Agents, text.Shorten(manifestFault(f.Last()), statusText)})
	}
	all = append(all, s.servers.faults()...)
	for _, f := range s.callers.Faults() {
		all = append(all, fileStatus{f.Kind, f.File, text.Shorten(f.Text, statusText)})
	}
	return all
}

// manifestFault returns the first fault, and how many more there are.
func manifestFault(err error) string {
	var faults jsontree.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		return err.Error()
	}
	f := faults[0]
	text := fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Message)
	if f.Hint != "" {
		text += "; " + f.Hint
	}
	if more := len(faults) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// followedFiles returns which kinds of files are followed, and for each whether its
// file is good.
func (s *sidecar) followedFiles() map[string]bool {
	ok := map[string]bool{}
	c := &s.Config
	for kind, path := range map[string]string{
		"manifest": c.Manifest, "tokens": c.TokenFile, "certificates": c.TLSCert, "policy": s.policyFiles().Path(), "grants": c.Grants, "surface": c.Surface,
		"servers": c.MCPConfig, "lock": c.MCPLockFile(), "agents": c.Agents,
	} {
		if path != "" {
			ok[kind] = true
		}
	}
	for _, f := range s.fileFaults() {
		ok[f.Kind] = false
	}
	return ok
}
