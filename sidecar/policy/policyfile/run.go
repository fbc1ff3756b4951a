package policyfile

import (
	"context"

	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// Run follows the files until ctx ends. The project's is only looked at now and then: until there
// is one, what could be watched is the workspace itself, where an agent may write all the time.
func (s *Source) Run(ctx context.Context) {
	project := glance{path: s.files.Project}
	r := follow.Reader{
		Options: follow.Options{Debounce: s.opts.Debounce, Poll: s.opts.Poll, Log: s.opts.Log}, Look: s.look, Now: s.poke, Glance: project.changed,
	}
	r.Run(ctx, s.files.follows()...)
}

// look reads the files and puts them into force, or refuses them. It reports false for bad files
// that must be looked at again, unless it is sure of them. A bad file of the project's does not
// hold up the operator's, however often it changes.
func (s *Source) look(sure bool) bool {
	set, warnings, err := s.load()
	if err == nil {
		s.setLast(nil)
		s.take(set, warnings)
		return true
	}
	if set, warnings := s.operators(); set != nil {
		s.take(set, warnings)
	}
	if last := s.Last(); sure && (last == nil || last.Error() != err.Error()) {
		s.refuse(err)
	}
	return sure
}
