package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// ErrUnknown is what Load returns for a name that is not one of Names.
var ErrUnknown = errors.New("there is no profile")

// Names lists the built-in profiles in alphabetical order.
func Names() []string {
	names := append(namesOf(func(spec.Agent) bool { return true }), profile.GenericName)
	slices.Sort(names)
	return names
}

// Load returns the profile of that name or, if the argument is not a name, reads the
// file. An argument that contains a slash or ends in .json is a file. The error is
// [jsontree.Faults] if the file exists but is wrong.
func Load(nameOrFile string) (*profile.Profile, error) {
	if profile.IsFile(nameOrFile) {
		return profile.Load(nameOrFile, named())
	}
	if !slices.Contains(Names(), nameOrFile) {
		return nil, fmt.Errorf("%w, or a file (with a slash, or ending in .json)", unknown(nameOrFile))
	}
	return builtIn(nameOrFile)
}

// Source returns the file of the built-in profile of that name, as it was written.
func Source(name string) (string, error) {
	switch {
	case name == profile.GenericName:
		return profile.GenericSource(), nil
	case slices.Contains(Names(), name):
		return Named(name).Profile, nil
	}
	return "", unknown(name)
}

// Resolved returns the file of a profile together with what it extends, as one file. A
// built-in profile extends nothing.
func Resolved(nameOrFile string) (string, error) {
	if profile.IsFile(nameOrFile) {
		return profile.Resolved(nameOrFile, named())
	}
	return Source(nameOrFile)
}

// named is what the file of a profile may name of this table.
func named() profile.Known { return profile.Known{Hooks: WithHooks(), Source: Source} }

// unknown is the error for a name that no profile has.
func unknown(name string) error {
	names := Names()
	if near := jsontree.Nearest(name, names); near != "" {
		return fmt.Errorf("%w %s: did you mean %s? Give one of %s", ErrUnknown, text.Quote(name, 60), near, strings.Join(names, ", "))
	}
	return fmt.Errorf("%w %s: give one of %s", ErrUnknown, text.Quote(name, 60), strings.Join(names, ", "))
}

// For returns the profile for a command: see NameFor. It is never nil: the generic
// profile is the last resort.
func For(command []string) *profile.Profile {
	p, err := builtIn(NameFor(command))
	if err != nil {
		return profile.Generic()
	}
	return p
}

func builtIn(name string) (*profile.Profile, error) {
	if name == profile.GenericName {
		return profile.Generic(), nil
	}
	return profile.Parse(name+".json", []byte(Named(name).Profile), WithHooks()...)
}

// NameFor returns the name of the profile for a command. It goes by the base name of
// the program or, if that is node, npx or the like, by that of the script it runs. It
// does not guess behind wrappers: for them it returns [profile.GenericName].
func NameFor(command []string) string {
	name, alone := profile.Program(command)
	index, err := commands()
	if err != nil {
		return profile.GenericName
	}
	found, ok := index[name]
	if !ok {
		found, ok = index[strings.TrimRight(name, "0123456789.")] // python3.11
	}
	if !ok || found.Alone && !alone {
		return profile.GenericName
	}
	return found.name
}

// heading is the part of a profile that says whether it is for a command. It is read
// without the rest, which takes far longer.
type heading struct {
	name     string
	Commands []string `json:"commands"`
	Alone    bool     `json:"alone"`
}

// commands maps the programs to the headings of their profiles. They are read once.
var commands = sync.OnceValues(func() (map[string]heading, error) {
	index := map[string]heading{}
	for _, a := range Known() {
		h := heading{name: a.Name}
		if err := json.Unmarshal([]byte(a.Profile), &h); err != nil {
			return nil, err
		}
		for _, c := range h.Commands {
			index[c] = h
		}
	}
	return index, nil
})
