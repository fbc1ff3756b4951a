package learn

import (
	"strings"
	"unicode"
)

const (
	// wordsMax is how many words of a row make a sign of work at most: "Thinking... (esc to
	// cancel" has four, and longer signs fail as soon as the agent changes its wording.
	wordsMax = 4
	// rowWordsMax is how many words of one row are looked at: a row that tells of work is
	// short, and a screen has at most that many words side by side that a person would read.
	rowWordsMax = 40
	// lettersMin is how many letters a phrase has at least: shorter ones, such as "the" or
	// "3 of", stand in ordinary text.
	lettersMin = 5
	// phraseMax is how long a phrase is at most, in bytes: a longer "word" is a path, a URL or
	// data.
	phraseMax = 80
)

// phrases returns the runs of words of a row that may be a sign of work. words has one blank
// between its words. A phrase has up to wordsMax words and no digit, and it begins and ends
// with a word that has a letter.
func phrases(words string) (all []string) {
	type word struct {
		from, to, letters int
		text, digit       bool
	}
	var list []word
	for at := 0; at < len(words) && len(list) < rowWordsMax; {
		end := len(words)
		if blank := strings.IndexByte(words[at:], ' '); blank >= 0 {
			end = at + blank
		}
		w := word{from: at, to: end}
		for _, r := range words[at:end] {
			switch {
			case unicode.IsDigit(r):
				w.digit, w.text = true, true
			case unicode.IsLetter(r):
				w.letters++
				w.text = true
			}
		}
		list, at = append(list, w), end+1
	}
	for i, first := range list {
		if !first.text {
			continue
		}
		letters := 0
		for n := i; n < min(i+wordsMax, len(list)) && !list[n].digit; n++ {
			letters += list[n].letters
			if size := list[n].to - first.from; list[n].text && letters >= lettersMin && size < phraseMax {
				all = append(all, words[first.from:list[n].to])
			}
		}
	}
	return all
}

// hints returns how many words of a phrase are typical of what an agent shows while it can be
// stopped.
func hints(phrase string) (n int) {
	lower := strings.ToLower(phrase)
	for _, w := range []string{"esc", "ctrl", "interrupt", "cancel", "stop"} {
		if strings.Contains(lower, w) {
			n++
		}
	}
	return n
}
