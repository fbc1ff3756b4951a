package surface

import "github.com/a2a-sidecar/sidecar/internal/text"

// lostTold is how many tools one change makes records of in the log.
const lostTold = 20

// Lost returns the tools that are not served and have no row, because another tool has their
// name, and what sources say of tools without a name. The slice must not be changed.
func (v *View) Lost() []Lost { return v.composition.lost }

// tellLost warns of each tool that everyone has lost, once until it is served again. Of a tool
// without a name its source has told.
func (s *Surface) tellLost() {
	fresh := s.freshlyLost()
	for i, l := range fresh {
		if i == lostTold {
			s.opts.Log.Warn("there are more tools that are not served", "more", len(fresh)-i)
			return
		}
		s.opts.Log.Warn("a tool is not served", "tool", text.Line(l.Name, maxName), "reason", l.Text)
	}
}

// freshlyLost returns the tools that are lost now and were not at the last call.
func (s *Surface) freshlyLost() (fresh []Lost) {
	s.telling.Lock()
	defer s.telling.Unlock()
	now := map[Lost]bool{}
	for _, l := range s.For(Viewer{}).Lost() {
		if l.Name == "" || now[l] {
			continue
		}
		if now[l] = true; !s.told[l] {
			fresh = append(fresh, l)
		}
	}
	s.told = now
	return fresh
}
