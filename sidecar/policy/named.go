package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/policy/shell"
)

// maxNamed is how many different paths the words of one call's command lines may name.
const maxNamed = 1000

// names adds the files that the words of a line may name: nobody can tell which of them are paths, and whether they are
// read or written, so each word is both. No rule has to speak of them, and one that denies or asks is heard. Links
// are not followed, and what is only known when the line runs is not looked at: a rule that denies a part of what
// the tool may use asks about the call because of those (partly). It reports whether all words were looked at.
func (c *call) names(from *atom, l *shell.Line) bool {
	var seen []string
	for i := range l.Commands {
		for _, w := range l.Commands[i].Words {
			for _, p := range paths(w.Text) {
				if !path.IsAbs(p) {
					if c.Dir == "" {
						continue
					}
					p = path.Join(c.Dir, p)
				}
				if p = path.Clean(p); slices.Contains(seen, p) {
					continue
				}
				if seen = append(seen, p); len(seen) > maxNamed {
					return false
				}
				for _, capability := range [...]Capability{FSRead, FSWrite} {
					a := *from
					a.capability, a.value, a.aside, a.doubt = capability, p, true, ""
					c.atoms = append(c.atoms, a)
				}
			}
		}
	}
	return true
}

// paths returns what of a word may be a path: all of it, and what follows an option, as in -I/usr, --out=x, if=x,
// -d@x, host:x and @x.
func paths(word string) (all []string) {
	if word == "" {
		return nil
	}
	all = append(all, word)
	if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		all = append(all, strings.TrimPrefix(word[2:], "@"))
	}
	if word[0] == '@' {
		all = append(all, word[1:])
	}
	for _, sign := range [...]string{"=", ":"} {
		if _, rest, ok := strings.Cut(word, sign); ok && rest != "" {
			all = append(all, strings.TrimPrefix(rest, "@"))
		}
	}
	return all
}

// partly takes the rules that deny a part of a declared pattern away from those that match it, if only the command
// line tells which part of the pattern the call uses, and notes that the call is to be asked about: the sandbox
// cannot take a part out of what it lets a program use. A rule that denies all of the pattern stays.
func (v *hearing) partly(a *atom, candidates []candidate) []candidate {
	if !a.named {
		return candidates
	}
	at := slices.IndexFunc(candidates, func(c candidate) bool { return c.part(a, v.call.Roots) })
	if at < 0 {
		return candidates
	}
	v.rulings = append(v.rulings, ruling{
		verdict: Ask, rule: candidates[at].rule, on: a.on(), doubt: "a command that may use files which it does not name, and of some of them " + string(a.capability) + " is forbidden",
	})
	return slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return c.part(a, v.call.Roots) })
}

// part reports whether a rule denies a part of a declared pattern of paths, and not all of it.
func (r *rule) part(a *atom, roots Roots) bool {
	if r.Verdict != Deny || r.Pattern == "" || r.path == nil {
		return false
	}
	_, all := r.path.CoversPattern(a.value, roots)
	return !all
}
