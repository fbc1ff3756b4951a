package sidecar

import (
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/metrics"
)

// serverStatus is an MCP server.
type serverStatus struct {
	Server string    `json:"server"`
	State  string    `json:"state"`
	Since  time.Time `json:"since,omitzero"`
	// Retry is when one that has failed may be started again.
	Retry time.Time `json:"retry,omitzero"`
	// Name, Version and Protocol are what it says of itself.
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Protocol string `json:"protocol,omitempty"`
	Tools    int    `json:"tools"`
	Calls    int    `json:"calls"`
	Starts   int    `json:"starts"`
	// Error is why it has failed.
	Error string `json:"error,omitempty"`
	// Problems are about tools that are left out, Warnings about tools that are there.
	Problems []string `json:"problems,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// mostProblems is how many problems, and how many warnings, of one server are listed.
const mostProblems = 10

// status returns what is known of each server. The sidecar must have started.
func (v *servers) status() (all []serverStatus) {
	if v == nil {
		return nil
	}
	lists := map[string]*client.List{}
	for _, l := range v.Tools() {
		lists[l.Slug] = l
	}
	for _, st := range v.Status() {
		one := serverStatus{
			Server: st.Slug, State: string(st.State), Since: st.Since, Protocol: st.Revision,
			Tools: st.Tools, Calls: st.Calls, Starts: st.Starts, Error: st.LastError,
		}
		if st.State == client.StateBackingOff {
			one.Retry = st.Retry
		}
		if v.locks.mode == config.UnlockedWarn && !v.locks.has(st.Slug) {
			one.Warnings = append(one.Warnings, "unverified: it is not in the lock file")
		}
		if l := lists[st.Slug]; l != nil {
			one.Name, one.Version = l.Name, l.Version
			one.Problems, one.Warnings = append(one.Problems, firstErrors(l.Problems)...), append(one.Warnings, firstErrors(l.Warnings)...)
		}
		all = append(all, one)
	}
	return all
}

func firstErrors(errs []error) (says []string) {
	for _, err := range errs[:min(len(errs), mostProblems)] {
		says = append(says, err.Error())
	}
	return says
}

// has reports whether the lock in force has a server.
func (l *locks) has(slug string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.current.Server(slug)
	return ok
}

// levels returns what is known of each server, once for each slug: those that were replaced are
// not counted. The sidecar must have started.
func (v *servers) levels() (all []metrics.Server) {
	if v == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, st := range v.Status() {
		if seen[st.Slug] {
			continue
		}
		seen[st.Slug] = true
		all = append(all, metrics.Server{
			Slug: st.Slug, Running: st.State == client.StateRunning, Failed: st.State == client.StateBackingOff,
			Tools: st.Tools, Calls: st.Calls, Starts: uint64(st.Starts),
		})
	}
	return all
}

// faults returns the files that are bad now.
func (v *servers) faults() (all []fileStatus) {
	if v == nil {
		return nil
	}
	if err := v.file.Last(); err != nil {
		all = append(all, fileStatus{"servers", v.file.Path(), text.Shorten(manifestFault(err), statusText)})
	}
	if err := v.locks.Last(); err != nil {
		all = append(all, fileStatus{"lock", v.locks.path, text.Shorten(manifestFault(err), statusText)})
	}
	return all
}
