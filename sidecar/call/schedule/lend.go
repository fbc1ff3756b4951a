package schedule

import "slices"

// share is what a call makes an ancestor give up.
type share int

const (
	theSlot    share = iota // its place among the calls of its tool
	everything              // that, and its hold of the workspace
)

// lent is what one place gave up for another.
type lent struct {
	from *Place
	what share
}

// borrow makes every ancestor of p give up a share.
func (p *Place) borrow(what share) {
	for a := p.above(); a != nil; a = a.above() {
		p.borrowFrom(a, what)
	}
}

// borrowFor makes p's ancestors give up what p cannot share with them while it works.
func (p *Place) borrowFor(w Work) {
	for a := p.above(); a != nil; a = a.above() {
		switch {
		case w.Class == Pass, w.Class == Write && a.work.Class == Read:
			p.borrowFrom(a, everything)
		case w.Limit > 0 && a.work.Limit > 0:
			p.borrowFrom(a, theSlot)
		}
	}
}

func (p *Place) borrowFrom(a *Place, what share) {
	p.lent = append(p.lent, lent{a, what})
	a.noSlot++
	if what == everything {
		a.noLock++
	}
	a.release()
	a.settle()
}

// repay ends what p's ancestors gave up for it.
func (p *Place) repay() {
	giveBack(p.lent)
	p.lent = nil
}

func giveBack(given []lent) {
	for _, l := range given {
		l.from.noSlot--
		if l.what == everything {
			l.from.noLock--
		}
		l.from.settle()
	}
}

// owed returns what is closed when the call above p has back what it gave up, or has
// given it up for another call; nil for nothing.
func (p *Place) owed() <-chan struct{} {
	if a := p.above(); a != nil {
		return a.back
	}
	return nil
}

// above returns the nearest ancestor that has not left, nil for none.
func (p *Place) above() *Place {
	for p.parent != nil && p.parent.state == gone {
		p.parent = p.parent.parent
	}
	return p.parent
}

// release drops what p has given up.
func (p *Place) release() {
	if p.noLock > 0 {
		p.lock = false
	}
	if p.noSlot > 0 {
		p.dropSlot()
	}
}

func (p *Place) dropSlot() {
	if !p.slot {
		return
	}
	p.slot = false
	if p.s.tools[p.work.Tool]--; p.s.tools[p.work.Tool] == 0 {
		delete(p.s.tools, p.work.Tool)
	}
}

// needsLock and needsSlot report what p has to get before it may run or go on.
func (p *Place) needsLock() bool {
	return p.work.Class != Pass && p.work.Class != Apart && p.noLock == 0 && !p.lock
}

func (p *Place) needsSlot() bool { return p.work.Limit > 0 && p.noSlot == 0 && !p.slot }

// settle notes whether p lacks something that it has to get back.
func (p *Place) settle() {
	lacks := p.state == running && (p.needsLock() || p.needsSlot())
	switch {
	case lacks && p.back == nil:
		p.back = make(chan struct{})
		p.s.resuming = append(p.s.resuming, p)
	case !lacks && p.back != nil:
		close(p.back)
		p.back = nil
		p.s.resuming = slices.DeleteFunc(p.s.resuming, func(o *Place) bool { return o == p })
	}
}
