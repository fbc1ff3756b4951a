package turn

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// quitTime is how long an agent may take to end by its own keys before the stop
// ladder begins.
const quitTime = 750 * time.Millisecond

// quitGap is how long the screen may take to show a key before the next one
// follows.
const quitGap = 150 * time.Millisecond

// stop ends the session's process: by its own keys if it is idle and has some,
// so that it can put its things in order, and what is left by the ladder. Some
// shells take no notice of a SIGTERM.
func (s *session) stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.quit()
	s.child.Stop()
}

// quit types the keys that end an idle agent, unless a person sits there, and
// waits a little for its end.
func (s *session) quit() {
	s.mu.Lock()
	busy := s.cur != nil || s.stuck != nil
	s.mu.Unlock()
	keys := s.r.profile.Quit
	v := s.console.Look()
	text, _ := s.r.profile.Input(v.Screen)
	if busy || s.person != nil || len(keys) == 0 || v.Verdict.State != profile.Ready || text != "" {
		return
	}
	limit := time.NewTimer(quitTime)
	defer limit.Stop()
	for i, key := range keys {
		v := s.console.Look()
		if _, err := s.console.Tty.WriteContext(s.life, []byte(key)); err != nil {
			return
		}
		s.console.Typed(key)
		var shown <-chan struct{}
		gap := limit.C
		if i < len(keys)-1 {
			next := time.NewTimer(quitGap)
			defer next.Stop()
			gap, shown = next.C, v.Changed
		}
		select {
		case <-shown:
		case <-gap:
		case <-s.child.Exited():
			return
		case <-s.r.hard.Done():
			return
		}
	}
}
