package sidecar

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// redaction makes the redactor of the policy that holds. Its methods may be called from
// many goroutines.
type redaction struct {
	policy func() *policy.Set // must not return nil
	env    []string
	warn   func(msg string, args ...any)
	made   atomic.Pointer[madeRedactor]
}

// madeRedactor is the redactor of a policy, which is made once.
type madeRedactor struct {
	of       *policy.Set
	redactor *output.Redactor
}

// redactor returns a function that returns what takes out what the policy of the moment
// names.
func (s *sidecar) redactor(current func() *policy.Set) func() *output.Redactor {
	r := &redaction{policy: current, env: s.Environ, warn: s.Log.Warn}
	return r.redactor
}

// redactor returns what takes out what the policy names, nil if it names nothing.
func (r *redaction) redactor() *output.Redactor {
	rules := r.policy()
	if made := r.made.Load(); made != nil && made.of == rules {
		return made.redactor
	}
	made := &madeRedactor{rules, r.make(rules.Redact())}
	r.made.Store(made)
	return made.redactor
}

// make makes a redactor. A variable whose value cannot be taken out is warned about: the
// rest is taken out all the same.
func (r *redaction) make(p policy.Redact) *output.Redactor {
	base, err := output.NewRedactor(redactionRules(p))
	if err != nil { // the rules were checked when the files were read
		r.warn("patterns of the policy take nothing out", "error", err)
	}
	for _, entry := range r.env {
		name, value, _ := strings.Cut(entry, "=")
		if !slices.Contains(p.Environment, name) {
			continue
		}
		more, err := base.With(output.Value{Name: name, Secret: value})
		if err != nil {
			r.warn("a value that the policy names is not taken out", "error", err)
			continue
		}
		base = more
	}
	return base
}

// redactionRules returns what a policy names, but for the values of variables.
func redactionRules(p policy.Redact) output.Rules {
	rules := output.Rules{Patterns: p.Patterns}
	if p.Secrets {
		rules.Shapes = output.ShapeNames()
	}
	return rules
}

// CheckRedaction returns why what the files of a policy want hidden cannot be built together,
// nil if it can. It is for policy.Options.Redactable.
func CheckRedaction(p policy.Redact) error { return output.CheckRules(redactionRules(p)) }
