package filesearch

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

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
