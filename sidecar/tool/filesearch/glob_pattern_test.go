package filesearch

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzGlob: a pattern that is taken is one of doublestar's, and no directory is left out that has a file which it matches.
func FuzzGlob(f *testing.F) {
	f.Add("**/*.{go,ts}", "a/b/c.go")
	f.Add("src/{a,b/c}/[^x]?*", "src/b/c/dd")
	f.Add("a/**/b/[]x]\\*", "a/x/y/b/x*")
	f.Add("{,x}**", "a/b")
	f.Add("{b,{*}*}", "a/b")
	f.Add("?****/*****/*", "a/bgc'/J")
	f.Add("./{a,{b,c}}/**/", "a/b")
	f.Fuzz(func(t *testing.T, pattern, file string) {
		if len(pattern) > 100 || len(file) > 200 || !utf8.ValidString(file) {
			return
		}
		g, err := NewGlob(pattern)
		if err != nil {
			if !utf8.ValidString(err.Error()) {
				t.Errorf("%q: %q", pattern, err)
			}
			return
		}
		if !doublestar.ValidatePattern(g.pattern) || ways(g.pattern) > maxWays {
			t.Fatalf("%q is taken: %d ways", pattern, ways(g.pattern))
		}
		if file == "" || path.Clean("/"+file) != "/"+file || !doublestar.MatchUnvalidated(g.pattern, file) {
			return
		}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if !entersSegments(g.segments, dir) {
				t.Errorf("%q matches %q, and %q is not entered (%q)", pattern, file, dir, strings.Join(g.segments, " "))
			}
		}
	})
}
