package turn

// scratchDir is the agent's TMPDIR in a session's folder.
const scratchDir = "tmp"

// place makes the session's folder. An agent can do without one, and its end is
// not to be hidden by ours.
func (s *session) place() {
	files, err := s.r.folders.open("session-" + s.name)
	if err != nil {
		s.r.o.Log.Warn("the agent has no folder: no outbox, no TMPDIR of its own, and files cannot be sent to it", "error", err)
		return
	}
	s.files = files
}

// scratch makes the agent's TMPDIR, which goes with the session: in its folder,
// or, where what is in there could not be executed, in our own TMPDIR if that is
// better. "" is none: the agent has the one that we have.
func (s *session) scratch() string {
	if s.files == nil {
		return ""
	}
	own := s.files.path(scratchDir)
	err := s.files.mkdir(scratchDir)
	if err == nil && !noExec(own) {
		return own
	}
	better, elsewhere := s.files.all.elsewhere(s.files.id)
	switch {
	case elsewhere == nil:
		s.temp = better
		return better
	case err == nil:
		s.cannotRun(own, elsewhere)
		return own
	}
	s.r.o.Log.Warn("the agent has no TMPDIR of its own", "error", err)
	return ""
}

// cannotRun tells of a TMPDIR whose files cannot be executed. Agents that are
// known to work on code put programs and libraries there; what else there is
// hardly does.
func (s *session) cannotRun(dir string, err error) {
	log := s.r.o.Log.Info
	if s.r.profile.Hook != "" {
		log = s.r.o.Log.Warn
	}
	log("what the agent puts into its TMPDIR cannot be executed: the place is mounted noexec, and there is no other; mount a tmpfs with exec at /tmp",
		"dir", dir, "error", err)
}
