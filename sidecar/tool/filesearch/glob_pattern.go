package filesearch

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// maxAlternatives is how many groups in braces a pattern has at most.
	maxAlternatives = 8
	// maxWays is how many patterns without braces one with them stands for at most: a match may try them all, and nothing
	// can stop it meanwhile.
	maxWays = 500
)

// checkGlob returns why a pattern of doublestar's syntax is none, with the place and the fix.
func checkGlob(what, pattern string) error {
	fault := func(at int, format string, args ...any) error {
		return fmt.Errorf("the %s %s is wrong at character %d: %s", what, text.Quote(pattern, MaxQuoted), utf8.RuneCountInString(pattern[:at])+1, fmt.Sprintf(format, args...))
	}
	var open []int
	groups := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			if i++; i == len(pattern) {
				return fault(i-1, `a backslash is last; write \\ for the character itself`)
			}
		case '[':
			end := classEnd(pattern[i:])
			if end == 0 {
				return fault(i, `the class that [ begins has no end; write \[ for the character itself`)
			}
			i += end - 1
		case '{':
			open = append(open, i)
			if groups++; groups > maxAlternatives {
				return fault(i, "it has more than %d groups in braces; search several times", maxAlternatives)
			}
		case '}':
			if len(open) == 0 {
				return fault(i, `there is no { for this }; write \} for the character itself`)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fault(open[0], `the group that { begins has no end; write \{ for the character itself`)
	}
	if ways(pattern) > maxWays {
		return fmt.Errorf("the %s %s stands for more than %d patterns without braces: search several times", what, text.Quote(pattern, MaxQuoted), maxWays)
	}
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("the %s %s is wrong: it is as in \"src/**/*.{ts,tsx}\"", what, text.Quote(pattern, MaxQuoted))
	}
	return nil
}

// ways returns how many patterns without braces a pattern stands for, or some number above maxWays. Each class and group of the
// pattern has an end.
func ways(pattern string) int {
	n, _ := waysTo(pattern, 0, 0)
	return n
}

// waysTo returns the ways of what begins at a place, up to the end of its group, and that place. depth is how many groups it is in.
func waysTo(pattern string, at, depth int) (all, end int) {
	one := 1
	for ; at < len(pattern); at++ {
		switch c := pattern[at]; {
		case c == '\\':
			at++
		case c == '[':
			at += classEnd(pattern[at:]) - 1
		case c == '{':
			var inner int
			inner, at = waysTo(pattern, at+1, depth+1)
			one = min(one*inner, maxWays+1)
		case c == ',' && depth > 0:
			all, one = min(all+one, maxWays+1), 1
		case c == '}':
			return min(all+one, maxWays+1), at
		}
	}
	return one, at
}

// classEnd returns where a class in brackets ends, 0 if it does not.
func classEnd(pattern string) int {
	i := 1
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		i++
	}
	for first := true; i < len(pattern); i, first = i+1, false {
		switch {
		case pattern[i] == '\\':
			i++
		case pattern[i] == ']' && !first:
			return i + 1
		}
	}
	return 0
}

// relativeGlob checks the pattern of glob and returns it without what means nothing.
func relativeGlob(pattern string) (string, error) {
	if err := checkGlob("pattern", pattern); err != nil {
		return "", err
	}
	if strings.HasPrefix(pattern, "/") {
		dir, rest := doublestar.SplitPattern(pattern)
		return "", fmt.Errorf("the pattern %s is absolute: give path %s and pattern %s", text.Quote(pattern, MaxQuoted), text.Quote(dir, MaxQuoted), text.Quote(rest, MaxQuoted))
	}
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return "", fmt.Errorf("the pattern %s goes up with ..: give the directory as path", text.Quote(pattern, MaxQuoted))
	}
	for strings.HasPrefix(pattern, "./") {
		pattern = strings.TrimLeft(pattern[len("./"):], "/")
	}
	if pattern == "" || strings.HasSuffix(pattern, "/") {
		return "", fmt.Errorf("the pattern %s names a directory: write %s for the files in it", text.Quote(pattern, MaxQuoted), text.Quote(pattern+"**", MaxQuoted))
	}
	return pattern, nil
}

// globSegments splits a pattern at its slashes, nil if they do not say which names its parts match: there is a slash in a class or a
// group, or a part may be "**" with something beside it, also without its groups.
func globSegments(pattern string) []string {
	segments := strings.Split(pattern, "/")
	for _, s := range segments {
		groups := strings.Count(s, "{")
		odd := s != "**" && (strings.Contains(s, "**") || groups > 0 && strings.Count(s, "*") > 1)
		if odd || !doublestar.ValidatePattern(s) || groups != strings.Count(s, "}") {
			return nil
		}
	}
	return segments
}

// entersSegments reports whether something below a directory can match a pattern.
func entersSegments(segments []string, rel string) bool {
	if segments == nil {
		return true
	}
	i := 0
	for name := range strings.SplitSeq(rel, "/") {
		switch {
		case segments[i] == "**":
			return true
		case i == len(segments)-1 || !doublestar.MatchUnvalidated(segments[i], name):
			return false
		}
		i++
	}
	return true
}

// namesHidden reports whether a pattern asks for a name that begins with a dot: one of its segments does, and
// matches it.
func namesHidden(pattern, name string) bool {
	for s := range strings.SplitSeq(pattern, "/") {
		if strings.HasPrefix(s, ".") && doublestar.ValidatePattern(s) && doublestar.MatchUnvalidated(s, name) {
			return true
		}
	}
	return false
}

// pathGlob is a glob that chooses files by their paths.
type pathGlob struct {
	glob string
	name bool // it has no slash: the last name of the path is matched, at any depth
}

// pathGlobs are globs of which one must match.
type pathGlobs []pathGlob

// parsePathGlobs checks globs of the argument what.
func parsePathGlobs(what, other string, globs []string) (pathGlobs, error) {
	var all pathGlobs
	for _, g := range globs {
		if rest, ok := strings.CutPrefix(g, "!"); ok {
			return nil, fmt.Errorf("the %s %s begins with !: give %s as %s", what, text.Quote(g, MaxQuoted), text.Quote(rest, MaxQuoted), other)
		}
		if err := checkGlob(what, g); err != nil {
			return nil, err
		}
		dir, isDir := strings.CutSuffix(g, "/")
		switch g = path.Clean(g); {
		case isDir && strings.Contains(dir, "/"):
			g += "/**"
		case isDir:
			g = "**/" + g + "/**"
		}
		all = append(all, pathGlob{strings.TrimPrefix(g, "/"), !strings.Contains(g, "/")})
	}
	return all, nil
}

func (p pathGlobs) match(rel, name string) bool {
	for _, g := range p {
		if g.name && doublestar.MatchUnvalidated(g.glob, name) || !g.name && doublestar.MatchUnvalidated(g.glob, rel) {
			return true
		}
	}
	return false
}
