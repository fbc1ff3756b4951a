package output

import (
	"encoding/binary"
	"slices"
)

// automaton is all rules of a Redactor, ready to be run. It does not change.
type automaton struct {
	positions
	classes [256]uint8 // bytes that no position tells apart have the same class
	count   int        // of classes
	members [256]byte  // one byte of each class
	firsts  [][]int32  // by class: the positions that a rule may begin with
}

func newAutomaton(p positions) *automaton {
	a := &automaton{positions: p}
	a.classify()
	a.firsts = make([][]int32, a.count)
	for i := range a.all {
		if !a.all[i].first {
			continue
		}
		for c := range a.count {
			if a.all[i].bytes.has(a.members[c]) {
				a.firsts[c] = append(a.firsts[c], int32(i))
			}
		}
	}
	return a
}

// classify divides the bytes into classes: each set of bytes divides those that are in it
// from those that are not.
func (a *automaton) classify() {
	seen := map[byteSet]bool{}
	a.count = 1
	for i := range a.all {
		set := a.all[i].bytes
		if seen[set] {
			continue
		}
		seen[set] = true
		split := map[uint8]uint8{} // the class of those in the set, by the class before
		inside, outside := [256]bool{}, [256]bool{}
		for b := range 256 {
			if set.has(byte(b)) {
				inside[a.classes[b]] = true
			} else {
				outside[a.classes[b]] = true
			}
		}
		for b := range 256 {
			c := a.classes[b]
			if !set.has(byte(b)) || !inside[c] || !outside[c] {
				continue
			}
			if _, ok := split[c]; !ok {
				split[c] = uint8(a.count)
				a.count++
			}
		}
		for b := range 256 {
			if to, ok := split[a.classes[b]]; ok && set.has(byte(b)) {
				a.classes[b] = to
			}
		}
	}
	for b := range 256 {
		a.members[a.classes[b]] = byte(b)
	}
}

// longest returns how many bytes the longest match has that ends with the position at and
// the last byte of text.
func (a *automaton) longest(at int32, text []byte) int {
	n := 0
	now, before := []int32{at}, []int32(nil)
	for used := 1; ; used++ {
		before = before[:0]
		for _, p := range now {
			if a.all[p].first {
				n = used
			}
			if used == len(text) {
				continue
			}
			b := text[len(text)-used-1]
			for _, q := range a.all[p].prev {
				if a.all[q].bytes.has(b) && !slices.Contains(before, q) {
					before = append(before, q)
				}
			}
		}
		if len(before) == 0 {
			return n
		}
		now, before = before, now
	}
}

// The most that a machine remembers before it starts afresh.
const (
	mostStates  = 4 << 10
	mostMembers = 1 << 18
)

// state is a set of positions that the text may have reached with its last byte.
type state struct {
	reached []int32
	next    []*state // by class; nil: not worked out yet
	hold    int      // the most bytes at the end of the text that may belong to a match that goes on
	ends    bool     // a match ends here
}

// machine runs an automaton, one byte after the other. It remembers the states that it
// has met, so that mostly a byte costs one look into a table. It belongs to one goroutine.
type machine struct {
	a       *automaton
	root    *state
	states  map[string]*state
	members int
	key     []byte
}

func newMachine(a *automaton) *machine {
	m := &machine{a: a}
	m.forget()
	return m
}

func (m *machine) forget() {
	m.states, m.members = map[string]*state{}, 0
	m.root = m.intern(nil)
}

// step returns the state after one more byte of that class.
func (m *machine) step(s *state, class uint8) *state {
	reached := slices.Clone(m.a.firsts[class])
	b := m.a.members[class]
	for _, p := range s.reached {
		for _, q := range m.a.all[p].follow {
			if m.a.all[q].bytes.has(b) {
				reached = append(reached, q)
			}
		}
	}
	slices.Sort(reached)
	next := m.intern(slices.Compact(reached))
	s.next[class] = next
	return next
}

// intern returns the state of a set of positions.
func (m *machine) intern(reached []int32) *state {
	m.key = m.key[:0]
	for _, p := range reached {
		m.key = binary.NativeEndian.AppendUint32(m.key, uint32(p))
	}
	if s := m.states[string(m.key)]; s != nil {
		return s
	}
	key := string(m.key)
	if len(m.states) >= mostStates || m.members >= mostMembers {
		m.forget()
	}
	s := &state{reached: reached, next: make([]*state, m.a.count)}
	for _, p := range reached {
		at := &m.a.all[p]
		s.ends = s.ends || at.last
		for _, q := range at.follow {
			if !m.a.all[q].open { // before an open end the match is known already
				s.hold = max(s.hold, int(at.most))
				break
			}
		}
	}
	m.states[key] = s
	m.members += len(reached)
	return s
}
