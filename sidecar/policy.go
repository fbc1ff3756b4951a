package sidecar

import (
	"context"
	"sync"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/policyfile"
)

// rules are the rules in force, with the goroutine that follows their files.
type rules struct {
	*policyfile.Source
	scope  *capability.Scope
	spaces *sandbox.Namespaces // of the programs of tools
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// policyFiles returns where the rules are.
func (s *sidecar) policyFiles() policyfile.Files {
	return policyfile.Files{Policy: s.Config.Policy, Project: s.Config.ProjectPolicy()}
}

// openPolicy reads the rules, and follows them.
func (s *sidecar) openPolicy(ctx context.Context) (err error) {
	r := &rules{spaces: namespaces(&s.Config, s.Self)}
	if r.scope, err = newScope(&s.Config, s.Environ, r.spaces); err != nil {
		return err
	}
	o := policyOptions(&s.Config, s.Environ, r.scope)
	o.Session = s.session
	if r.Source, err = policyfile.Open(s.policyFiles(), policyfile.Options{Policy: o, Trust: s.believe, Log: s.Log}); err != nil {
		return err
	}
	r.scope = r.scope.WithGrants(func() *manifest.Requires { return r.Set().Requires() })
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.done.Go(func() { r.Run(ctx) })
	s.rules = r
	return nil
}

func (s *sidecar) closePolicy(context.Context) error {
	s.rules.stop()
	s.rules.done.Wait()
	return nil
}

// approvers returns the callers that the rules let approve calls, nil for the task's caller.
func (r *rules) approvers() []string { return r.Set().Approvers() }
