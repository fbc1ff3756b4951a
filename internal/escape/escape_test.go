package escape_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/escape"
)

// marks says what a Scanner makes of each byte: . is plain, - goes on, and a letter
// ends something.
func marks(s *escape.Scanner, in string) string {
	var b strings.Builder
	for i := range len(in) {
		b.WriteByte(".-ECSs"[s.Next(in[i])])
	}
	return b.String()
}

func TestScanner(t *testing.T) {
	for _, c := range []struct{ in, output, keys string }{
		{"a\r\x7f\xe2\x9c\xb3", "......", "......"},
		{"\x1b[31mx", "----C.", "----C."},
		{"\x1b[?1049h", "-------C", "-------C"},
		{"\x1b[Ax", "--C.", "--C."},
		{"\x1bcx", "-E.", "-E."},
		{"\x1b(cx", "--E.", "-E.."},
		{"\x1b(\x1b[m", "----C", "-E--C"},
		{"\x1bOAx", "-E..", "--S."},
		{"\x1b]0;\xe2\x9c\xb3 t\ax", "---------s.", "---------s."},
		{"\x1b]0;t\x1b\\\\x", "------s..", "------s.."},
		{"\x1bPq\x1b[mx", "-----C.", "-----C."},
		{"\x1b_a\x18x", "---s.", "---s."},
		{"\x1b^a\x1ax", "---s.", "---s."},
		{"\x1bXa\x1bcx", "----E.", "----E."},
		{"\x1b]a\x1b\x1b\\x", "-----E.", "-----E."},
		{"\x1b[1\n2mx", "---.-C.", "---...."},
		{"\x1b[1\x18mx", "---...", "---..."},
		{"\x1b\x1b[Ax", "---C.", "---C."},
		{"\x1b[3\x1b[Ax", "-----C.", "-----C."},
		{"\x1b\nx", "-.E", "-E."},
		{"\x1b\x18x", "-..", "-E."},
		{"\x1b\xc3\xa9", "-E.", "-E."},
	} {
		if got := marks(&escape.Scanner{}, c.in); got != c.output {
			t.Errorf("output %q is %s, want %s", c.in, got, c.output)
		}
		if got := marks(&escape.Scanner{Keys: true}, c.in); got != c.keys {
			t.Errorf("keys %q are %s, want %s", c.in, got, c.keys)
		}
	}
}

func TestParams(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[?1049;47h": "?1049;47", "\x1b[m": "", "\x1b[1;2\x1b[3 q": "3 ", "\x1b(B": "(", "\x1b[1\n2m": "12",
		"\x1b[" + strings.Repeat("1", 100) + "m": strings.Repeat("1", 64),
	} {
		var s escape.Scanner
		marks(&s, in)
		if got := string(s.Params()); got != want || s.State() != escape.Ground {
			t.Errorf("%q has the parameters %q, want %q, and stands at %d", in, got, want, s.State())
		}
	}
}

// A clone goes on by itself.
func TestClone(t *testing.T) {
	var s escape.Scanner
	marks(&s, "\x1b[1")
	c := s.Clone()
	marks(&c, "2m")
	marks(&s, "3m")
	if string(s.Params()) != "13" || string(c.Params()) != "12" {
		t.Errorf("parameters %q and %q", s.Params(), c.Params())
	}
}

func TestStrip(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"\x1b[1mbold\x1b[m\r\n": "bold\r\n",
		"\x1b]0;title ✳\atext":  "text",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\":   "link",
		"\u009b31mred\u009b0m, \u009dtitle\u009cend": "red, end",
		"bad \xff\x9b31m": "bad \ufffd\ufffd31m",
		"cut \x1b[3":      "cut ",
		"a\x1b[3\x1b[mb":  "ab",
	} {
		if got := escape.Strip(in); got != want {
			t.Errorf("Strip(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzScanner: where a stream is cut does not matter, memory is bounded, and a
// sequence that is broken ends.
func FuzzScanner(f *testing.F) {
	f.Add("a\x1b[1;2m\x1b]0;t\a\x1bO", 3, true)
	f.Fuzz(func(t *testing.T, in string, cut int, keys bool) {
		cut = min(max(cut, 0), len(in))
		whole := escape.Scanner{Keys: keys}
		want := marks(&whole, in)
		parts := escape.Scanner{Keys: keys}
		head := marks(&parts, in[:cut])
		parts = parts.Clone()
		if got := head + marks(&parts, in[cut:]); got != want {
			t.Errorf("%q cut at %d: %s, want %s", in, cut, got, want)
		}
		if len(whole.Params()) > 64 {
			t.Errorf("%d bytes are kept", len(whole.Params()))
		}
		if got := marks(&whole, "\x1b\\\x1b[mx"); !strings.HasSuffix(got, "--C.") {
			t.Errorf("after %q: %s", in, got)
		}
		if got := escape.Strip(in); strings.Contains(got, "\x1b") {
			t.Errorf("Strip(%q) = %q", in, got)
		}
	})
}

func ExampleScanner() {
	var s escape.Scanner
	for _, c := range []byte("\x1b[?1049h") {
		if s.Next(c) == escape.Control {
			fmt.Printf("%s %c\n", s.Params(), c)
		}
	}
	// Output: ?1049 h
}
