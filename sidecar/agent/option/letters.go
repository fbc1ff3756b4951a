package option

import (
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// choicesMax is how many bytes before the cursor may hold choices: the regular expressions here
// are large, and a question that is longer has its choices at the end.
const choicesMax = 240

var (
	// ending matches a row that may end in choices.
	ending = expression(`(?:[\])>?:]|/[\p{L}]{1,8}|\b[a-zA-Z\d]|[\])]\p{L}{1,14})\s*$`)
	// brackets matches choices in brackets at the end of what stands before the cursor:
	// [y/n/q], (yes/no/[fingerprint]).
	brackets = expression(`^(.*?\S\s*)?[\[(<]((?:[\p{L}\d?!]{1,14}|\[[\p{L}-]{1,20}\]|\([\p{L}]\)[\p{L}]*)(?: ?[/|,] ?(?:[\p{L}\d?!/]{1,14}|\[[\p{L}-]{1,20}\]|\([\p{L}]\)[\p{L}]*)){1,24})[\])>]\s*(?:\[\w{1,8}\])?\s*[?:>]?\s*$`)
	// slashed matches y/n without brackets.
	slashed = expression(`^(.*\S)\s+([yY](?:es)?/[nN]o?(?:/[\p{L}]{1,8}){0,6})\s*[?:]?\s*$`)
	// press matches a text that names keys: Press y or n.
	press = expression(`(?i)\b(?:press|type|enter|hit)\s+['"\[(<]?([a-z\d])['"\])>]?(?:,\s*['"\[(<]?([a-z\d])['"\])>]?)?(?:,?\s+or\s+|\s*/\s*)['"\[(<]?([a-z\d])['"\])>]?(?:\s+to\s+[\p{L} ]{1,20})?\s*[.:?>]?\s*$`)
	// bunch matches the keys of an expanding prompt, which shows them in brackets and ends them
	// with H for help: (yadxH).
	bunch = expression(`^\? .*\(([a-z]{1,10}H)\)\s*$`)
	// inner matches a word whose key stands in brackets: [y]es, (n)o.
	inner    = expression(`(?:\[([\p{L}\d?])\]|\(([\p{L}\d?])\))([\p{L}]*)`)
	innerRow = expression(`^(.*?)((?:(?:\[[\p{L}\d?]\]|\([\p{L}\d?]\))[\p{L}]*(?:\s*[,/|]\s*|\s+(?:or\s+)?)){1,16}(?:\[[\p{L}\d?]\]|\([\p{L}\d?]\))[\p{L}]*)\s*[?:>]?\s*$`)
	// decisions are words of which at least one is among longer words that are a choice.
	decisions = expression(`(?i)^(?:y|n|yes|no|ok|abort|cancel|quit|retry|skip|all|none|always|never|accept|reject|allow|deny|keep|replace|overwrite|merge|ignore|continue|stop)$`)
	// chosen matches the answer that some programs show after the choices while no key was
	// pressed: (y/N) ‣ false.
	chosen = expression(`\s+[‣›»❯]\s+(?:true|false|yes|no)\s*$`)
	// usage matches the beginning of how a program is called.
	usage = expression(`(?i)^\s*usage:`)
	// numbersOnly matches choices that may be a count: 1/2.
	numbersOnly = expression(`^\d{1,14}/\d{1,14}$`)
)

// letters reads letters or words before the cursor: [y/n/t], (yes/no/[fingerprint]), [y]es, [n]o,
// Press y or n.
func letters(v *screen) (Set, bool) {
	before, ok := v.prompt()
	if !ok || !ending().MatchString(before) {
		return Set{}, false
	}
	set := Set{Rule: "letters before the cursor", Text: join([]string{before}), Marked: -1}
	row := text.Tail(before, choicesMax)
	if g := innerRow().FindStringSubmatch(row); g != nil {
		for _, w := range inner().FindAllStringSubmatch(g[2], -1) {
			key := w[1] + w[2]
			set.typed(key, key+w[3])
		}
		return set, len(set.Options) >= 2
	}
	if g := press().FindStringSubmatch(row); g != nil {
		for _, key := range g[1:] {
			if key != "" {
				set.typed(key, key)
			}
		}
		return set, len(set.Options) >= 2
	}
	if g := bunch().FindStringSubmatch(row); g != nil {
		for _, key := range strings.ToLower(g[1]) {
			set.typed(string(key), string(key))
		}
		return set, true
	}
	g := brackets().FindStringSubmatch(row)
	if g == nil {
		g = slashed().FindStringSubmatch(row)
	}
	if g == nil || usage().MatchString(row) || numbersOnly().MatchString(g[2]) && !choosing().MatchString(row) {
		return Set{}, false
	}
	for _, word := range words(g[2]) {
		set.typed(word, word)
	}
	if g[1] == "" {
		above, _ := v.above(v.row, 0, bytesMax)
		set.Text = join(append(above, before))
	}
	if called, _ := lastRune(g[1]); (unicode.IsLetter(called) || unicode.IsDigit(called)) && !set.affirms() {
		return Set{}, false // the arguments of a call
	}
	if v.before != before && !set.affirms() {
		return Set{}, false // a program that hides its cursor asks only for yes or no so
	}
	return set, decides(set.Options)
}

// typed adds an option that is typed.
func (s *Set) typed(key, label string) {
	s.Options = append(s.Options, Option{ID: key, Label: label, Type: key})
}

// affirms reports whether yes and no are among the options.
func (s *Set) affirms() bool {
	yes, no := false, false
	for _, o := range s.Options {
		switch strings.ToLower(o.Label) {
		case "y", "yes":
			yes = true
		case "n", "no":
			no = true
		}
	}
	return yes && no
}

// prompt returns the text before the place where a key is expected: the last row up to the cursor,
// or all of it if the cursor is hidden and an answer that was not confirmed stands at its end. A
// row above the cursor's row is no prompt: every program may print such a text.
func (v *screen) prompt() (string, bool) {
	switch {
	case !v.shown && v.row == v.last && chosen().MatchString(v.text(v.last)):
		return chosen().ReplaceAllString(v.text(v.last), ""), true
	case blank(v.after) && v.row >= v.last && !blank(v.before):
		return v.before, true
	}
	return "", false
}

// words splits choices. A word in brackets of its own, such as [fingerprint], stands for any text
// and is no choice. One letter in brackets is the default.
func words(list string) (all []string) {
	sign := "/"
	for _, s := range []string{",", "|"} {
		if strings.Contains(list, s) {
			sign = s
			break
		}
	}
	for word := range strings.SplitSeq(list, sign) {
		word = strings.TrimSpace(word)
		if inside, ok := strings.CutPrefix(word, "["); ok {
			if word = strings.TrimSuffix(inside, "]"); len([]rune(word)) > 1 {
				continue
			}
		}
		all = append(all, word)
	}
	return all
}

// decides reports whether the options are a choice and not words of a text: they are single
// characters, or one of them is a decision.
func decides(options []Option) bool {
	single, known := true, false
	for _, o := range options {
		single = single && len([]rune(o.Label)) == 1
		known = known || decisions().MatchString(o.Label)
	}
	return len(options) >= 2 && (single || known)
}
