package policyfile

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// doubtful is how many Debounces after the first look bad files are read again, before they are
// believed to be bad.
const doubtful = 4

// Run follows the files until ctx ends. The project's is only looked at now and then: until there
// is one, what could be watched is the workspace itself, where an agent may write all the time.
func (s *Source) Run(ctx context.Context) {
	files := follow.Start(follow.Options{Debounce: s.opts.Debounce, Poll: s.opts.Poll, Log: s.opts.Log}, s.files.follows()...)
	defer files.Close()
	project := glance{path: s.files.Project}
	polls := time.NewTicker(s.opts.Poll)
	defer polls.Stop()
	again := time.NewTimer(time.Hour)
	again.Stop()
	defer again.Stop()
	for {
		sure := true
		select {
		case <-ctx.Done():
			return
		case <-files.Changed():
			sure = false
		case <-polls.C:
			if !project.changed() {
				continue
			}
			sure = false
		case <-s.poke:
		case <-again.C:
		}
		again.Stop()
		if !s.look(sure) {
			again.Reset(doubtful * s.opts.Debounce)
		}
	}
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
