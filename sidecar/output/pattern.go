package output

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// LongestMatch is the most bytes that a match of a pattern may have, apart from its
// open end.
const LongestMatch = 4 << 10

// mostPositions bounds all rules of a Redactor together.
const mostPositions = 1 << 20

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) add(b byte) { s[b>>6] |= 1 << (b & 63) }

func (s *byteSet) addRange(low, high byte) {
	for b := int(low); b <= int(high); b++ {
		s.add(byte(b))
	}
}

func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

// position is one byte of one rule: the bytes that may stand there, and the positions
// that may come after it.
type position struct {
	bytes        byteSet
	follow, prev []int32
	first, last  bool
	open         bool  // it repeats for as long as its bytes come; a match has ended before it
	block        bool  // a match that ends here begins a block (see block)
	most, least  int32 // how many bytes a match has when it ends here; 0 for an open one
}

// part is a part of a rule, by its positions.
type part struct {
	first, last []int32
	empty       bool // it may also be no byte at all
}

// positions are all rules together.
type positions struct{ all []position }

func (a *positions) add(set byteSet) (part, error) {
	if len(a.all) >= mostPositions {
		return part{}, errors.New("the rules are too long together")
	}
	at := int32(len(a.all))
	a.all = append(a.all, position{bytes: set})
	return part{first: []int32{at}, last: []int32{at}}, nil
}

// concat lets y follow x.
func (a *positions) concat(x, y part) part {
	for _, p := range x.last {
		for _, q := range y.first {
			a.all[p].follow = append(a.all[p].follow, q)
			a.all[q].prev = append(a.all[q].prev, p)
		}
	}
	joined := part{first: x.first, last: y.last, empty: x.empty && y.empty}
	if x.empty {
		joined.first = slices.Concat(x.first, y.first)
	}
	if y.empty {
		joined.last = slices.Concat(x.last, y.last)
	}
	return joined
}

func either(x, y part) part {
	return part{first: slices.Concat(x.first, y.first), last: slices.Concat(x.last, y.last), empty: x.empty || y.empty}
}

// literal adds a text as it is.
func (a *positions) literal(s string) (part, error) {
	whole := part{empty: true}
	for i := range len(s) {
		var set byteSet
		set.add(s[i])
		next, err := a.add(set)
		if err != nil {
			return whole, err
		}
		whole = a.concat(whole, next)
	}
	return whole, nil
}

// finish marks where the rule begins and ends, and works out how long its matches are.
// from is the first of its positions.
func (a *positions) finish(rule part, from int) error {
	if rule.empty {
		return errors.New("it matches nothing at all: say what must be there")
	}
	for _, p := range rule.first {
		a.all[p].first = true
	}
	for _, p := range rule.last {
		a.all[p].last = true
	}
	for i := from; i < len(a.all); i++ { // whatever precedes a position has a lower number
		p := &a.all[i]
		if p.open {
			continue
		}
		p.least = 1
		if !p.first {
			p.least = LongestMatch * 1024
		}
		p.most = 1
		for _, q := range p.prev {
			p.most = max(p.most, a.all[q].most+1)
			p.least = min(p.least, a.all[q].least+1)
		}
	}
	return nil
}

// pattern adds a regular expression.
func (a *positions) pattern(expr string) error {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return errors.New(cause(err))
	}
	from := len(a.all)
	re, tail := openEnd(re)
	rule, err := a.build(re.Simplify())
	if err == nil && tail != nil {
		rule, err = a.openEnded(rule, tail)
	}
	if err != nil {
		return err
	}
	if err := a.finish(rule, from); err != nil {
		return err
	}
	for _, p := range rule.last {
		if n := a.all[p].most; n > LongestMatch {
			return fmt.Errorf("a match may have %d bytes, and %d are the most: bound its parts more tightly", n, LongestMatch)
		}
	}
	return nil
}

func cause(err error) string {
	var bad *syntax.Error
	if errors.As(err, &bad) {
		return fmt.Sprintf("%s: %q", bad.Code, bad.Expr)
	}
	return err.Error()
}

// openEnd splits an expression whose last element repeats one character without a bound
// into what must be there, and that character.
func openEnd(re *syntax.Regexp) (must, tail *syntax.Regexp) {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	last := re
	if re.Op == syntax.OpConcat {
		last = re.Sub[len(re.Sub)-1]
	}
	least := 0
	switch {
	case last.Op == syntax.OpStar:
	case last.Op == syntax.OpPlus:
		least = 1
	case last.Op == syntax.OpRepeat && last.Max < 0:
		least = last.Min
	default:
		return re, nil
	}
	one := last.Sub[0]
	switch one.Op {
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
	case syntax.OpLiteral:
		if len(one.Rune) != 1 {
			return re, nil
		}
	default:
		return re, nil
	}
	parts := []*syntax.Regexp{{Op: syntax.OpRepeat, Min: least, Max: least, Flags: last.Flags, Sub: []*syntax.Regexp{one}}}
	if re.Op == syntax.OpConcat {
		parts = slices.Concat(re.Sub[:len(re.Sub)-1], parts)
	}
	return &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: parts}, one
}

// openEnded lets a rule go on for as long as the bytes of a character come.
func (a *positions) openEnded(rule part, tail *syntax.Regexp) (part, error) {
	set, beyond := ascii(tail)
	if beyond {
		set.addRange(utf8.RuneSelf, 0xff)
	}
	end, err := a.add(set)
	if err != nil {
		return rule, err
	}
	at := end.first[0]
	a.all[at].open, end.empty = true, true
	a.all[at].follow = append(a.all[at].follow, at)
	return a.concat(rule, end), nil
}

// build adds an expression that was simplified: it has no counted repetitions.
func (a *positions) build(re *syntax.Regexp) (part, error) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return part{empty: true}, nil
	case syntax.OpLiteral:
		return a.runes(re)
	case syntax.OpCharClass, syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		return a.class(re)
	case syntax.OpCapture:
		return a.build(re.Sub[0])
	case syntax.OpQuest:
		x, err := a.build(re.Sub[0])
		x.empty = true
		return x, err
	case syntax.OpConcat:
		whole := part{empty: true}
		for _, sub := range re.Sub {
			x, err := a.build(sub)
			if err != nil {
				return whole, err
			}
			whole = a.concat(whole, x)
		}
		return whole, nil
	case syntax.OpAlternate:
		var whole part
		for _, sub := range re.Sub {
			x, err := a.build(sub)
			if err != nil {
				return whole, err
			}
			whole = either(whole, x)
		}
		return whole, nil
	case syntax.OpStar, syntax.OpPlus:
		return part{}, fmt.Errorf("%s has no bound: write one, such as {1,256} in place of +; only a single character at the very end may be without", re)
	case syntax.OpNoMatch:
		return part{}, errors.New("it can never match")
	}
	return part{}, fmt.Errorf("%s cannot be used: a secret is found wherever it stands; leave ^, $ and \\b away", re)
}

// runes adds a literal; if case does not matter, each character in all its cases.
func (a *positions) runes(re *syntax.Regexp) (part, error) {
	whole := part{empty: true}
	for _, r := range re.Rune {
		all := []rune{r}
		if re.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				all = append(all, f)
			}
		}
		one, err := a.oneOf(all)
		if err != nil {
			return whole, err
		}
		whole = a.concat(whole, one)
	}
	return whole, nil
}

// oneOf adds a choice of characters.
func (a *positions) oneOf(all []rune) (part, error) {
	var set byteSet
	var whole part
	some := false
	for _, r := range all {
		if r < utf8.RuneSelf {
			set.add(byte(r))
			some = true
			continue
		}
		x, err := a.literal(string(r))
		if err != nil {
			return whole, err
		}
		whole = either(whole, x)
	}
	if !some {
		return whole, nil
	}
	x, err := a.add(set)
	return either(whole, x), err
}

// ascii returns the ASCII characters of a class, and whether all other characters are in
// it too.
func ascii(re *syntax.Regexp) (set byteSet, beyond bool) {
	switch re.Op {
	case syntax.OpAnyChar:
		set.addRange(0, utf8.RuneSelf-1)
		return set, true
	case syntax.OpAnyCharNotNL:
		set.addRange(0, utf8.RuneSelf-1)
		set['\n'>>6] &^= 1 << '\n'
		return set, true
	case syntax.OpLiteral:
		x := re.Rune[0]
		if x < utf8.RuneSelf {
			set.add(byte(x))
			if re.Flags&syntax.FoldCase != 0 {
				set.add(byte(unicode.ToUpper(x)))
				set.add(byte(unicode.ToLower(x)))
			}
		}
		return set, false
	}
	for i := 0; i < len(re.Rune); i += 2 {
		low, high := re.Rune[i], re.Rune[i+1]
		if low < utf8.RuneSelf {
			set.addRange(byte(low), byte(min(high, utf8.RuneSelf-1)))
		}
		beyond = beyond || low <= utf8.RuneSelf && high == unicode.MaxRune
	}
	return set, beyond
}

// class adds a character class.
func (a *positions) class(re *syntax.Regexp) (part, error) {
	set, beyond := ascii(re)
	if !beyond {
		return a.few(re)
	}
	whole, err := a.add(set)
	if err != nil {
		return whole, err
	}
	for _, lead := range [...]struct {
		low, high byte
		more      int
	}{{0xc2, 0xdf, 1}, {0xe0, 0xef, 2}, {0xf0, 0xf4, 3}} {
		var set, rest byteSet
		set.addRange(lead.low, lead.high)
		rest.addRange(0x80, 0xbf)
		char, err := a.add(set)
		for range lead.more {
			var next part
			if err == nil {
				next, err = a.add(rest)
				char = a.concat(char, next)
			}
		}
		if err != nil {
			return whole, err
		}
		whole = either(whole, char)
	}
	return whole, nil
}

// mostRunes is how many characters beyond ASCII a class may name.
const mostRunes = 64

// few adds a class of ASCII and a few other characters.
func (a *positions) few(re *syntax.Regexp) (part, error) {
	var all []rune
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if all = append(all, r); len(all) > mostRunes+utf8.RuneSelf {
				return part{}, fmt.Errorf("%s names too many characters beyond ASCII: name at most %d, or use [^…] or a dot", re, mostRunes)
			}
		}
	}
	if len(all) == 0 {
		return part{}, errors.New("it can never match")
	}
	return a.oneOf(all)
}
