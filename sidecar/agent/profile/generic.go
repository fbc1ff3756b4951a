package profile

import (
	_ "embed"
	"sync"
)

// GenericName is the name of the profile of an unknown agent: it has only the rules
// that hold for every agent.
const GenericName = "generic"

//go:embed generic.json
var genericRules []byte

// generic holds the rules for every agent, read once.
var generic = sync.OnceValues(func() (*Profile, error) { return Parse(GenericName+".json", genericRules) })

// Generic returns the profile of an unknown agent.
func Generic() *Profile {
	p, err := generic()
	if err != nil {
		panic(err) // it is embedded, and a test loads it
	}
	return p
}

// GenericSource returns the file of the generic profile, as it was written.
func GenericSource() string { return string(genericRules) }

// matchGeneric applies the rules for every agent to a screen that no rule of the
// profile fitted. A prompt pattern says nothing of an agent that draws its whole
// screen.
func (p *Profile) matchGeneric(v view) (Match, bool) {
	if p.Name == GenericName {
		return Match{}, false
	}
	g := Generic()
	m, ok := g.match(v, !p.described())
	if !ok || p.TUI && m.State == Ready {
		return Match{}, false
	}
	m.Generic = true
	return m, true
}
