package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Governing is how an agent is started so that its model has no tools but ours, for this run
// only, and how it shows that one of its own is used all the same. All of it was measured: see
// Versions.
type Governing struct {
	// Recipe names this state of the recipe, as YYYY-MM: it changes when what is below does.
	Recipe string
	// Versions are the agent's versions for which the recipe was measured.
	Versions []string
	// Version are the arguments with which the agent prints its version and ends.
	Version []string
	// Prints are the arguments with which it prints what its Plan needs (Launch.Printed) and ends; nil
	// means that it needs nothing.
	Prints []string
	// Modes are those for which the recipe was measured, the values of --mode.
	Modes []string
	// Plan changes a Launch that has our tools already (Tools), and hooks if the agent is to
	// report. A field that the Plan leaves nil stays as in the Launch. The error says what of
	// the user's own files or settings is in the way.
	Plan func(*Launch) (Plan, error)
	// Conflicts are arguments and variables of the user's that would undo the recipe. Commands
	// are the agent's own commands, of which none runs a session that is governed.
	Conflicts []Conflict
	Commands  []string
	// Left are the tools that the model is offered in addition to ours.
	Left []string
	// Holes are what the recipe does not close.
	Holes []Hole
	// Native reports whether a tool of this name is the agent's own and does something: it is
	// neither ours nor one of Left.
	Native func(tool string) bool
	// Watched says, by mode, what shows that a native tool is used: "" or no entry means that
	// nothing does.
	Watched map[string]string
	// ListsFirst are the modes in which a process asks for our tools at its start, beside everything else: its first message
	// waits for that, or its model would be offered none.
	ListsFirst []string
	// Told says that what the agent tells in mode stream or acp of the tools that it uses is what is
	// watched.
	Told bool
	// Escape makes text of what the agent would take in a message for its own work, such as a
	// file to read, in that mode; nil means that nothing in a message is taken so, but for what
	// the terminal's profile knows.
	Escape func(mode, message string) string
	// Confinement is what its own process uses in a sandbox, without which it is not started under
	// strict; nil means that nobody has measured it.
	Confinement *Confinement
}

// Conflict is what a user may not pass to a governed agent.
type Conflict struct {
	// Flags are spellings of one flag of the command; Env are names of variables, which conflict
	// only if they are not empty.
	Flags, Env []string
	// Values are the only values of the flag, or of a KEY=VALUE setting the only beginnings, that
	// conflict; nil means each.
	Values []string
	// Why says what it would undo, as the end of a sentence: "it brings tools back".
	Why string
}

// Hole is something that a recipe does not close.
type Hole struct {
	Text string
	// Modes are those in which it is there; nil means all.
	Modes []string
	// Person says that only a person who types at the agent's terminal can use it.
	Person bool
}

// In reports whether the hole is there in a mode.
func (h *Hole) In(mode string) bool { return len(h.Modes) == 0 || slices.Contains(h.Modes, mode) }

// ErrCannotGovern means that nobody knows how to govern the agent.
var ErrCannotGovern = errors.New("it is not known how this agent is governed")

// Governable says why an agent cannot be governed when it is started in a mode by this command of
// the user's, in which the agent's own arguments begin at args; nil means that it can.
func (a *Agent) Governable(mode string, l Launch, args int) error {
	g := a.Govern
	if g == nil {
		return ErrCannotGovern
	}
	if !slices.Contains(g.Modes, mode) {
		return fmt.Errorf("%s was not measured in --mode %s; use --mode %s", a.Name, mode, strings.Join(g.Modes, " or "))
	}
	if args < len(l.Argv) && slices.Contains(g.Commands, l.Argv[args]) {
		return fmt.Errorf("%s %s is no session that can be governed; leave it out", a.Name, l.Argv[args])
	}
	return errors.Join(g.conflicts(&l, args)...)
}

// conflicts returns what of the user's own arguments and variables would undo the recipe.
func (g *Governing) conflicts(l *Launch, args int) (all []error) {
	for _, c := range g.Conflicts {
		if given := c.flag(l.Argv[min(args, len(l.Argv)):]); given != "" {
			all = append(all, fmt.Errorf("%s: %s; leave it out", given, c.Why))
		}
		for _, name := range c.Env {
			if l.Getenv(name) != "" {
				all = append(all, fmt.Errorf("%s is set: %s; unset it", name, c.Why))
			}
		}
	}
	return all
}

// flag returns the flag, as it is to be shown, if it is among the arguments.
func (c *Conflict) flag(args []string) string {
	for i, arg := range args {
		if arg == "--" {
			break
		}
		for _, flag := range c.Flags {
			value, found := "", arg == flag
			if found && i+1 < len(args) {
				value = args[i+1]
			}
			if v, joined := strings.CutPrefix(arg, flag); joined && !found {
				if v, found = strings.CutPrefix(v, "="); !found && len(flag) == 2 && flag[0] == '-' {
					found = true // -cVALUE
				}
				value = v
			}
			if found && (c.Values == nil || slices.ContainsFunc(c.Values, func(p string) bool { return strings.HasPrefix(value, p) })) {
				if c.Values != nil {
					return flag + " " + value
				}
				return flag
			}
		}
	}
	return ""
}

// Governed says how to start an agent that is given our tools already so that it is governed.
// With an error, which says what is in the way, there is no Plan.
func (a *Agent) Governed(l Launch) (Plan, error) {
	l = a.complete(l)
	switch {
	case len(l.Argv) == 0:
		return Plan{}, errNoCommand
	case a.Govern == nil:
		return Plan{}, ErrCannotGovern
	}
	plan, err := a.Govern.Plan(&l)
	if err != nil {
		return Plan{}, err
	}
	return plan.over(&l), nil
}

// Knows reports whether the recipe was measured for a version.
func (g *Governing) Knows(version string) bool { return slices.Contains(g.Versions, version) }

// Open lists the holes of a mode, in words; person tells whether a person may type at the agent's
// terminal.
func (g *Governing) Open(mode string, person bool) (holes []string) {
	for _, h := range g.Holes {
		if h.In(mode) && (person || !h.Person) {
			holes = append(holes, h.Text)
		}
	}
	if g.Watched[mode] == "" {
		holes = append(holes, "nothing shows in --mode "+mode+" that a tool of the agent's own is used")
	}
	return holes
}

// Override returns the environment with these variables, whatever the user has set.
func (l *Launch) Override(more ...string) []string {
	env := slices.DeleteFunc(slices.Clone(l.Env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(more, func(m string) bool { return strings.HasPrefix(m, name+"=") })
	})
	return append(env, more...)
}
