package serverfile

import (
	"context"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// doubtful is how many Debounces after the first look a bad file is read again, before it is
// believed to be bad.
const doubtful = 4

// Run follows the file until ctx ends.
func (s *Source) Run(ctx context.Context) {
	files := follow.Start(follow.Options{Debounce: s.o.Debounce, Poll: s.o.Poll, Log: s.o.Log}, s.path)
	defer files.Close()
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
		case <-s.poke:
		case <-again.C:
		}
		again.Stop()
		if !s.look(sure) {
			again.Reset(doubtful * s.o.Debounce)
		}
	}
}

// look reads the file and puts it into force, or refuses it. It reports false for a bad file that
// must be looked at again, unless it is sure of it.
func (s *Source) look(sure bool) bool {
	all, err := s.load()
	if err == nil {
		s.setLast(nil)
		s.take(all)
		return true
	}
	if last := s.Last(); sure && (last == nil || last.Error() != err.Error()) {
		s.refuse(err)
	}
	return sure
}

// take puts a list into force, if it is another one.
func (s *Source) take(all []Server) {
	if slices.EqualFunc(s.Servers(), all, same) {
		return
	}
	s.current.Store(&all)
	s.o.Log.Info("the MCP servers were read again", "file", s.path, "servers", len(all))
	s.o.Taken(all)
}

// same reports whether two servers are the same in everything.
func same(a, b Server) bool { return a.Key() == b.Key() }
