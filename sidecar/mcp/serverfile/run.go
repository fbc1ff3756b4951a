package serverfile

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// Run follows the file until ctx ends.
func (s *Source) Run(ctx context.Context) {
	r := follow.Reader{Options: follow.Options{Debounce: s.o.Debounce, Poll: s.o.Poll, Log: s.o.Log}, Look: s.look, Now: s.poke}
	r.Run(ctx, s.path)
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
