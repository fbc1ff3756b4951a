package schedule

import (
	"cmp"
	"slices"
)

// enqueue puts p where it belongs among those that wait. Each caller has one call in
// each round; the rounds run one after the other, and within a round the order is that
// in which the calls came. So no caller waits for all that another one has sent.
func (s *Schedule) enqueue(p *Place) {
	s.came++
	p.came, p.round, p.state = s.came, max(s.now, s.round[p.caller])+1, queued
	s.round[p.caller] = p.round
	at, _ := slices.BinarySearchFunc(s.waiting, p, func(a, b *Place) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.came, b.came))
	})
	s.waiting = slices.Insert(s.waiting, at, p)
}

// drop takes p out of those that wait. A call that does not run leaves its round to its
// caller's next call, if it is the newest.
func (s *Schedule) drop(p *Place) {
	s.waiting = slices.DeleteFunc(s.waiting, func(o *Place) bool { return o == p })
	if s.round[p.caller] == p.round && p.round > s.now {
		s.round[p.caller]--
	}
	if s.round[p.caller] <= s.now || len(s.waiting) == 0 {
		delete(s.round, p.caller)
	}
}

// full reports whether more calls wait than may, p included.
func (s *Schedule) full(p *Place) bool {
	nested := p.above() != nil
	all, own := 0, 0
	for _, o := range s.waiting {
		if (o.above() != nil) == nested {
			all++
			if o.caller == p.caller {
				own++
			}
		}
	}
	return all > s.limits.Queue || !nested && p.caller != "" && own > max(s.limits.Queue/2, 1)
}

// dispatch gives back what was given up, and then lets run whoever may run.
func (s *Schedule) dispatch() {
	s.resume()
	barred := map[*Place]bool{} // by holder: a call below it waits, and those after it too
	barred[nil] = slices.ContainsFunc(s.resuming, (*Place).needsLock)
	for _, p := range slices.Clone(s.waiting) {
		holder := p.holder()
		switch {
		case p.needsSlot() && s.tools[p.work.Tool] >= p.work.Limit:
		case p.needsLock() && barred[holder]:
		case s.mayTake(p):
			s.now = max(s.now, p.round)
			s.drop(p)
			s.run(p)
		default:
			barred[holder] = true
		}
	}
}

// resume gives back what was given up, from the outermost call inwards: a call that has
// what it needs never waits for an ancestor that has not.
func (s *Schedule) resume() {
	slices.SortStableFunc(s.resuming, func(a, b *Place) int { return cmp.Compare(a.depth, b.depth) })
	for _, p := range slices.Clone(s.resuming) {
		if a := p.above(); (a == nil || !a.resumes()) && s.mayTake(p) {
			s.take(p)
			p.settle()
		}
	}
}

// resumes reports whether p or an ancestor waits for what it gave up.
func (p *Place) resumes() bool {
	for ; p != nil; p = p.above() {
		if p.back != nil {
			return true
		}
	}
	return false
}

// run lets a call run, which may take all that it needs.
func (s *Schedule) run(p *Place) {
	s.take(p)
	p.state = running
	s.running = append(s.running, p)
	close(p.granted)
}

// take gives p what it needs.
func (s *Schedule) take(p *Place) {
	if p.needsLock() {
		p.lock = true
	}
	if p.needsSlot() {
		p.slot = true
		s.tools[p.work.Tool]++
	}
}

// mayTake reports whether p may have all that it needs, now.
func (s *Schedule) mayTake(p *Place) bool {
	if p.needsSlot() && s.tools[p.work.Tool] >= p.work.Limit {
		return false
	}
	if !p.needsLock() {
		return true
	}
	return s.agree(p) && (p.work.Class == Write || s.hasRoom(p))
}

// agree reports whether p may hold the workspace beside all who hold it.
func (s *Schedule) agree(p *Place) bool {
	return !slices.ContainsFunc(s.running, func(o *Place) bool { return o != p && o.lock && !together(p, o) })
}

// together reports whether two calls may hold the workspace at the same time.
func together(a, b *Place) bool {
	switch {
	case a.below(b):
		return a.work.Class == Read || b.work.Class == Write
	case b.below(a):
		return b.work.Class == Read || a.work.Class == Write
	}
	return a.work.Class == Read && b.work.Class == Read
}

// hasRoom reports whether one more read may run. The first call below a holder runs in
// the holder's place, and a call that takes back what it gave up shares that of the
// calls below it: what waits for each other takes one place.
func (s *Schedule) hasRoom(p *Place) bool {
	reads, first := 0, true
	holder := p.holder()
	for _, o := range s.running {
		switch {
		case !o.lock:
			continue
		case o.below(p):
			return true
		case o.work.Class == Read:
			reads++
		}
		if holder != nil && o.holder() == holder {
			first = false
		}
	}
	return reads < s.limits.Reads || holder != nil && first
}

// below reports whether p is nested in a.
func (p *Place) below(a *Place) bool {
	for o := p.above(); o != nil; o = o.above() {
		if o == a {
			return true
		}
	}
	return false
}

// holder returns the nearest ancestor that holds the workspace, nil for none.
func (p *Place) holder() *Place {
	a := p.above()
	for a != nil && !a.lock {
		a = a.above()
	}
	return a
}
