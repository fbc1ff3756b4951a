package profile

import (
	"strings"
	"unicode/utf8"
)

// fill puts the words that a row shows into keys: {yes} stands for the group of that
// name in the pattern. If the row writes its words in different cases, one of them is
// marked as the default, as in [y/N], and all are put in lower case.
func (p *Pattern) fill(keys []string, row string) []string {
	groups := p.prompt(row)
	if groups == nil {
		return keys
	}
	var pairs, words []string
	for i, name := range p.re.SubexpNames() {
		if name != "" && groups[i] != "" {
			pairs, words = append(pairs, "{"+name+"}", groups[i]), append(words, groups[i])
		}
	}
	if !alike(words) {
		for i := 1; i < len(pairs); i += 2 {
			pairs[i] = strings.ToLower(pairs[i])
		}
	}
	if len(pairs) == 0 {
		return keys
	}
	filled, fill := make([]string, len(keys)), strings.NewReplacer(pairs...)
	for i, k := range keys {
		filled[i] = fill.Replace(k)
	}
	return filled
}

// alike reports whether all words are lower case, all upper case, or all of them
// begin with a capital.
func alike(words []string) bool {
	for _, form := range []func(string) string{strings.ToLower, strings.ToUpper, capital} {
		same := true
		for _, w := range words {
			same = same && w == form(w)
		}
		if same {
			return true
		}
	}
	return false
}

func capital(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	return strings.ToUpper(w[:n]) + strings.ToLower(w[n:])
}

// unknown returns the first placeholder in keys that no group of the pattern fills, ""
// if there is none.
func (p *Pattern) unknown(keys []string) string {
	for _, k := range keys {
		for {
			_, rest, open := strings.Cut(k, "{")
			name, after, closed := strings.Cut(rest, "}")
			if !open || !closed {
				break
			}
			if p != nil && p.re != nil && p.re.SubexpIndex(name) < 0 {
				return name
			}
			k = after
		}
	}
	return ""
}
