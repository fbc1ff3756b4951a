package filesearch

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxProgram is how many instructions a compiled pattern has at most: the time and the memory of a search grow with them.
const maxProgram = 20_000

// grepPattern is a pattern that was compiled. It does not change.
type grepPattern struct {
	prog *syntax.Prog
	// first finds a match that may begin at the beginning of a text, next one that begins behind a line's end: \A matches nothing
	// there.
	first, next *regexp.Regexp
	// needles are literals one of which is in every match; nil: none are known. exact says that what contains one is a match.
	needles []needle
	exact   bool
}

// compilePattern compiles an expression as RE2 has them. Without multiline each line is matched by itself; with it, ^ and $
// match at lines, and a dot matches the end of a line too.
func compilePattern(pattern string, ignoreCase, multiline bool) (*grepPattern, error) {
	flags, prefix := syntax.Perl, ""
	if ignoreCase {
		flags, prefix = flags|syntax.FoldCase, "(?i)"
	}
	if multiline {
		flags = flags&^syntax.OneLine | syntax.DotNL
		prefix += "(?ms)"
	}
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	if !multiline && hasNewline(tree) {
		return nil, fmt.Errorf("the pattern %s has the end of a line in it, and each line is matched by itself: set multiline to true", text.Quote(pattern, MaxQuoted))
	}
	p := &grepPattern{}
	tree = tree.Simplify()
	if p.prog, err = syntax.Compile(tree); err != nil {
		return nil, patternError(pattern, err)
	}
	if n := len(p.prog.Inst); n > maxProgram {
		return nil, fmt.Errorf("the pattern %s is too large: it needs %d steps, and may need %d; make its repetitions smaller", text.Quote(pattern, MaxQuoted), n, maxProgram)
	}
	if p.first, err = regexp.Compile(prefix + pattern); err != nil {
		return nil, patternError(pattern, err)
	}
	p.needles, p.exact = requiredLiterals(tree)
	p.next = p.first
	if withoutBegin(tree) {
		if p.next, err = regexp.Compile(tree.String()); err != nil {
			return nil, patternError(pattern, err)
		}
	}
	return p, nil
}

// withoutBegin makes each \A match nothing, and reports whether there is one.
func withoutBegin(re *syntax.Regexp) (found bool) {
	if re.Op == syntax.OpBeginText {
		re.Op = syntax.OpNoMatch
		return true
	}
	for _, sub := range re.Sub {
		found = withoutBegin(sub) || found
	}
	return found
}

// hasNewline reports whether there is an end of a line among the literals.
func hasNewline(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, hasNewline)
}

// patternError says what is wrong with a pattern, where, and what to write.
func patternError(pattern string, err error) error {
	fault, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Errorf("the pattern %s cannot be used: %w", text.Quote(pattern, MaxQuoted), err)
	}
	at := max(0, strings.LastIndex(pattern, fault.Expr))
	switch fault.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		at = looseParen(pattern)
	case syntax.ErrTrailingBackslash:
		at = len(pattern) - 1
	}
	return fmt.Errorf("the pattern %s is wrong at character %d: %s; %s", text.Quote(pattern, MaxQuoted), utf8.RuneCountInString(pattern[:at])+1, fault.Code, patternHint(fault))
}

// patternHint returns the fix for a fault.
func patternHint(fault *syntax.Error) string {
	switch fault.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return `close the group, or write \( and \) for the characters themselves`
	case syntax.ErrMissingBracket:
		return `close the class, or write \[ for the character itself`
	case syntax.ErrInvalidCharRange:
		return "write the lower end of the range first"
	case syntax.ErrMissingRepeatArgument:
		return `write \` + fault.Expr[:1] + ` for the character itself`
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture:
		return "the syntax is RE2's, which has no look-ahead and no look-behind: search for less, and filter what is found"
	case syntax.ErrInvalidEscape:
		return "the syntax is RE2's, which has no back-references; letters and digits have no backslash unless it has a meaning"
	case syntax.ErrInvalidRepeatSize:
		return "a repetition is at most {1000}, and its lower number comes first"
	case syntax.ErrInvalidRepeatOp:
		return "repeat a group in parentheses instead"
	case syntax.ErrTrailingBackslash:
		return `write \\ for the character itself`
	}
	return "make it simpler"
}

// looseParen returns where the parenthesis is that has no other one.
func looseParen(pattern string) int {
	var open []int
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			i += max(0, classEnd(pattern[i:])-1)
		case '(':
			open = append(open, i)
		case ')':
			if len(open) == 0 {
				return i
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return 0
	}
	return open[len(open)-1]
}
