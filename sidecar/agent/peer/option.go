package peer

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The limits of an error that lists what an agent offers: how many names, and how much of each, in bytes.
// Some agents list all models of all vendors.
const (
	maxNamed = 40
	maxName  = 100
)

// NoOption returns the error, for the user, for an option that is none of those that the agent offers.
func NoOption(o Option, offered []Choice) error {
	keys := make([]string, 0, len(offered))
	for _, c := range offered {
		keys = append(keys, c.Key)
	}
	return fmt.Errorf("%s: the agent has no option %s; it has %s", o, text.Quote(o.Key, maxName), named(keys))
}

// NoValue returns the error, for the user, for an option whose value is none of those that the agent offers.
func NoValue(o Option, values []string) error {
	return fmt.Errorf("%s: the agent has no such value; it has %s", o, named(values))
}

// String returns the option as the user has written it, in a form that can be shown.
func (o Option) String() string {
	return "--agent-option " + text.Line(o.Key, maxName) + "=" + text.Line(o.Value, maxName)
}

// named lists the first of some names, which are the agent's.
func named(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	shown := make([]string, 0, maxNamed)
	for _, n := range names[:min(len(names), maxNamed)] {
		shown = append(shown, text.Line(n, maxName))
	}
	s := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
