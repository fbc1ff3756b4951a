package option

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// choicesMax is how many bytes before the cursor may hold choices.
const choicesMax = 240

var (
	// ending fits a row that may end in choices.
	ending = expression(`(?:[\])>?:]|/[\p{L}]{1,8})\s*$`)
	// brackets fits choices in brackets at the end of what stands before the cursor.
	brackets = expression(`^(.*?\S)?\s*[\[(<]((?:[\p{L}\d?!]{1,14}|\[[\p{L}-]{1,20}\]|\([\p{L}]\)[\p{L}]*)(?: ?[/|,] ?(?:[\p{L}\d?!/]{1,14}|\[[\p{L}-]{1,20}\]|\([\p{L}]\)[\p{L}]*)){1,24})[\])>]\s*(?:\[\w{1,8}\])?\s*[?:>]?\s*$`)
	// bare fits y/n without brackets.
	bare = expression(`^(.*\S)\s+([yY](?:es)?/[nN]o?(?:/[\p{L}]{1,8}){0,6})\s*[?:]?\s*$`)
	// inner fits words whose key stands in brackets: [y]es, (n)o.
	inner    = expression(`(?:\[([\p{L}\d?])\]|\(([\p{L}\d?])\))([\p{L}]*)`)
	innerRow = expression(`^(.*?)((?:(?:\[[\p{L}\d?]\]|\([\p{L}\d?]\))[\p{L}]*(?:\s*[,/|]\s*|\s+(?:or\s+)?)){1,16}(?:\[[\p{L}\d?]\]|\([\p{L}\d?]\))[\p{L}]*)\s*[?:>]?\s*$`)
	// decisions are words of which at least one is a choice between longer words.
	decisions = expression(`(?i)^(?:y|n|yes|no|ok|abort|cancel|quit|retry|skip|all|none|always|never|accept|reject|allow|deny|keep|replace|overwrite|merge|ignore|continue|stop)$`)
)

// letters reads letters or words before the cursor: `[y/n/t]`, `(yes/no/[fingerprint])`,
// `[y]es, [n]o`.
func letters(v *screen) (Set, bool) {
	if !blank(v.after) || v.row < v.last || !ending().MatchString(v.before) {
		return Set{}, false
	}
	set := Set{Rule: "letters before the cursor", Text: join([]string{v.before}), Marked: -1}
	row := text.Tail(v.before, choicesMax)
	if g := innerRow().FindStringSubmatch(row); g != nil {
		for _, w := range inner().FindAllStringSubmatch(g[2], -1) {
			key := w[1] + w[2]
			set.Options = append(set.Options, Option{ID: key, Label: key + w[3], Type: key})
		}
		return set, len(set.Options) >= 2
	}
	g := brackets().FindStringSubmatch(row)
	if g == nil {
		g = bare().FindStringSubmatch(row)
	}
	if g == nil {
		return Set{}, false
	}
	for _, word := range words(g[2]) {
		set.Options = append(set.Options, Option{ID: word, Label: word, Type: word})
	}
	if g[1] == "" {
		above, _ := v.above(v.row, 0, bytesMax)
		set.Text = join(append(above, v.before))
	}
	return set, decides(set.Options)
}

// words splits choices. What stands in brackets of its own stands for a text, unless it is one
// letter: the default.
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

// decides reports whether these are the words of a choice and not of a text: they are single
// letters, or one of them decides.
func decides(options []Option) bool {
	single, known := true, false
	for _, o := range options {
		single = single && len([]rune(o.Label)) == 1
		known = known || decisions().MatchString(o.Label)
	}
	return len(options) >= 2 && (single || known)
}
