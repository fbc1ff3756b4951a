package filesearch

import "regexp/syntax"

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
