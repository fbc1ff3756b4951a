package filesearch

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestIgnoreRules(t *testing.T) {
	for _, c := range []struct {
		rules    string
		ignored  string // paths, a directory with "/" at its end
		followed string
	}{
		{"foo", "foo a/foo foo/", "food a/b"},
		{"/foo", "foo", "a/foo"},
		{"foo/", "foo/ a/foo/", "foo"},
		{"a/foo", "a/foo", "b/a/foo foo"},
		{"*.log\n!keep.log", "x.log a/x.log", "keep.log a/keep.log"},
		{"**/foo", "foo a/b/foo", "food"},
		{"foo/**", "foo/a foo/b/c", "foo/ foo"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab a/x"},
		{"a**b", "ab axxb", "a/b"},
		{"x/a**b", "x/ab x/axb", "x/a/b"},
		{`\#x`, "#x", `\#x`},
		{`\!x`, "!x", "x"},
		{"# x\n\n  \n", "", "# x x"},
		{"trail  ", "trail", "trai"},
		{`trail\ `, "", "trail"},
		{"[a-c]x", "ax bx", "dx x"},
		{"[!a-c]x", "dx", "ax"},
		{"[^a]", "b", "a"},
		{"[]a]", "] a", "b"},
		{"[[:digit:]_]", "7 _", "a"},
		{"[", "", "["},
		{`a\`, "", `a a\`},
		{`\*`, "*", "x"},
		{"?", "ä x", "xy"},
		{"*/", "a/ b/c/", "a"},
		{"/*\n!/src/", "a a/ .x", "src/ src/a"},
		{"/", "", "a a/"},
		{"doc/*.txt", "doc/a.txt", "doc/x/a.txt"},
		{"\xef\xbb\xbffoo\r\nbar\r", "foo bar", ""},
		{"*a*b*c", "xaybzc abc", "ab cba"},
	} {
		r := parseIgnore([]byte(c.rules))
		check := func(paths string, want bool) {
			for p := range strings.FieldsSeq(paths) {
				path, isDir := strings.CutSuffix(p, "/")
				if got, _ := r.decide(t.Context(), path, isDir); got != want {
					t.Errorf("%q: %s is ignored: %v, want %v", c.rules, p, got, want)
				}
			}
		}
		check(c.ignored, true)
		check(c.followed, false)
	}
	if got, _ := parseIgnore([]byte(`trail\ `)).decide(t.Context(), "trail ", false); !got {
		t.Error("an escaped space is taken away")
	}
}

func TestIgnoreRulesAreBounded(t *testing.T) {
	r := parseIgnore([]byte(strings.Repeat("x\n", maxIgnoreRules+1)))
	if len(r.rules) != maxIgnoreRules || !r.cut {
		t.Errorf("%d rules, cut: %v", len(r.rules), r.cut)
	}
	if r = parseIgnore([]byte(strings.Repeat("#", maxIgnoreBytes) + "\nx\n")); len(r.rules) != 0 || !r.cut {
		t.Errorf("%d rules of what is too much, cut: %v", len(r.rules), r.cut)
	}
	// The time of a match is the product of the lengths, and not a power of them.
	if matchSegments(strings.Split(strings.Repeat("**/a*a*a*/", 200)+"b", "/"), strings.Repeat("aaaaaaaaaa/", 400)) {
		t.Error("it matches")
	}
}

// asRegexp is a rule written in another way: as a regular expression. It knows no classes.
func asRegexp(rule string) *regexp.Regexp {
	anchored := strings.Contains(rule, "/")
	rule = strings.TrimPrefix(rule, "/")
	var b strings.Builder
	if !anchored {
		b.WriteString("(?:.*/)?")
	}
	segments := strings.Split(rule, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case s == "**" && anchored && last:
			b.WriteString("[^/]+(?:/[^/]+)*")
			continue
		case s == "**" && anchored:
			b.WriteString("(?:[^/]+/)*")
			continue
		}
		for _, r := range s {
			switch r {
			case '*':
				b.WriteString("[^/]*")
			case '?':
				b.WriteString("[^/]")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		if !last {
			b.WriteString("/")
		}
	}
	return regexp.MustCompile(`(?s)\A(?:` + b.String() + `)\z`)
}

func FuzzIgnore(f *testing.F) {
	f.Add("a/**/b*", "a/x/bc")
	f.Add("**/x?", "y/xz")
	f.Add("/*a*/**", "xax/b/c")
	f.Add("[a-z]*\\ ", "a")
	f.Fuzz(func(t *testing.T, rule, path string) {
		if len(rule) > 100 || len(path) > 200 || strings.ContainsAny(rule, "\n") {
			return
		}
		rules := parseIgnore([]byte(rule))
		for _, isDir := range []bool{false, true} {
			one, known := rules.decide(t.Context(), path, isDir)
			if one && !known {
				t.Fatalf("%q ignores %q by no rule", rule, path)
			}
			// A rule and the same taken back leave everything in.
			both := parseIgnore([]byte(rule + "\n!" + rule))
			if got, _ := both.decide(t.Context(), path, isDir); got && !strings.HasPrefix(rule, "!") && !strings.HasPrefix(rule, "#") {
				t.Fatalf("%q taken back ignores %q", rule, path)
			}
		}
		plain := !strings.ContainsAny(rule, "[\\#!\r") && !strings.Contains(rule, "\xef") && strings.TrimRight(rule, " /") == rule && rule != "" && !strings.Contains(rule, "//") && path != "" && strings.Trim(path, "/") == path && !strings.Contains(path, "//")
		if !plain || !utf8.ValidString(rule) || !utf8.ValidString(path) {
			return
		}
		if got, _ := rules.decide(t.Context(), path, false); got != asRegexp(rule).MatchString(path) {
			t.Errorf("%q ignores %q: %v, the expression %s says otherwise", rule, path, got, asRegexp(rule))
		}
	})
}
