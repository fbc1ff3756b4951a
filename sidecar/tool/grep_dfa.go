package tool

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

const (
	// maxStates is how many states an automaton keeps, each of which takes about 2 KB, and maxHeldPCs how many instructions
	// they have together. Then it begins anew.
	maxStates  = 1000
	maxHeldPCs = 1 << 20
	// maxWide is how many transitions a state keeps for characters beyond ASCII.
	maxWide = 128
	// maxRestarts is how often in succession it does so after fewer than minUse bytes: the search goes on without it then.
	maxRestarts = 10
	minUse      = 10 * maxStates
	// stepsBetween is how many new transitions are made between two looks at whether the search has ended.
	stepsBetween = 64
)

// automaton finds out whether lines match a pattern, or a text of several lines as a whole. Its states are sets of the
// program's instructions, made when they are met: a byte that was met in a state before costs one look into a table. One
// goroutine may use it.
type automaton struct {
	prog    *syntax.Prog
	lines   bool        // each line is a text of its own
	stopped func() bool // the search has ended

	accept   *dfaState // the state behind a match
	states   map[string]*dfaState
	start    *dfaState
	held     int // instructions in states
	restarts int // in succession, each soon after the one before
	scanned  int // bytes, before this text
	began    int // the place among the bytes scanned where the states were begun anew
	steps    int

	// Room for one step.
	mark  []uint32 // of each instruction, the generation in which it was met
	gen   uint32
	stack []uint32
	reach []uint32 // the instructions that take a character
	next  []uint32
	key   []byte
}

// textBefore is what stands before a position, as far as ^, \A and \b tell it apart.
type textBefore uint8

const (
	beforeAll  textBefore = iota // nothing
	beforeLine                   // the end of a line
	beforeWord                   // a letter, a digit or an underscore
	beforeElse
)

// rune returns a character for syntax.EmptyOpContext.
func (b textBefore) rune() rune { return [...]rune{-1, '\n', 'a', ' '}[b] }

func beforeOf(r rune) textBefore {
	switch {
	case r == '\n':
		return beforeLine
	case syntax.IsWordChar(r):
		return beforeWord
	}
	return beforeElse
}

// dfaState is one state of an automaton. A nil transition was not needed yet.
type dfaState struct {
	pcs    []uint32 // the instructions at which the program may be, sorted
	before textBefore
	next   [256]*dfaState // for a byte that is a character of its own, and no end of a line in lines
	wide   map[rune]*dfaState
	end    *dfaState // accepting if the text may end here, else itself
}

// The results of a scan that are no positions.
const (
	noMatch   = -1
	abandoned = -2 // the automaton has too many states for the text, or the search has ended
)

func newAutomaton(prog *syntax.Prog, lines bool, stopped func() bool) *automaton {
	a := &automaton{prog: prog, lines: lines, stopped: stopped, accept: &dfaState{}, mark: make([]uint32, len(prog.Inst))}
	a.reset()
	return a
}

func (a *automaton) reset() {
	a.states, a.held = map[string]*dfaState{}, 0
	a.start = a.state([]uint32{uint32(a.prog.Start)}, beforeAll)
}

// scan reads text, which begins a line, until something matches. It returns a place at which the match, or its line, is known: it is in the
// matching line, whose end is a part of it. Else it returns noMatch or abandoned.
func (a *automaton) scan(text []byte) int {
	found, read := a.through(text)
	a.scanned += read
	return found
}

// through is scan, and returns how far it has read.
func (a *automaton) through(text []byte) (found, read int) {
	s := a.start
	for i := 0; i < len(text); {
		b := text[i]
		n, width := s.next[b], 1
		if n == nil {
			if n, width = a.step(s, text, i); n == nil {
				return abandoned, i
			}
		}
		if n == a.accept {
			return i, i
		}
		s = n
		i += width
	}
	if a.lines && (len(text) == 0 || text[len(text)-1] == '\n') {
		return noMatch, len(text) // no line begins there
	}
	if a.ended(s) == a.accept {
		return len(text), len(text)
	}
	return noMatch, len(text)
}

// step makes the transition for the character at a place of a text, and returns its width. It returns nil if the automaton is
// abandoned.
func (a *automaton) step(s *dfaState, text []byte, at int) (*dfaState, int) {
	if a.steps++; a.steps%stepsBetween == 0 && a.stopped() {
		return nil, 0
	}
	if len(a.states) >= maxStates || a.held > maxHeldPCs {
		if a.restarts++; a.scanned+at-a.began > minUse {
			a.restarts = 0
		}
		if a.restarts > maxRestarts {
			return nil, 0
		}
		a.began = a.scanned + at
		a.reset()
		s = a.state(s.pcs, s.before)
	}
	text = text[at:]
	b := text[0]
	if a.lines && b == '\n' {
		n := a.ended(s)
		if n != a.accept {
			n = a.start
		}
		s.next[b] = n
		return n, 1
	}
	if a.lines && b == '\r' && (len(text) == 1 || text[1] == '\n') {
		return s, 1 // it belongs to the end of the line; no table has it, for it depends on what follows
	}
	if b < utf8.RuneSelf {
		n := a.move(s, rune(b))
		if b != '\r' || !a.lines {
			s.next[b] = n
		}
		return n, 1
	}
	r, width := utf8.DecodeRune(text)
	n := s.wide[r]
	if n == nil {
		if s.wide == nil {
			s.wide = map[rune]*dfaState{}
		}
		n = a.move(s, r)
		if len(s.wide) < maxWide {
			s.wide[r] = n
		}
	}
	return n, width
}

// ended returns the accepting state if the text may end in s, else s.
func (a *automaton) ended(s *dfaState) *dfaState {
	if s.end == nil {
		s.end = s
		if a.close(s, -1) {
			s.end = a.accept
		}
	}
	return s.end
}

// move returns the state behind a character.
func (a *automaton) move(s *dfaState, r rune) *dfaState {
	if a.close(s, r) {
		return a.accept
	}
	a.next = append(a.next[:0], uint32(a.prog.Start)) // a match may begin anywhere
	for _, pc := range a.reach {
		if in := &a.prog.Inst[pc]; in.MatchRune(r) {
			a.next = append(a.next, in.Out)
		}
	}
	slices.Sort(a.next)
	return a.state(slices.Compact(a.next), beforeOf(r))
}

// close sets reach to the instructions that take a character after those of s, before r; -1 is the end. It reports whether
// there is a match before it.
func (a *automaton) close(s *dfaState, r rune) (matched bool) {
	holds := syntax.EmptyOpContext(s.before.rune(), r)
	a.gen++
	a.reach = a.reach[:0]
	for _, pc := range s.pcs {
		a.stack = append(a.stack, pc)
		for len(a.stack) > 0 {
			pc = a.stack[len(a.stack)-1]
			a.stack = a.stack[:len(a.stack)-1]
			if a.mark[pc] == a.gen {
				continue
			}
			a.mark[pc] = a.gen
			switch in := &a.prog.Inst[pc]; in.Op {
			case syntax.InstAlt, syntax.InstAltMatch:
				a.stack = append(a.stack, in.Out, in.Arg)
			case syntax.InstCapture, syntax.InstNop:
				a.stack = append(a.stack, in.Out)
			case syntax.InstEmptyWidth:
				if need := syntax.EmptyOp(in.Arg); need&^holds == 0 {
					a.stack = append(a.stack, in.Out)
				}
			case syntax.InstMatch:
				matched = true
			case syntax.InstFail:
			default:
				a.reach = append(a.reach, pc)
			}
		}
	}
	return matched
}

// state returns the state of a set of instructions.
func (a *automaton) state(pcs []uint32, b textBefore) *dfaState {
	a.key = append(a.key[:0], byte(b))
	for _, pc := range pcs {
		a.key = binary.LittleEndian.AppendUint32(a.key, pc)
	}
	s := a.states[string(a.key)]
	if s == nil {
		s = &dfaState{pcs: slices.Clone(pcs), before: b}
		a.states[string(a.key)] = s
		a.held += len(pcs)
	}
	return s
}
