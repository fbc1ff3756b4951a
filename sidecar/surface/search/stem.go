package search

import "strings"

// stem takes the endings of English off a word in lower case, so that "creating", "created",
// "creates" and "creation" are one word. It is light: what it leaves need not be a word, but
// words that differ in meaning mostly stay apart.
func stem(s string) string {
	if len(s) < 4 || !plain(s) {
		return s
	}
	long := s
	s = singular(s)
	switch {
	case s == "embed" || s == "during" || s == "new" && long == "news":
		return long
	case strings.HasSuffix(s, "ing"):
		s = verb(s, s[:len(s)-len("ing")])
	case strings.HasSuffix(s, "eed"):
	case strings.HasSuffix(s, "ed"):
		s = verb(s, s[:len(s)-len("ed")])
	case strings.HasSuffix(s, "tion"), strings.HasSuffix(s, "sion"):
		if rest := s[:len(s)-len("ion")]; len(rest) > 3 {
			s = rest
		}
	case strings.HasSuffix(s, "ly") && len(s) > 5:
		s = s[:len(s)-len("ly")]
	}
	if rest, ok := strings.CutSuffix(s, "ificat"); ok { // notification, notify
		return rest + "ifi"
	}
	switch last := len(s) - 1; {
	case last >= 3 && s[last] == 'e':
		return s[:last]
	case last >= 3 && s[last] == 'y' && !vowel(s[last-1]):
		return s[:last] + "i"
	}
	return s
}

// plain reports whether a word has no characters but a to z.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// singular takes the ending of a plural off a word, or of a verb's third person.
func singular(s string) string {
	n := len(s)
	switch {
	case s[n-1] != 's' || strings.HasSuffix(s, "ss") || strings.HasSuffix(s, "us") || strings.HasSuffix(s, "is"):
		return s
	case strings.HasSuffix(s, "ies") && n > 4:
		return s[:n-3] + "y"
	case strings.HasSuffix(s, "sses"), strings.HasSuffix(s, "xes"), strings.HasSuffix(s, "ches"), strings.HasSuffix(s, "shes"):
		return s[:n-2]
	}
	return s[:n-1]
}

// verb returns rest, the word s without its ending, or s if rest can be no verb. A doubled
// consonant becomes a single one: "running", "run".
func verb(s, rest string) string {
	n := len(rest)
	if n < 3 || !strings.ContainsAny(rest, "aeiouy") {
		return s
	}
	if c := rest[n-1]; c == rest[n-2] && !vowel(c) && c != 'l' && c != 's' && c != 'z' {
		return rest[:n-1]
	}
	return rest
}

func vowel(c byte) bool { return strings.IndexByte("aeiou", c) >= 0 }
