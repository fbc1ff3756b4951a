package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Args returns the command line with the profile's flags. A flag is not added if the
// user gave it or one that says otherwise. Arguments after a `--` are no flags. person
// tells whether a person is at the agent's terminal.
func (p *Profile) Args(argv []string, person bool) []string {
	if len(argv) == 0 {
		return argv
	}
	at, given := given(argv)
	var first, last []string
	for _, f := range p.Start.Flags {
		switch {
		case named(given, f.Unless), f.Alone && person:
		case f.First:
			first = append(first, f.Add...)
		default:
			last = append(last, f.Add...)
		}
	}
	return slices.Concat(argv[:at], first, given, last, argv[at+len(given):])
}

// given returns the agent's own arguments in its command line, which begin at
// argv[at], up to a `--`.
func given(argv []string) (at int, given []string) {
	at = 1 // after the program, or after the script that it runs
	if slices.Contains(interpreters(), programName(argv[0])) {
		if i := slices.IndexFunc(argv[1:], notFlag); i >= 0 {
			at = i + 2
		}
	}
	given = argv[at:]
	if i := slices.Index(given, "--"); i >= 0 {
		given = given[:i]
	}
	return at, given
}

// Arguments returns where a command's own arguments begin: after the program, or after the script
// that it runs.
func Arguments(command []string) int {
	if len(command) == 0 {
		return 0
	}
	at, _ := given(command)
	return at
}

// named reports whether one of the flags is among the arguments, alone or before a
// `=`.
func named(args, flags []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return slices.Contains(flags, name)
	})
}

// Untypable says why no message can be typed to an agent that is started by this
// command line with these variables (NAME=value), and what to do about it; "" means
// that messages can be typed.
func (p *Profile) Untypable(argv, env []string) string {
	if len(argv) == 0 {
		return ""
	}
	_, args := given(argv)
	for _, u := range p.Start.Untypable {
		if named(args, u.Flags) || named(env, u.Env) {
			return u.Hint
		}
	}
	return ""
}

// Environ returns the profile's variables as NAME=value, in order. The user's own have
// precedence: a variable that is set already is left as it is.
func (p *Profile) Environ() []string {
	var env []string
	for name, value := range p.Start.Env {
		if _, set := os.LookupEnv(name); !set {
			env = append(env, name+"="+value)
		}
	}
	slices.Sort(env)
	return env
}

// Escape returns what to type before a message so that its beginning is no command to
// the agent; "" if the profile has no such escape. Blanks at the beginning of the
// message do not hide a command.
func (p *Profile) Escape(message string) string {
	for _, r := range message {
		if !unicode.IsSpace(r) {
			return p.CommandEscapes[string(r)]
		}
	}
	return ""
}

// interpreters lists programs whose first argument is the agent.
func interpreters() []string { return []string{"node", "nodejs", "bun", "npx", "bunx"} }

// Program returns what may identify the profile of a command: the name of the program,
// or of the script it runs, and whether the command has only flags.
func Program(command []string) (name string, alone bool) {
	if len(command) == 0 {
		return "", true
	}
	name, arguments := programName(command[0]), command[1:]
	if slices.Contains(interpreters(), name) {
		if i := slices.IndexFunc(arguments, notFlag); i >= 0 {
			return programName(arguments[i]), false
		}
	}
	return name, !slices.ContainsFunc(arguments, notFlag)
}

func notFlag(argument string) bool { return !strings.HasPrefix(argument, "-") }

// programName returns the base name without the parts that stand for its kind or
// version.
func programName(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".exe", ".js", ".mjs", ".cjs"} {
		name = strings.TrimSuffix(name, ending)
	}
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		name = name[:i] // npx agent@2
	}
	return name
}
