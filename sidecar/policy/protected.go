package policy

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Protection says which paths are protected in addition to those of this package, and which are not. The zero
// value adds nothing.
type Protection struct {
	// Anywhere are paths that are protected wherever they are, with all that is below them: names that follow one
	// another, as in ".vscode/tasks.json". A "*" at the beginning of the first name stands for anything.
	Anywhere []string
	// Home is the user's home directory, absolute and resolved; "": it is not known.
	Home string
	// Places are absolute, resolved paths that are protected with all that is below them.
	Places []string
	// Except are absolute, resolved paths that are not protected, with all that is below them.
	Except []string
}

// anywhere lists paths of which the files start programs later, wherever they are: when a person or an agent uses git, an
// editor or a shell in the directory. Those of single agents are in spec.Agent.Protected.
func anywhere() []string {
	return []string{
		".sidecar", ".spring/bridge", // ours
		".git", "*.git/hooks", "*.git/config", ".githooks", ".husky", // git, and programs that install its hooks
		".envrc", ".mise", ".mise.toml", "mise.toml", // shells that go into a directory
		".hg", ".jj", // other version control, whose settings name hooks and aliases
		".vscode/tasks.json", ".vscode/launch.json", ".vscode/settings.json", ".vscode/mcp.json", ".idea", ".zed", ".cursor", ".windsurf", ".kiro", ".roo", ".devcontainer", ".devcontainer.json", "*.code-workspace", // editors
		".mcp.json", ".agents", // agents of many kinds
	}
}

// inHome lists paths of the user's home directory of which the files start programs later.
func inHome() []string {
	return []string{
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".config/fish",
		".ssh", ".gitconfig", ".config/git", ".xprofile", ".xsession", ".xinitrc", ".pam_environment",
		".config/autostart", ".config/systemd", ".config/environment.d", ".local/bin", "bin", ".local/share/systemd", "Library/LaunchAgents",
		".vimrc", ".config/nvim", ".emacs", ".emacs.d", ".config/emacs", ".npmrc", ".config/direnv",
	}
}

// protected are the protected paths, made for looking them up.
type protected struct {
	byFirst map[string][]pattern // by the first name
	globs   []pattern            // of which the first name has a "*"
	home    []pattern
	at      Protection
}

// pattern is a path of names, as they are compared.
type pattern struct {
	written string
	names   []string
}

func patternOf(s string) pattern { return pattern{s, namesOf(s)} }

func newProtected(p Protection) *protected {
	all := &protected{byFirst: map[string][]pattern{}, at: p}
	for _, s := range slices.Concat(anywhere(), p.Anywhere) {
		one := patternOf(s)
		if strings.HasPrefix(one.names[0], "*") {
			all.globs = append(all.globs, one)
		} else {
			all.byFirst[one.names[0]] = append(all.byFirst[one.names[0]], one)
		}
	}
	for _, s := range inHome() {
		all.home = append(all.home, patternOf(s))
	}
	return all
}

// of names the protected path that a path is, or is below of; "" if it is none.
func (p *protected) of(file string) string {
	in := func(dir string) bool { return below.Is(file, dir) }
	if slices.ContainsFunc(p.at.Except, in) {
		return ""
	}
	if slices.ContainsFunc(p.at.Places, in) {
		return "a directory of git's"
	}
	if rest, ok := below.Rest(file, p.at.Home); ok && p.at.Home != "" {
		names := namesOf(rest)
		for _, one := range p.home {
			if one.begins(names) {
				return "~/" + one.written
			}
		}
	}
	names := namesOf(file)
	for i, name := range names {
		for _, one := range p.byFirst[name] {
			if one.begins(names[i:]) {
				return one.written
			}
		}
		for _, one := range p.globs {
			if end, _ := strings.CutPrefix(one.names[0], "*"); strings.HasSuffix(name, end) && one.begins(names[i:]) {
				return one.written
			}
		}
	}
	return ""
}

// begins reports whether names begin with those of the pattern; a first name with a "*" was compared.
func (p pattern) begins(names []string) bool {
	if len(names) < len(p.names) {
		return false
	}
	from := 0
	if strings.HasPrefix(p.names[0], "*") {
		from = 1
	}
	return slices.Equal(names[from:len(p.names)], p.names[from:])
}

// namesOf returns the names of a path as they are compared: some file systems leave out dots and blanks at a name's end.
func namesOf(path string) []string {
	names := strings.Split(folded(path), "/")
	for i, name := range names {
		if short := strings.TrimRight(name, ". "); short != "" {
			names[i] = short
		}
	}
	return names
}

// ligatures are characters that file systems take for several letters.
var ligatures = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

// folded returns a path as it is compared: file systems may take upper and lower case for one, and leave out
// characters that nobody sees.
func folded(s string) string {
	plain := func(r rune) bool { return r < unicode.MaxASCII && !unicode.IsUpper(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return ligatures.Replace(strings.Map(func(r rune) rune {
		switch {
		case !text.Safe(r), unseen(r): // what no display shows, and what joins letters
			return -1
		case r == 'ſ':
			return 's'
		}
		return unicode.ToLower(r)
	}, s))
}

// unseen reports whether a character is one that case folding leaves out, beyond those that text takes for unsafe.
func unseen(r rune) bool {
	return r == '\u200c' || r == '\u200d' || unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// ProtectedRule is the beginning of Decision.Rule of a protected path; the path's pattern follows it.
const ProtectedRule = "built-in: protected path "

// denies returns the decision about a call that writes a protected path; ok is false if it writes none. What a tool
// only declares, and what stands in its command as its author wrote it, is not denied: it is in the image, and the
// sandbox cannot take a path out of what a program may use.
func (p *protected) denies(c *call) (d Decision, ok bool) {
	for i := range c.atoms {
		a := &c.atoms[i]
		if a.capability != FSWrite || a.declared || a.verbatim || a.aside || a.value == "" {
			continue
		}
		is := p.of(path.Clean(a.value))
		if is == "" && a.written != "" {
			is = p.of(a.written)
		}
		if is != "" {
			return Decision{
				Kind: KindRule, Scope: ScopeBuiltIn, Rule: ProtectedRule + is,
				Reason: "it would write " + is + ", a protected path: files there start programs later, so no tool may write them; ask the person to change it (sidecar help policy)",
			}, true
		}
	}
	return d, false
}
