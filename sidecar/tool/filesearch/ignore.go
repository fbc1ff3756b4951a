package filesearch

import (
	"bytes"
	"context"
	"strings"
)

// The bounds of one file of ignore rules. What is beyond them is not read, and the result says so.
const (
	maxIgnoreBytes = 1 << 20
	maxIgnoreRules = 10_000
	// maxIgnoreLine is how long a line is at most: a longer one matches no path that a system call takes, as a rule.
	maxIgnoreLine = 4 << 10
	// maxIgnoreHeld is how many bytes of rules hold at once: those of a directory, and of all that it is in.
	maxIgnoreHeld = 4 << 20
)

// ignoreFiles are the names of the files that hold ignore rules, in the order of their precedence: if two of one directory
// differ about a path, the first one decides. Their syntax is the same.
func ignoreFiles() []string { return []string{".ignore", ".gitignore"} }

// ignoreRule is one line of a file of ignore rules.
type ignoreRule struct {
	negated bool // "!": the path is taken back in
	dirOnly bool // "/" at the end: only directories are meant
	base    bool // there is no other "/": the last name of the path is matched, at any depth

	// literal and suffix are quick ways for the most frequent rules with base: a name, and "*" with a
	// literal. segments is the pattern in any other case, with "**" for any number of directories.
	literal, suffix string
	segments        []string
}

// ignoreRules are the rules of one file. They do not change.
type ignoreRules struct {
	dir   string // the directory of the file, relative to the root of the walk; "" is the root, or one above it
	below string // for a directory above the root: the path from there to the root, with "/" at its end
	rules []ignoreRule
	cut   bool // the file has more than the bounds allow
	bytes int  // of the lines that the rules are made of
}

// parseIgnore reads the rules of a file. A line that git can match with nothing is no rule.
func parseIgnore(content []byte) *ignoreRules {
	r := &ignoreRules{cut: len(content) > maxIgnoreBytes}
	content = content[:min(len(content), maxIgnoreBytes)]
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(content), "\n") {
		if len(line) > maxIgnoreLine {
			r.cut = true
			continue
		}
		rule, ok := parseIgnoreLine(line)
		if !ok {
			continue
		}
		if len(r.rules) == maxIgnoreRules {
			r.cut = true
			break
		}
		r.rules = append(r.rules, rule)
		r.bytes += len(line)
	}
	return r
}

func parseIgnoreLine(line string) (r ignoreRule, ok bool) {
	line = trimUnescaped(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return r, false
	}
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.base = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	r.segments = strings.Split(line, "/")
	for _, s := range r.segments {
		if !validSegment(s) {
			return r, false
		}
	}
	if last := len(r.segments) - 1; !r.base && r.segments[last] == "**" {
		r.segments = append(r.segments, "*") // what is in the directory, and not the directory
	}
	switch rest, star := strings.CutPrefix(line, "*"); {
	case !r.base:
	case !strings.ContainsAny(line, `*?[\`):
		r.literal = line
	case star && !strings.ContainsAny(rest, `*?[\`):
		r.suffix = rest
	}
	return r, true
}

// trimUnescaped takes away the spaces at the end, but for one after a backslash.
func trimUnescaped(line string) string {
	end := len(line)
	for end > 0 && line[end-1] == ' ' {
		end--
	}
	slashes := 0
	for slashes < end && line[end-1-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 1 && end < len(line) {
		end++
	}
	return line[:end]
}

// matches reports whether the rule is about a path, which is relative to the directory of the rule's file. name is
// the last name of the path.
func (r *ignoreRule) matches(path, name string, isDir bool) bool {
	switch {
	case r.dirOnly && !isDir:
		return false
	case r.literal != "":
		return name == r.literal
	case r.suffix != "":
		return strings.HasSuffix(name, r.suffix)
	case r.base:
		return matchSegment(r.segments[0], name)
	}
	return matchSegments(r.segments, path)
}

// decide returns what the file says of a path that is relative to the root of the walk: the last rule that matches
// decides. known is false if no rule does, or if ctx has ended.
func (r *ignoreRules) decide(ctx context.Context, path string, isDir bool) (ignored, known bool) {
	rel := r.below + path
	if r.below == "" && r.dir != "" {
		rel = path[len(r.dir)+1:]
	}
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	for i := len(r.rules) - 1; i >= 0; i-- {
		if i%stepsBetween == 0 && ctx.Err() != nil {
			return false, false
		}
		if r.rules[i].matches(rel, name, isDir) {
			return !r.rules[i].negated, true
		}
	}
	return false, false
}
