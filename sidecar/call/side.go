package call

import (
	"errors"
	"log/slog"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// tooLarge is the cause that ends a call whose output has reached a limit of side files. It says
// which.
type tooLarge string

func (l tooLarge) Error() string { return string(l) }

// limitReached returns the cause of an error of a store that keeps no more.
func limitReached(store *output.Store, err error) tooLarge {
	if errors.Is(err, output.ErrTotal) {
		return tooLarge("the outputs of the calls that run now have reached the limit of " + text.FormatSize(store.Total()) + " together: try again later")
	}
	return tooLarge("the output has reached the limit of " + text.FormatSize(store.Limit()))
}

// side is the side file of a call, which is made when the output outgrows its envelope.
// It has all of the output, so that what is where is the same in both. A nil side keeps
// nothing. Only one goroutine may use it at a time.
type side struct {
	store *output.Store
	id    string
	// session is what the file is removed with.
	session string
	stop    func(error) // stops the tool
	log     *slog.Logger

	file   *output.File
	failed bool     // the disk did not take it
	full   tooLarge // there is more than may be kept, and why; "" if all is
}

// begin makes the file, with the head, unless it is there already.
func (s *side) begin(head []byte) {
	if s.file != nil || s.failed {
		return
	}
	file, err := s.store.Create(s.id, s.session)
	if err != nil {
		s.fail(err)
		return
	}
	s.file = file
	s.write(head)
}

func (s *side) write(p []byte) {
	if s.file == nil || s.full != "" {
		return
	}
	switch _, err := s.file.Write(p); {
	case errors.Is(err, output.ErrLimit), errors.Is(err, output.ErrTotal):
		s.full = limitReached(s.store, err)
		s.stop(s.full)
	case err != nil:
		s.file.Discard()
		s.file = nil
		s.fail(err)
	}
}

func (s *side) fail(err error) {
	s.failed = true
	s.log.Warn("the rest of a tool's output is not kept", "call", s.id, "error", err)
}

// takes reports whether the file has room.
func (s *side) takes() bool { return s != nil && s.file != nil && s.full == "" }

// keep ends the file and returns its path, "" if there is none.
func (s *side) keep(media string) string {
	if s == nil || s.file == nil {
		return ""
	}
	path := s.file.Path()
	err := s.file.Keep(media)
	s.file = nil
	if err != nil {
		s.fail(err)
		return ""
	}
	return path
}

// discard removes the file, if there is one. Another one may be begun.
func (s *side) discard() {
	if s != nil && s.file != nil {
		s.file.Discard()
		s.file, s.full = nil, ""
	}
}
