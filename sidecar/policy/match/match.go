package match

import "strings"

// Error says what is wrong with a pattern.
type Error struct {
	Message, Hint string
	// Never says that the pattern can be read, but matches nothing.
	Never bool
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// What a pattern may hold. The file of a project may come from anywhere.
const (
	maxPattern   = 1024 // bytes
	maxWildcards = 16
	maxBraces    = 4
)

// bounded refuses a pattern that would take long to match.
func bounded(s string) *Error {
	switch {
	case s == "":
		return &Error{Message: "is empty", Hint: "leave it out for everything"}
	case len(s) > maxPattern:
		return &Error{Message: "is longer than 1024 bytes"}
	case strings.Count(s, "*") > 2*maxWildcards, strings.Count(s, "**") > maxWildcards/4, strings.Count(s, "{") > maxBraces, strings.ContainsRune(s, 0):
		return &Error{Message: "has more wildcards than can be matched quickly", Hint: "write several rules"}
	}
	return nil
}

// Rank says how specific a pattern is for a value that it matches.
type Rank struct {
	// Exact says that the pattern has no wildcard.
	Exact bool
	// Length is how much of the value stands before the first wildcard (of a host: after
	// the last), in bytes.
	Length int
	// Tail says that something literal stands on the other side of a wildcard too, as in
	// **/.env: a longer Length is then not known to be more specific.
	Tail bool
}

// Over reports whether a is more specific than b. If neither is over the other, they are
// equal or cannot be compared.
func (a Rank) Over(b Rank) bool {
	switch {
	case a.Exact != b.Exact:
		return a.Exact
	case a.Exact, b.Tail:
		return false
	case a.Tail:
		return a.Length >= b.Length
	}
	return a.Length > b.Length
}

// Same reports whether two ranks are equal.
func (a Rank) Same(b Rank) bool { return a == b || a.Exact && b.Exact }
