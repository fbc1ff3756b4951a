package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// valuesShown is how many values of an option people are shown; -o json has the others too.
const valuesShown = 12

// statusAbout is what an agent that is spoken to in messages says of itself.
type statusAbout struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Protocol string `json:"protocol"`
	Options  []struct {
		Key    string   `json:"key"`
		Value  string   `json:"value"`
		Values []string `json:"values"`
		More   int      `json:"valuesMore"`
	} `json:"options"`
	More int `json:"optionsMore"`
}

func (a *statusAbout) print(b *strings.Builder) {
	fmt.Fprintf(b, "agent: %s (%s)\n", printable(strings.Join(slices.DeleteFunc([]string{a.Name, a.Version}, empty), " ")), printable(a.Protocol))
	for _, o := range a.Options {
		if o.Value == "" { // the agent's own choice, of which it says nothing
			fmt.Fprintf(b, "  option %s not set", printable(o.Key))
		} else {
			fmt.Fprintf(b, "  option %s=%s", printable(o.Key), printable(o.Value))
		}
		shown := o.Values[:min(len(o.Values), valuesShown)]
		if len(shown) > 0 {
			fmt.Fprintf(b, ", of %s", printable(strings.Join(shown, ", ")))
		}
		if more := o.More + len(o.Values) - len(shown); more > 0 {
			fmt.Fprintf(b, " and %d more", more)
		}
		b.WriteByte('\n')
	}
	if a.More > 0 {
		fmt.Fprintf(b, "  and %s\n", text.Count(a.More, "more option"))
	}
}

func empty(s string) bool { return s == "" }
