package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// call is a call of a world: what it needs, and what it does while it runs: the calls
// that it makes and waits for, one after the other or all at once, and questions.
type call struct {
	work  Work
	asks  int  // questions of its program
	may   bool // it needs an approval
	calls []*call
	both  bool // it makes all its calls at once

	parent *call
	caller string
	place  *Place
	step   step
	next   int // of calls
	open   int // calls that it waits for
	asked  int
	back   func() bool // whether what was given up is back; nil: nothing is waited for
	wants  func() (resume func() bool)
}

type step int

const (
	coming step = iota
	approval
	waits
	agentWaits // for the agent to take it
	works
	question
	resumes
	returns // for its ancestors
	over
)

// world is calls in one workspace, and an agent that takes one Pass at a time, in the
// order in which they come, except from one that it works for itself.
type world struct {
	t     *testing.T
	s     *Schedule
	all   []*call
	agent []*call // the first one works
	max   Limits
}

func newWorld(t *testing.T, l Limits, roots ...*call) *world {
	w := &world{t: t, s: New(l), max: l}
	for i, c := range roots {
		w.add(c, nil, fmt.Sprint(i%2))
	}
	return w
}

func (w *world) add(c *call, parent *call, caller string) {
	c.parent, c.caller = parent, caller
	w.all = append(w.all, c)
	for _, n := range c.calls {
		w.add(n, c, caller)
	}
}

// ready returns the calls that can take a step.
func (w *world) ready() (can []*call) {
	for _, c := range w.all {
		if w.can(c) {
			can = append(can, c)
		}
	}
	return can
}

func (w *world) can(c *call) bool {
	switch c.step {
	case coming:
		return c.parent == nil || c.parent.step == works && c.parent.asks == c.parent.asked &&
			c.parent.next < len(c.parent.calls) && c.parent.calls[c.parent.next] == c && (c.parent.both || c.parent.open == 0)
	case waits:
		return c.place.Granted()
	case agentWaits:
		return w.agent[0] == c
	case works:
		return c.asked < c.asks || c.next == len(c.calls) && c.open == 0
	case resumes, returns:
		return c.back()
	case over:
		return false
	}
	return true
}

// step lets one call go on.
func (w *world) step(c *call) {
	switch c.step {
	case coming:
		w.come(c)
	case approval:
		w.enter(c)
	case waits:
		c.step = works
		if c.work.Class == Pass && !w.nestedInAgent(c) {
			w.agent = append(w.agent, c)
			c.step = agentWaits
		}
	case agentWaits:
		c.step = works
	case works:
		w.work(c)
	case question:
		c.step, c.back = resumes, c.wants()
	case resumes:
		c.step = works
	case returns:
		c.step = over
		if c.parent != nil {
			c.parent.open--
		}
	}
	w.check()
}

func (w *world) come(c *call) {
	var parent *Place
	if c.parent != nil {
		c.parent.next++
		c.parent.open++
		parent = c.parent.place
	}
	var err error
	if c.place, err = w.s.Join(parent, c.caller); err != nil {
		w.t.Fatal(err)
	}
	if !c.may {
		w.enter(c)
		return
	}
	if c.step = approval; c.place.Ask() != nil {
		w.leave(c)
	}
}

func (w *world) enter(c *call) {
	if c.step = waits; c.place.Enter(c.work) != nil {
		w.leave(c)
	}
}

func (w *world) work(c *call) {
	if c.asked == c.asks {
		w.leave(c)
		return
	}
	c.asked++
	c.step, c.wants = question, w.parks(c)
}

// parks parks a call. What it returns takes back what was given up.
func (w *world) parks(c *call) func() func() bool {
	parked := &Place{s: w.s, parent: c.place}
	w.s.mu.Lock()
	parked.borrow(everything)
	w.s.dispatch()
	w.s.mu.Unlock()
	return func() func() bool { return w.leaves(parked) }
}

func (w *world) leave(c *call) {
	if len(w.agent) > 0 && w.agent[0] == c {
		w.agent = w.agent[1:]
	}
	c.step, c.back = returns, w.leaves(c.place)
}

// leaves makes a place leave. What it returns reports whether its ancestors have back
// what they gave up.
func (w *world) leaves(p *Place) func() bool {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	back := p.leave()
	return func() bool {
		select {
		case <-back:
			return true
		default:
			return back == nil
		}
	}
}

// nestedInAgent reports whether the agent makes this call while it works for another.
func (w *world) nestedInAgent(c *call) bool {
	for p := c.parent; p != nil; p = p.parent {
		if p.work.Class == Pass {
			return true
		}
	}
	return false
}

// check holds the schedule to what it guarantees.
func (w *world) check() {
	reads, tools := 0, map[string]int{}
	for i, p := range w.s.running {
		if p.slot {
			tools[p.work.Tool]++
			if tools[p.work.Tool] > p.work.Limit {
				w.fail("%d calls of %s run, of %d", tools[p.work.Tool], p.work.Tool, p.work.Limit)
			}
		}
		if !p.lock {
			continue
		}
		if p.work.Class == Read && p.above() == nil {
			reads++
		}
		for _, o := range w.s.running[:i] {
			if !o.lock {
				continue
			}
			switch related := p.below(o) || o.below(p); {
			case !related && (p.work.Class == Write || o.work.Class == Write):
				w.fail("a write beside another call")
			case o.below(p) && o.work.Class == Write && p.work.Class != Write, p.below(o) && p.work.Class == Write && o.work.Class != Write:
				w.fail("a read is held above a write")
			}
		}
	}
	if reads > w.max.Reads {
		w.fail("%d reads run", reads)
	}
	for _, c := range w.all {
		if c.step == works && !c.suspended() && (c.place.needsLock() || c.place.needsSlot()) {
			w.fail("a call works without what it needs")
		}
	}
	if len(w.s.waiting) > 2*w.max.Queue+w.s.asking+len(w.all) {
		w.fail("%d wait", len(w.s.waiting))
	}
}

// neverMade reports whether the call was not made because one that was to make it, or to
// make that one, was turned away.
func (c *call) neverMade() bool {
	return c.step == coming && c.parent != nil && (c.parent.step == over || c.parent.neverMade())
}

// suspended reports whether the call waits for one of its own.
func (c *call) suspended() bool { return c.open > 0 }

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s in\n%s", fmt.Sprintf(format, args...), w)
}

func (w *world) String() string {
	var b strings.Builder
	for _, c := range w.all {
		if c.parent == nil {
			fmt.Fprintln(&b, c)
		}
	}
	return b.String()
}

func (c *call) String() string {
	text := fmt.Sprintf("%c%s", "PRW"[c.work.Class], strings.Repeat("?", c.asks))
	if c.may {
		text = "!" + text
	}
	if c.work.Limit > 0 {
		text += fmt.Sprintf("%s<=%d", c.work.Tool, c.work.Limit)
	}
	text += fmt.Sprintf("@%d", c.step)
	if len(c.calls) == 0 {
		return text
	}
	return fmt.Sprintf("%s%v", text, c.calls)
}

// play lets the world go on until everything is over.
func (w *world) play(pick func(n int) int) {
	for {
		can := w.ready()
		if len(can) == 0 {
			break
		}
		w.step(can[pick(len(can))])
	}
	for _, c := range w.all {
		if c.step != over && !c.neverMade() {
			w.fail("deadlock")
		}
	}
	if len(w.s.running)+len(w.s.waiting)+len(w.s.resuming)+w.s.asking+len(w.s.tools)+len(w.s.round) > 0 {
		w.fail("something is left: %+v", w.s)
	}
}

// drawn is a call drawn at random, with at most depth calls nested in each other.
func drawn(r *rand.Rand, depth int) *call {
	c := &call{work: Work{Class: Class(r.IntN(3))}, both: r.IntN(2) == 0, may: r.IntN(6) == 0}
	if r.IntN(3) == 0 && c.work.Class != Pass {
		c.work.Tool = string(rune('a' + r.IntN(2)))
		c.work.Limit = 1 + int(c.work.Tool[0]-'a')
	}
	if r.IntN(5) == 0 {
		c.asks = 1 + r.IntN(2)
	}
	if depth > 1 {
		for range r.IntN(3) {
			c.calls = append(c.calls, drawn(r, depth-1))
		}
	}
	return c
}

// Worlds of many calls at random: everything ends, and never do two write at once.
func TestRandomWorlds(t *testing.T) {
	worlds := 2000
	if testing.Short() {
		worlds = 500
	}
	for seed := range worlds {
		r := rand.New(rand.NewPCG(uint64(seed), 10))
		var roots []*call
		for range 2 + r.IntN(5) {
			roots = append(roots, drawn(r, 1+r.IntN(4)))
		}
		w := newWorld(t, Limits{Reads: 1 + r.IntN(3), Queue: r.IntN(8), Depth: 8}, roots...)
		w.play(r.IntN)
	}
}

// Pairs of small calls, in every order in which things can happen.
func TestEverySmallWorld(t *testing.T) {
	small := func() []func() *call {
		p, r, w := Work{Class: Pass}, Work{Class: Read}, Work{Class: Write}
		limited, apart := Work{Class: Read, Tool: "a", Limit: 1}, Work{Class: Apart, Tool: "b", Limit: 1}
		one := func(work Work, calls ...*call) *call { return &call{work: work, calls: calls} }
		return []func() *call{
			func() *call { return one(w) },
			func() *call { return one(apart) },
			func() *call { return one(w, one(apart)) },
			func() *call { return one(r, one(w)) },
			func() *call { return one(w, one(w)) },
			func() *call { return one(w, one(p)) },
			func() *call { return one(p, one(w)) },
			func() *call { return one(r, one(p, one(w))) },
			func() *call { return one(limited, one(limited)) },
			func() *call { return &call{work: w, asks: 1} },
			func() *call { return &call{work: r, calls: []*call{one(w), one(r)}, both: true} },
			func() *call { return &call{work: r, calls: []*call{{work: w, may: true}}} },
		}
	}()
	for i, a := range small {
		for _, b := range small[:min(i+1, 2)] {
			worlds := 0
			every(func(pick func(int) int) {
				worlds++
				newWorld(t, Limits{Reads: 1, Queue: 4, Depth: 8}, a(), b()).play(pick)
			})
			if worlds < 2 {
				t.Errorf("%v and %v have but one order", a(), b())
			}
		}
	}
}

// every calls play once for each sequence of picks that it can make.
func every(play func(pick func(n int) int)) {
	var path, width []int
	for {
		at := 0
		play(func(n int) int {
			if at == len(path) {
				path, width = append(path, 0), append(width, n)
			}
			at++
			return path[at-1]
		})
		for len(path) > 0 && path[len(path)-1]+1 == width[len(path)-1] {
			path, width = path[:len(path)-1], width[:len(width)-1]
		}
		if len(path) == 0 {
			return
		}
		path[len(path)-1]++
	}
}
