package filesearch

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxNeedles is how many literals are searched instead of a pattern: each is one more pass over the text.
	maxNeedles = 8
	// minNeedle is how many bytes each of several literals has at least: shorter ones are everywhere.
	minNeedle = 2
)

// requiredLiterals returns literals one of which is in every text that an expression matches, nil if there are none that are
// worth it. exact says that the expression is one literal, and nothing else.
func requiredLiterals(re *syntax.Regexp) (needles []needle, exact bool) {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	needles = literalsOf(re)
	exact = re.Op == syntax.OpLiteral && len(needles) == 1 && needles[0].text == strings.ToLower(string(re.Rune))
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0 {
		exact = len(needles) == 1 && needles[0].text == string(re.Rune)
	}
	return needles, exact
}

func literalsOf(re *syntax.Regexp) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literalsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if one := literalsOf(sub); worth(one) > worth(best) {
				best = one
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
		for _, sub := range re.Sub {
			one := literalsOf(sub)
			if all = append(all, one...); one == nil || len(all) > maxNeedles {
				return nil
			}
		}
		if slices.ContainsFunc(all, func(n needle) bool { return len(n.text) < minNeedle }) {
			return nil
		}
		return all
	}
	return nil
}

// literalOf returns the longest part of a literal that can be searched by its bytes. U+FFFD stands for bytes that are no
// text too, and other letters than those of ASCII have cases that are encoded otherwise.
func literalOf(runes []rune, fold bool) []needle {
	var best, part []rune
	for _, r := range runes {
		if r == utf8.RuneError || fold && r >= utf8.RuneSelf || r > utf8.MaxRune {
			part = nil
			continue
		}
		if part = append(part, r); len(part) > len(best) {
			best = part
		}
	}
	if len(best) == 0 {
		return nil
	}
	return []needle{newNeedle(string(best), fold)}
}

// worth says how well literals keep lines out: the shortest counts, and few are better than many.
func worth(needles []needle) int {
	if len(needles) == 0 {
		return 0
	}
	shortest := slices.MinFunc(needles, func(a, b needle) int { return len(a.text) - len(b.text) })
	return 2*maxNeedles*len(shortest.text) - len(needles)
}
