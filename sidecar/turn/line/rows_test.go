package line

import (
	"slices"
	"strings"
	"testing"
)

// screenText is what rows make of a terminal's output.
func screenText(width int, chunks ...string) []string {
	var out []string
	r := newRows(width, func(row string, _ bool) { out = append(out, row) })
	for _, c := range chunks {
		r.write([]byte(c))
	}
	return append(out, r.current())
}

func TestRows(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "one\r\ntwo\r\n> ", "one|two|> "},
		{"colours and titles", "\x1b]0;title\x07\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\r\n", "red link|"},
		{"overwritten", "10%\r50%\r100%\r\n", "100%|"},
		{"erased", "Progress\r\x1b[Kdone\r\n", "done|"},
		{"backspace", "helo\b\x1b[Klo\r\n", "hello|"},
		{"insert and delete", "abXd\x1b[2D\x1b[Pc\r\n", "abc|"}, // delete takes the X
		{"insert in the middle", "ad\b\x1b[2@bc\r\n", "abcd|"},
		{"edits stay on their line of the screen", strings.Repeat("x", 12) + "\x1b[A\x1b[2D\x1b[@Y\x1b[3P\x1b[K\r\n", "Y         xx|"},
		{"cursor forward", "a\r\x1b[2Cc\r\n", "a c|"},
		{"wrapped row is one row", strings.Repeat("x", 25) + "\r\n", strings.Repeat("x", 25) + "|"},
		{"carriage return in a wrapped row", strings.Repeat("x", 12) + "\rY\r\n", "xxxxxxxxxxYx|"},
		{"bracketed paste modes", "\x1b[?2004h> \x1b[?2004l\r\n", "> |"},
		{"C1 in UTF-8", "a\u009b31mb\u009d0;t\u009c\x07c", "abc"},
		{"unfinished sequences", "a\x1b[31", "a"},
		{"sequence cut by another", "a\x1b]0;x\x1b[31mb", "ab"},
		{"broken rune", "a\xc3\x1b[0mb", "a\ufffdb"},
		{"huge numbers", "a\x1b[9999999999Cb\x1b[9999999999Zc\r\n", "a        bc|"},
		{"DCS", "\x1bP+q544e\x1b\\x", "x"},
	} {
		if got := strings.Join(screenText(10, c.in), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		var bytewise []string
		for i := range len(c.in) {
			bytewise = append(bytewise, c.in[i:i+1])
		}
		if got := strings.Join(screenText(10, bytewise...), "|"); got != c.want {
			t.Errorf("%s, byte by byte: %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzRows: however the output is cut, the text is the same and has no escape
// in it.
func FuzzRows(f *testing.F) {
	f.Add("one\r\ntwo\x1b[31m\x1b]0;t\x07é\xff\b\t", 3)
	f.Add("\x1b[9999999999Z\x1b[999999@\x1b[9A\x1b[2K\x1b[1K\x1b[J", 1)
	f.Fuzz(func(t *testing.T, s string, at int) {
		if len(s) > 1<<16 {
			return
		}
		at = min(max(at, 0), len(s))
		whole, cut := screenText(20, s), screenText(20, s[:at], s[at:])
		if !slices.Equal(whole, cut) {
			t.Errorf("cut at %d: %q and %q", at, whole, cut)
		}
		if strings.ContainsRune(strings.Join(whole, ""), 0x1b) {
			t.Errorf("an escape in %q", whole)
		}
	})
}
