package profile

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Pattern is a regular expression in RE2's syntax, a string in a profile. It is
// compiled when the profile is loaded and sees one row at a time, without the blanks
// at its end.
type Pattern struct {
	re *regexp.Regexp
	// person says that it comes from a file that a person gave, and not from a built-in
	// profile: see prompt.
	person bool
}

// patternMax bounds a pattern's source, and stepsMax its size with its repetitions
// written out: the time to match a row grows with that size, at every look at the
// screen.
const (
	patternMax = 1000
	stepsMax   = 5000
)

func compilePattern(source string) (Pattern, error) {
	if len(source) > patternMax {
		return Pattern{}, fmt.Errorf("the pattern is longer than %d bytes", patternMax)
	}
	if source == "" {
		return Pattern{}, errors.New("an empty pattern fits every row")
	}
	re, err := regexp.Compile(source)
	if err == nil && strings.Contains(source, "{") && steps(source) > stepsMax {
		return Pattern{}, errors.New("the pattern repeats too much: each look at the screen would take long")
	}
	if err != nil {
		return Pattern{}, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return Pattern{re: re}, nil
}

// Fits reports whether the pattern fits somewhere in the text; a nil or empty pattern
// fits nothing.
func (p *Pattern) Fits(text string) bool { return p != nil && p.re != nil && p.re.MatchString(text) }

// ungrouped reports whether a valid pattern has no group; an invalid one has been
// reported already.
func (p *Pattern) ungrouped() bool { return p != nil && p.re != nil && p.re.NumSubexp() == 0 }

// Groups returns the whole match and its groups, or nil if the pattern does not fit.
func (p *Pattern) Groups(text string) []string {
	if p == nil || p.re == nil {
		return nil
	}
	return p.re.FindStringSubmatch(text)
}

// prompt is Groups for a row that may be a prompt. In the pattern of a person a blank at the
// end may be missing, or be one too many: nobody sees it. The patterns of the built-in
// profiles are as their agents write them, and the blank tells a prompt from a price.
func (p *Pattern) prompt(row string) []string {
	if groups := p.Groups(row); groups != nil || p == nil || !p.person {
		return groups
	}
	for _, other := range OtherBlank(row) {
		if groups := p.Groups(other); groups != nil {
			return groups
		}
	}
	return nil
}

// OtherBlank returns a row without the blank at its end, or with one.
func OtherBlank(row string) []string {
	if bare := strings.TrimSuffix(strings.TrimSuffix(row, " "), "\u00a0"); bare != row {
		return []string{bare}
	} else if row == "" {
		return nil
	}
	return []string{row + " "}
}

// Group returns the i-th group, "" if there is no such group.
func Group(groups []string, i int) string {
	if i < len(groups) {
		return groups[i]
	}
	return ""
}

// FitsAny reports whether one of the patterns fits.
func FitsAny(patterns []Pattern, text string) bool {
	for _, p := range patterns {
		if p.Fits(text) {
			return true
		}
	}
	return false
}

// steps returns the size of a valid pattern's program.
func steps(source string) int {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0
	}
	return len(program.Inst)
}
