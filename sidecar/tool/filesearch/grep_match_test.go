package filesearch

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plainLines returns the numbers of the lines that match, with package regexp alone.
func plainLines(re *regexp.Regexp, text []byte) (lines []int) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSuffix(line, []byte("\n"))
		if re.Match(bytes.TrimSuffix(line, []byte("\r"))) {
			lines = append(lines, n)
		}
	}
	return lines
}

// fastLines returns the same by our own matcher, with or without its quick ways.
func fastLines(m *grepMatcher, text []byte) (lines []int) {
	m.begin(text)
	for from := 0; ; {
		l, ok := m.line(from)
		if !ok {
			return lines
		}
		lines = append(lines, bytes.Count(text[:l.begin], []byte("\n"))+1)
		from = l.next
	}
}

func never() bool { return false }

func compareLines(t *testing.T, pattern string, ignoreCase bool, text []byte) {
	t.Helper()
	p, err := compilePattern(pattern, ignoreCase, false)
	if err != nil {
		return
	}
	want := plainLines(p.first, text)
	m := newMatcher(p, false, never)
	if got := fastLines(m, text); !slices.Equal(got, want) {
		t.Errorf("%q in %q: lines %v, and regexp finds %v (needles %+v, exact %v)", pattern, text, got, want, p.needles, p.exact)
	}
	if m.dfa != nil {
		m.dfa = nil
		if got := fastLines(m, text); !slices.Equal(got, want) {
			t.Errorf("%q in %q without the automaton: lines %v, and regexp finds %v", pattern, text, got, want)
		}
	}
	whole, err := compilePattern(pattern, ignoreCase, true)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	if got := newMatcher(whole, true, never).any(text); got != whole.first.Match(text) {
		t.Errorf("%q in the whole of %q: %v", pattern, text, got)
	}
}

// The quick ways find what package regexp finds.
func TestMatcherFindsWhatRegexpFinds(t *testing.T) {
	texts := []string{
		"", "\n", "a", "a\n", "\r\n", "foo\r\nbar\r\n", "foo\rbar\r", "foo\r\r\nx\r\r", "xfoo\n\nFOO bar\nfo\no\n", "\u212aelvin \u017fea\nkelvin sea\n", "\xff\xfe foo\n\xc3\n",
		"äöü Foo\nÄÖÜ\n", strings.Repeat("lorem ipsum ", 1000) + "needle\nfoo", "foofoofoo\nbar_foo foo_bar\n foo \n", "TODO(x): é\nkelvin\nSTRASSE straße\n", "\ufffd\n\x80x\n",
		"err != nil\nif err := f(); err != nil {\n\treturn fmt.Errorf(\"%w\", err)\n}\n",
	}
	patterns := []string{
		"foo", "f", `foo$`, `^foo`, `^$`, `^`, `$`, `\bfoo\b`, `\Bfoo`, `fo+`, `(foo|bar)`, `foo|needle|err`, `[a-z]+oo`, `\w+\s*:=`, `x*`, `(?i)kelvin`, `(?i)sea`, `é`, `(?i)ä`, `\p{L}+é`,
		`.`, `^.$`, `a.c`, `foo.*bar`, `[^a]`, `\x{FFFD}`, `(?i)straße`, `needle\z`, `\Afoo`, `err\s*!=\s*nil`, `fmt\.Errorf\(`, `\r`, `foo\r`, `(a|b|c|d|e|f|g|h|i)oo`, `(fo|b)ar`, `o{2,3}`, `(?:fo){2}`, `\S+ \S+`,
		`foo\b`, `\w\b\W`, `(^foo|bar$)`, `[[:upper:]]{3}`, "K", "s",
	}
	for _, p := range patterns {
		for _, text := range texts {
			compareLines(t, p, false, []byte(text))
			compareLines(t, p, true, []byte(text))
		}
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add("foo|ba[rz]", "xfoo\r\nbar\n", false)
	f.Add(`\bK\w+$`, "\u212aelvin\nkelvin", true)
	f.Fuzz(func(t *testing.T, pattern, text string, ignoreCase bool) {
		if len(pattern) > 50 || len(text) > 2000 {
			return
		}
		compareLines(t, pattern, ignoreCase, []byte(text))
	})
}

// A pattern with very many states is matched without the automaton, with the same result.
func TestAutomatonIsBounded(t *testing.T) {
	text := make([]byte, 100_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range text {
		text[i] = "ab"[random.IntN(2)]
	}
	text = append(text, "\n"+strings.Repeat("b", 100)+"\n"...)
	p, err := compilePattern(`a[ab]{14}[cx]{2}|[ab]*a[ab]{13}[dx]|^(?:b|c){100}$`, false, false)
	if err != nil {
		t.Fatal(err)
	}
	m := newMatcher(p, false, never)
	if got := fastLines(m, text); !slices.Equal(got, []int{2}) {
		t.Errorf("lines %v, want the second", got)
	}
	if m.dfa != nil {
		t.Errorf("the automaton was kept with %d states", len(m.dfa.states))
	}
}
