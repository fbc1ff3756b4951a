package approval

import "github.com/a2a-sidecar/sidecar/internal/text"

// Option is one of the answers.
type Option string

// The options, everywhere the same.
const (
	Once   Option = "once"   // this call runs
	Always Option = "always" // this call runs, and the same call is not asked for again in this session
	Reject Option = "reject" // this call does not run
)

// Options lists the options in the order in which they are shown.
func Options() []Option { return []Option{Once, Always, Reject} }

// Label returns what the option means, in a few words.
func (o Option) Label() string {
	switch o {
	case Once:
		return "Allow this call"
	case Always:
		return "Allow this call, and the same one again until the session ends"
	case Reject:
		return "Do not allow it"
	}
	return string(o)
}

// Kind returns what the option means, in the words that questions of a terminal have: a program
// picks an answer by it in every mode.
func (o Option) Kind() string {
	switch o {
	case Once:
		return "allow_once"
	case Always:
		return "allow_always"
	case Reject:
		return "reject_once"
	}
	return "other"
}

// ParseOption returns the option of exactly that name. The words of earlier releases are
// understood too (allow is once, deny is reject), and so are the kinds.
func ParseOption(word string) (Option, bool) {
	switch o := Option(word); o {
	case Once, Always, Reject:
		return o, true
	case "allow", "allow_once":
		return Once, true
	case "allow_always":
		return Always, true
	case "deny", "reject_once":
		return Reject, true
	}
	return "", false
}

// choices returns the options for a sentence.
func choices() string {
	var words []string
	for _, o := range Options() {
		words = append(words, string(o))
	}
	return text.Enumerate(words, "or")
}

// Answer is the answer that won.
type Answer struct {
	Option Option
	// By is the caller who gave it, "" if anonymous.
	By string
	// Reason is what the person adds, for the model: "" for nothing, at most about a
	// KiB.
	Reason string
}
