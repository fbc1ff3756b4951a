package subagent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Agent is one entry of a file of agents.
type Agent struct {
	Name        string
	Description string // one line; "" for none
	// URL is the address of the agent, and TokenFile the absolute path of the file with the token that it is shown; "" for none.
	URL, TokenFile string
	// CardSHA256 is the digest that its card must have, in hex; "": any.
	CardSHA256 string
	// Process says that it is one more process of the wrapped command, in place of a URL.
	Process bool
}

// Agents are the agents of a file. They do not change: another content is another pointer.
type Agents struct {
	All []Agent // by name
}

// Find returns the agent with a name. The error, for the model, names those that there are.
func (a *Agents) Find(name string) (*Agent, error) {
	at, ok := slices.BinarySearchFunc(a.All, name, func(one Agent, name string) int { return cmp.Compare(one.Name, name) })
	if ok {
		return &a.All[at], nil
	}
	if len(a.All) == 0 {
		return nil, fmt.Errorf("there is no agent %s, and no other: do the work yourself", text.Quote(name, maxName))
	}
	names := make([]string, len(a.All))
	for i := range a.All {
		names[i] = a.All[i].Name
	}
	return nil, fmt.Errorf("there is no agent %s; there are %s", text.Quote(name, maxName), strings.Join(names, ", "))
}

// Names returns the agents as the tool task shows them.
func (a *Agents) Names() []tool.AgentName {
	names := make([]tool.AgentName, len(a.All))
	for i := range a.All {
		names[i] = tool.AgentName{Name: a.All[i].Name, Description: a.All[i].Description}
	}
	return names
}
