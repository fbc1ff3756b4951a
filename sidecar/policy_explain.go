package sidecar

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/policyfile"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// The paths under which a caller learns what it may call, and why.
const (
	explainPath      = "/a2a/policy/explain"
	capabilitiesPath = "/a2a/policy/capabilities"
)

// callJudges returns what judges a call of whoever asks now.
func (s *sidecar) callJudges(by *call.Request) call.Judges {
	return call.Judges{
		Tools: s.callable(by), Absent: func(name string) (reason, text string) { return s.absent(by, name) }, Scope: s.rules.scope, Policy: s.rules.Set(),
		Program: config.ProgramFinder(s.Config.Workspace, s.Environ), CoreSetup: s.coreSetup,
	}
}

// asker returns a request of whoever asks, for a call that is not made.
func (s *sidecar) asker(ctx context.Context, id server.Identity) call.Request {
	r := call.Request{Caller: id.Caller}
	s.handler.settleCaller(ctx, &r)
	return r
}

// serveExplain answers GET /a2a/policy/explain?tool=NAME&arguments=JSON&context=ID: what would
// become of such a call by the one who asks. Nothing is called, and the watchdog is not asked.
func (s *sidecar) serveExplain(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	q := r.URL.Query()
	for key := range q {
		if key != "tool" && key != "arguments" && key != "context" {
			return a2a.ErrInvalidParams.With("%q is not known here; write tool, arguments and context", key).At(key)
		}
	}
	if q.Get("tool") == "" {
		return a2a.ErrInvalidParams.With("the name of a tool is missing: %s?tool=NAME", explainPath).At("tool")
	}
	req := s.asker(r.Context(), id)
	req.Tool, req.Arguments = q.Get("tool"), json.RawMessage(q.Get("arguments"))
	if req.ContextID == "" {
		req.ContextID = q.Get("context")
	}
	e := s.callJudges(&req).Explain(r.Context(), req)
	return writeJSON(w, e.Document())
}

// serveCapabilities answers GET /a2a/policy/capabilities: what the tools may use together, and
// what the one who asks can expect of each.
func (s *sidecar) serveCapabilities(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	by := s.asker(r.Context(), id)
	v := call.Visitor{Caller: by.Caller, Agent: by.Agent, Headless: s.Config.Headless}
	return writeJSON(w, s.callJudges(&by).Capabilities(r.Context(), v))
}

// OfflineJudges returns what would judge the calls of a sidecar with these settings, from its
// files and this machine's sandbox alone; self is Options.Self. The error says which file is bad.
func OfflineJudges(c *config.Config, environ []string, self string) (call.Judges, error) {
	scope, err := newScope(c, environ, namespaces(c, self))
	if err != nil {
		return call.Judges{}, err
	}
	program := config.ProgramFinder(c.Workspace, environ)
	tools, err := manifest.Open(c.Manifest, manifest.Options{Reserved: c.ReservedNamespace})
	if err != nil {
		return call.Judges{}, err
	}
	core, err := tool.NewSet(c.Tools, c.FetchHosts...)
	if err != nil {
		return call.Judges{}, err
	}
	all := tools.Snapshot()
	if own := core.Snapshot().Tools(); len(own) > 0 {
		all = manifest.Compose(slices.Concat(own, all.Tools())...)
	}
	set, err := offlineRules(c, environ, scope)
	if err == nil {
		scope = scope.WithGrants(set.Requires)
	}
	setup := func(t *manifest.Tool) string { return searchSetup(t, c.SearchProviders, tools.Snapshot()) }
	return call.Judges{Tools: all, Scope: scope, Policy: set, Program: program, CoreSetup: setup}, err
}

// OfflineRules returns the rules of a sidecar with these settings, from its files alone. The error
// says which of them is bad.
func OfflineRules(c *config.Config, environ []string) (*policy.Set, error) {
	scope, err := newScope(c, environ, nil) // which rules there are does not depend on networks
	if err != nil {
		return nil, err
	}
	return offlineRules(c, environ, scope)
}

func offlineRules(c *config.Config, environ []string, scope *capability.Scope) (*policy.Set, error) {
	files, err := policyfile.Files{Policy: c.Policy, Project: c.ProjectPolicy()}.Read()
	if err != nil {
		return nil, err
	}
	set, _, err := policy.Load(files, policyOptions(c, environ, scope))
	return set, err
}

// policyOptions says how a sidecar with these settings reads its rules.
func policyOptions(c *config.Config, environ []string, scope *capability.Scope) policy.Options {
	return policy.Options{Roots: scope.Roots(), TrustProject: c.TrustProject, Redaction: output.CheckPattern, Redactable: CheckRedaction, Protection: protection(c, environ, scope)}
}
