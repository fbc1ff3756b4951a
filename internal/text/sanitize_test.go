package text_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// tags hides a word in tag characters.
func tags(word string) string {
	return strings.Map(func(r rune) rune { return r + 0xe0000 }, word)
}

func TestSanitizers(t *testing.T) {
	for _, c := range []struct{ in, shown, line, name string }{
		{"plain text, ünïcode 界 👩\u200d👧", "plain text, ünïcode 界 👩\u200d👧", "plain text, ünïcode 界 👩\u200d👧", "plain text, ünïcode 界 👩\u200d👧"},
		{"a\x1b]52;c;aGk=\x07b", `a\x1b]52;c;aGk=\x07b`, "a]52;c;aGk=b", "a_]52;c;aGk=_b"},
		{"a\u009b5ib", `a\x9b5ib`, "a5ib", "a_5ib"},
		{"yes\u202eon\u202c", `yes\u202eon\u202c`, "yeson", "yes_on_"},
		{"\u2066x\u2069\u200f\u061c", `\u2066x\u2069\u200f\u061c`, "x", "_x___"},
		{"ok" + tags("rm"), `ok\U000e0072\U000e006d`, "ok", "ok__"},
		{"x\U000e0100\U000e01ef", `x\U000e0100\U000e01ef`, "x", "x__"},
		{"z\u200bw\ufeff\u2060", `z\u200bw\ufeff\u2060`, "zw", "z_w__"},
		{"a\u2028b", `a\u2028b`, "ab", "a_b"},
		{"می\u200cخواهم", "می\u200cخواهم", "می\u200cخواهم", "می\u200cخواهم"},
		{"two\nlines\t.", "two\\x0alines\t.", "two lines .", "two_lines_."},
		{"bad \xff", "bad \ufffd", "bad \ufffd", "bad _"},
		{"bad \xff\xfe\x1b", `bad ` + "\ufffd" + `\x1b`, "bad \ufffd", "bad ___"},
	} {
		if got := text.Show(c.in); got != c.shown {
			t.Errorf("Show(%q) = %q, want %q", c.in, got, c.shown)
		}
		if got := text.Line(c.in, 0); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.line)
		}
		if got := text.Name(c.in); got != c.name {
			t.Errorf("Name(%q) = %q, want %q", c.in, got, c.name)
		}
	}
	if got := text.Strip("a\r\nb\tc\x1b[31m\u202e"); got != "a\nb\tc[31m" {
		t.Errorf("Strip: %q", got)
	}
	if got := text.ShowLines("a\r\nb\rc"); got != "a\nb\\x0dc" {
		t.Errorf("ShowLines: %q", got)
	}
	if got := text.Line("界界", 4); got != "界" {
		t.Errorf("cut to %q", got)
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct {
		in             string
		visible, ascii bool
	}{
		{"", true, true}, {"token-1_~!", true, true}, {"two words", true, false}, {"ünïcode 界", true, false},
		{"a\u00a0b", false, false}, {"می\u200cخواهم", false, false}, {"a\u202eb", false, false}, {"a\tb", false, false},
		{"a\x7f", false, false}, {"bad \xff", false, false}, {"\ufffd", false, false},
	} {
		if got := text.Visible(c.in); got != c.visible {
			t.Errorf("Visible(%q) = %t", c.in, got)
		}
		if got := text.VisibleASCII(c.in); got != c.ascii {
			t.Errorf("VisibleASCII(%q) = %t", c.in, got)
		}
	}
}

func ExampleShow() {
	fmt.Println(text.Show("\x1b[31mred\u202e"))
	// Output: \x1b[31mred\u202e
}

// FuzzSanitizers: whatever comes in, nothing unsafe comes out, and nothing is
// changed twice.
func FuzzSanitizers(f *testing.F) {
	f.Add("a\x1b[2Jb\u202ec\U000e0041\xff\n")
	f.Fuzz(func(t *testing.T, s string) {
		for name, of := range map[string]func(string) string{
			"Show": text.Show, "ShowLines": text.ShowLines, "Strip": text.Strip, "Name": text.Name,
			"Line": func(s string) string { return text.Line(s, 100) },
		} {
			got := of(s)
			for _, r := range got {
				if !text.Safe(r) && r != utf8.RuneError && !strings.ContainsRune("\t\n", r) {
					t.Errorf("%s(%q) has %U", name, s, r)
				}
			}
			if again := of(got); again != got && !strings.Contains(got, "\ufffd") {
				t.Errorf("%s(%q) = %q, then %q", name, s, got, again)
			}
		}
	})
}
