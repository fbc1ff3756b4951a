package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Sources are where values are looked for.
type Sources struct {
	// Args is the command that follows the flags of run.
	Args []string
	// Flags holds what was given on the command line, by the setting's name,
	// in order of appearance.
	Flags map[string][]string
	// Environ is "KEY=value", as os.Environ returns it.
	Environ []string
	// Container is the sign that shows that we are in a container, "" if we are not
	// (see InContainer).
	Container string
	// Choose settles the mode auto, in a configuration in which all else is decided. nil leaves it as it is.
	Choose Chooser
}

// Value is a setting's decided value.
type Value struct {
	Setting Setting
	Text    string
	Origin  Origin
}

// Loaded is a configuration with its provenance.
type Loaded struct {
	Config Config
	// Values are in the order of the table, after one for the command.
	Values []Value
	// Warnings are one line each: they name what works but is probably not meant.
	Warnings []string
}

// loader is one run of Load.
type loader struct {
	Loaded
	sources Sources
	table   []Setting
	env     map[string]string
	file    *file
	unread  bool // a file could not be read: it may hold anything
	faults  Faults
}

// Load decides every setting. The error is of type Faults and holds everything that
// is wrong; the Loaded returned with it is then incomplete but can be printed.
func Load(s Sources) (*Loaded, error) {
	l := newLoader(s)
	l.Values = make([]Value, 0, 1+len(l.table))
	l.openFile()
	l.command()
	for _, setting := range l.table {
		l.decide(setting)
	}
	l.dependentDefaults()
	l.settleAuto()
	l.checkAll()
	l.checkReplaced()
	l.warnOfUnknown()
	if len(l.faults) > 0 {
		return &l.Loaded, l.faults
	}
	return &l.Loaded, nil
}

func newLoader(s Sources) *loader {
	return &loader{sources: s, table: Settings(), env: environment(s.Environ)}
}

// environment makes the lookup table. As in os.Getenv, the first of two equal names
// counts; an empty variable is unset.
func environment(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		if _, twice := env[k]; v != "" && !twice {
			env[k] = v
		}
	}
	return env
}

// openFile reads the file that --config names; that setting is decided before all
// others.
func (l *loader) openFile() {
	setting := l.setting("config")
	path, origin, found := l.find(setting)
	if !found || path == "" {
		return
	}
	f, faults := readFile(path, l.table)
	var notRead *os.PathError
	for _, err := range faults {
		if errors.As(err, &notRead) {
			err = &Fault{Setting: setting.Name, Origin: origin, Value: path, HasValue: true,
				Err: fmt.Errorf("cannot be read (%w); give the path of a JSON file", notRead.Err)}
		}
		l.faults = append(l.faults, err)
	}
	l.file, l.unread = f, f == nil
}

// setting returns the row with that name, which must be in the table.
func (l *loader) setting(name string) Setting {
	s, _ := lookup(l.table, name)
	return s
}

func lookup(table []Setting, name string) (Setting, bool) {
	for _, s := range table {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// find returns the strongest source's text for a setting.
func (l *loader) find(s Setting) (text string, origin Origin, found bool) {
	if given := l.sources.Flags[s.Name]; len(given) > 0 {
		if s.List {
			return strings.Join(given, ","), Origin{FromFlag, "--" + s.Name}, true
		}
		return given[len(given)-1], Origin{FromFlag, "--" + s.Name}, true
	}
	for _, name := range s.variables() {
		text, found := l.env[name]
		if !found || l.serviceLink(s, name, text) {
			continue
		}
		if name == s.Platform {
			return text, Origin{FromPlatform, name}, true
		}
		return text, Origin{FromEnv, name}, true
	}
	if e, found := l.file.lookup(s.Name); found {
		return e.text, Origin{FromFile, e.position}, true
	}
	return s.Default, Origin{}, s.Default != ""
}

// decide finds the value of one setting and puts it into the Config.
func (l *loader) decide(s Setting) {
	field := s.bind(&l.Config)
	text, origin, found := l.find(s)
	if found {
		if err := s.read(field, text, origin); err != nil {
			l.faults = append(l.faults, &Fault{Setting: s.Name, Origin: origin, Value: text, HasValue: true, Err: err})
			_ = field.parse(s.Default) // so that one fault does not look like two
		}
	}
	l.Values = append(l.Values, Value{Setting: s, Text: field.String(), Origin: origin})
}

// read parses a text in the spelling of its source.
func (s Setting) read(field value, text string, o Origin) error {
	if o.From == FromPlatform && s.foreign != nil {
		ours, err := s.foreign(text)
		if err != nil {
			return err
		}
		text = ours
	}
	return field.parse(text)
}

// dependentDefaults fills in the defaults that depend on something else.
func (l *loader) dependentDefaults() {
	if l.Values[0].Origin.Name == argvVariable {
		l.setDefault("mode", ModeOneshot, "$"+argvVariable)
	}
	l.keepTasks()
	if l.Config.Govern != GovernOff {
		l.setDefault("tools", tool.Core, "--govern")
		l.setDefault("give-tools", GiveOn, "--govern")
	}
	if l.sources.Container != "" {
		l.setDefaultHost()
	}
}

// keepTasks decides where tasks are kept over restarts: in the directory that
// somebody names, or in the workspace that the platform sets. The current directory
// is not written to without being asked.
func (l *loader) keepTasks() {
	c := &l.Config
	_, c.StoreAsked = l.given("state-dir")
	because := ""
	workspace, _ := l.given("workspace")
	if workspace.From == FromPlatform {
		because = "$" + workspace.Name
	}
	l.setDefault("state-dir", filepath.Join(c.Workspace, ".spring", "bridge"), because)
	if c.StoreAsked || workspace.From == FromPlatform {
		c.StoreDir = c.StateDir
	}
}

// setDefault replaces a default by another. It changes nothing else.
func (l *loader) setDefault(name, text, because string) {
	for i := range l.Values {
		v := &l.Values[i]
		if v.Setting.Name != name || v.Origin.From != FromDefault {
			continue
		}
		field := v.Setting.bind(&l.Config)
		if err := field.parse(text); err != nil {
			panic("config: default of " + name + ": " + err.Error()) // texts of this package
		}
		v.Text, v.Origin = field.String(), Origin{Name: because}
	}
}

// checkAll checks the settings together, and against the machine.
func (l *loader) checkAll() {
	var joined interface{ Unwrap() []error }
	if err := l.Config.Validate(); errors.As(err, &joined) {
		for _, err := range joined.Unwrap() {
			l.faults = append(l.faults, l.trace(err))
		}
	}
	l.checkHost()
	l.checkPaths()
	l.checkRoots()
	l.warnOfNoEffect()
}

// trace finds out where a fault between settings comes from.
func (l *loader) trace(err error) error {
	for _, half := range []struct {
		err   error
		names []string
	}{
		{errHalfThreads, []string{"thread-id-arg-create", "thread-id-arg-resume"}},
		{errHalfTLS, []string{"tls-cert", "tls-key"}},
		{errClientCA, []string{"tls-client-ca"}},
		{errAgentOption, []string{"agent-option"}},
		{errGovern, []string{"govern"}},
	} {
		for _, name := range half.names {
			if origin, given := l.given(name); given && errors.Is(err, half.err) {
				return &Fault{Origin: Origin{From: origin.From}, Err: err}
			}
		}
	}
	return err
}

// checkPaths finds paths that must exist and do not, before anything starts.
func (l *loader) checkPaths() {
	for _, must := range []struct {
		setting string
		path    string
		dir     bool
	}{
		{"workspace", l.Config.Workspace, true},
		{"card", l.Config.Card, false},
		{"grants", l.Config.Grants, false},
		{"surface", l.Config.Surface, false},
		{"mcp-config", l.Config.MCPConfig, false},
		{"agents", l.Config.Agents, false},
		{"token-file", l.Config.TokenFile, false},
		{"tls-cert", l.Config.TLSCert, false},
		{"tls-key", l.Config.TLSKey, false},
		{"tls-client-ca", l.Config.TLSClientCA, false},
	} {
		if must.path == "" {
			continue
		}
		info, err := os.Stat(must.path)
		switch {
		case err != nil:
			l.blame(must.setting, fmt.Errorf("is not there (%w)", errors.Unwrap(err)))
		case info.IsDir() && !must.dir:
			l.blame(must.setting, errors.New("is a directory; give a file"))
		case !info.IsDir() && must.dir:
			l.blame(must.setting, errors.New("is not a directory"))
		}
	}
}

// checkRoots finds further roots that are no directories.
func (l *loader) checkRoots() {
	for _, root := range l.Config.Roots {
		switch info, err := os.Stat(root); {
		case err != nil:
			l.blame("root", fmt.Errorf("names %q, which is not there (%w)", root, errors.Unwrap(err)))
		case !info.IsDir():
			l.blame("root", fmt.Errorf("names %q, which is not a directory", root))
		}
	}
}

// blame adds a fault of a value that was read without an error.
func (l *loader) blame(name string, err error) {
	for _, v := range l.Values {
		if v.Setting.Name == name {
			l.faults = append(l.faults, &Fault{Setting: name, Origin: v.Origin, Value: v.Text, HasValue: true, Err: err})
		}
	}
}

// given reports whether a source sets a setting, and which one.
func (l *loader) given(name string) (Origin, bool) {
	for _, v := range l.Values {
		if v.Setting.Name == name && v.Origin.From != FromDefault {
			return v.Origin, true
		}
	}
	return Origin{}, false
}
