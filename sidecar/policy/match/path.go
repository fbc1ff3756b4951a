package match

import (
	"cmp"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Roots are the directories for which the variables of patterns stand, by the name of
// the variable: absolute, cleaned paths with their links resolved.
type Roots map[string][]string

// Path is a pattern for files: an absolute path, a path below {workspace}, {ad-hoc} or
// {user-data}, or **/ and what follows, in the syntax of doublestar: * inside a name,
// ** for any directories, ?, [a-z] and {a,b}. A directory's own name is matched by dir and
// by dir/**.
type Path struct {
	source   string
	variable string // "" for none
	glob     string // without a leading slash
	literal  int    // bytes of glob before its first wildcard
	begins   string // what every match begins with
}

// ParsePath reads a pattern.
func ParsePath(s string) (Path, error) {
	if err := bounded(s); err != nil {
		return Path{}, err
	}
	p := Path{source: s}
	rest, err := p.variableOf(s)
	switch {
	case err != nil:
		return Path{}, err
	case p.variable == "" && strings.HasPrefix(s, "~"):
		return Path{}, &Error{Message: "begins with ~, which stands for nothing here", Hint: "write the directory itself", Never: true}
	case p.variable == "" && !strings.HasPrefix(s, "/") && s != "**" && !strings.HasPrefix(s, "**/"):
		return Path{}, &Error{Message: "is not an absolute path: it never matches", Hint: "begin with /, {workspace}/ or **/", Never: true}
	case slices.ContainsFunc(strings.Split(rest, "/"), func(e string) bool { return e == ".." || e == "." }):
		return Path{}, &Error{Message: "has . or .. in it: it never matches", Hint: "write the path without them", Never: true}
	case !doublestar.ValidatePattern(rest):
		return Path{}, &Error{Message: "is not a pattern", Hint: "close its brackets, or write a backslash before what is meant as it is"}
	}
	p.glob = strings.TrimPrefix(rest, "/")
	if strings.HasSuffix(p.glob, "/") {
		return Path{}, &Error{Message: "ends with a slash: it never matches", Hint: "write " + text.Quote(s+"**", 80) + " for what is below it", Never: true}
	}
	p.literal = wildcard(p.glob)
	p.begins, _ = literalOf(p.glob)
	p.begins = strings.TrimSuffix(p.begins, "/")
	return p, nil
}

// variableOf takes the variable off a pattern and returns the rest.
func (p *Path) variableOf(s string) (rest string, err error) {
	if !strings.HasPrefix(s, "{") {
		return s, nil
	}
	name, rest, closed := strings.Cut(s[1:], "}")
	if !closed || strings.ContainsAny(name, ",/") || rest != "" && rest[0] != '/' {
		return s, nil
	}
	if !slices.Contains(manifest.Variables(), name) {
		hint := "the variables are {workspace}, {ad-hoc} and {user-data}"
		if near := jsontree.Nearest(name, manifest.Variables()); near != "" {
			hint = "write {" + near + "}"
		}
		return "", &Error{Message: "has the variable {" + text.Shorten(text.Show(name), 40) + "}, which is unknown", Hint: hint}
	}
	p.variable = name
	return rest, nil
}

// String returns the pattern as it was written.
func (p Path) String() string { return p.source }

// Covers reports whether the pattern matches an absolute path, and how specifically.
func (p Path) Covers(name string, roots Roots) (Rank, bool) { return p.matches(name, roots, false) }

// Touches is Covers for rules that deny or ask: where the system does not tell capitals
// from small letters, neither does it.
func (p Path) Touches(name string, roots Roots) (Rank, bool) {
	return p.matches(name, roots, runtime.GOOS == "darwin")
}

func (p Path) matches(name string, roots Roots, fold bool) (Rank, bool) {
	if !strings.HasPrefix(name, "/") {
		return Rank{}, false
	}
	name = path.Clean(name)
	best, found := Rank{}, false
	for _, dir := range p.dirs(roots) {
		if fold && len(name) >= len(dir) && strings.EqualFold(name[:len(dir)], dir) {
			dir = name[:len(dir)]
		}
		rest, ok := below.Rest(name, dir)
		if !ok || !p.globs(rest, fold) {
			continue
		}
		if r := p.rank(dir); !found || r.Over(best) {
			best, found = r, true
		}
	}
	return best, found
}

// dirs returns the directories below which the pattern is held against a path.
func (p Path) dirs(roots Roots) []string {
	if p.variable == "" {
		return []string{"/"}
	}
	return roots[p.variable]
}

func (p Path) globs(rest string, fold bool) bool {
	glob := p.glob
	if !fold && !strings.HasPrefix(rest, p.begins) {
		return false // the most of many rules
	}
	if fold {
		glob, rest = strings.ToLower(glob), strings.ToLower(rest)
	}
	return doublestar.MatchUnvalidated(glob, rest)
}

func (p Path) rank(dir string) Rank {
	length := p.literal
	if p.variable != "" {
		length += len(strings.TrimSuffix(dir, "/"))
	}
	return Rank{Exact: p.literal == len(p.glob), Length: length, Tail: strings.Trim(p.glob[p.literal:], "*/") != ""}
}

// CoversPattern reports whether everything that a declared pattern of absolute paths stands
// for is inside this one: a declared path without a wildcard stands for what is below it
// too. It may say no where that is so.
func (p Path) CoversPattern(other string, roots Roots) (Rank, bool) {
	best, found := Rank{}, false
	begins, _ := literalOf(other)
	begins = strings.TrimSuffix(begins[:strings.LastIndexByte(begins, '/')+1], "/")
	if _, wild := literalOf(other); !wild {
		begins = other
	}
	for _, dir := range p.dirs(roots) {
		whole := strings.TrimSuffix(dir, "/") + "/" + p.glob
		beginning, wild := literalOf(p.glob)
		tree := strings.TrimSuffix(strings.TrimSuffix(dir, "/")+"/"+beginning, "/")
		inside := wild && p.glob[p.literal:] == "**" && below.Is(begins, cmp.Or(tree, "/"))
		if inside || other == whole && wild {
			if r := p.rank(dir); !found || r.Over(best) {
				best, found = r, true
			}
		}
	}
	return best, found
}

// TouchesPattern reports whether a path may be inside both this pattern and a declared
// one. It may say yes where none is.
func (p Path) TouchesPattern(other string, roots Roots) (Rank, bool) {
	best, found := Rank{}, false
	b, _ := literalOf(other)
	mine, wild := literalOf(p.glob)
	for _, dir := range p.dirs(roots) {
		if overlap(strings.TrimSuffix(dir, "/")+"/"+mine, b, !wild) {
			if r := p.rank(dir); !found || r.Over(best) {
				best, found = r, true
			}
		}
	}
	return best, found
}

// wildcard returns the offset of the first wildcard of a pattern, its length if it has
// none.
func wildcard(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?', '[', '{':
			return i
		}
	}
	return len(s)
}

// literalOf returns what stands before the first wildcard of a pattern, without
// backslashes.
func literalOf(s string) (literal string, wild bool) {
	end := wildcard(s)
	if !strings.Contains(s[:end], `\`) {
		return s[:end], end < len(s)
	}
	var b strings.Builder
	for i := 0; i < end; i++ {
		if s[i] == '\\' && i+1 < end {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), end < len(s)
}

// overlap reports whether paths that begin with a and with b may be the same; a may be a
// whole path.
func overlap(a, b string, whole bool) bool {
	if strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") {
		return true
	}
	return strings.HasPrefix(a, b) || !whole && strings.HasPrefix(b, a)
}
