package terminal

import "testing"

func TestAnswerFilter(t *testing.T) {
	for _, c := range []struct{ name, in, keys string }{
		{"text", "ls -l\r\x03", "ls -l\r\x03"},
		{"an arrow, the mouse, focus", "\x1b[A\x1b[<0;1;2M\x1b[I\x1bOP", "\x1b[A\x1b[<0;1;2M\x1b[I\x1bOP"},
		{"a key that is a number", "\x1b[97;5u", "\x1b[97;5u"},
		{"device attributes", "a\x1b[?62;22cb", "ab"},
		{"the cursor's place", "\x1b[12;40R", ""},
		{"a mode, a size, keyboard flags", "\x1b[?2026;2$y\x1b[8;24;80t\x1b[?1u", ""},
		{"a colour", "x\x1b]11;rgb:00/00/00\x1b\\y\x1b]10;?\ay", "xyy"},
		{"a version", "\x1bP>|term 1\x1b\\z", "z"},
		{"an answer that another cuts off", "\x1b]11;rgb\x1b[0ny", "y"},
		{"a sequence that another cuts off", "\x1b[1\x1b[0ny", "\x1b[1y"},
		{"a key in a sequence", "\x1b[1\ry", "\x1b[1\ry"},
		{"Esc twice", "\x1b\x1b[A", "\x1b\x1b[A"},
		{"a paste", "\x1b[200~a\nb\x1b[201~", "\x1b[200~a\nb\x1b[201~"},
	} {
		for cut := range len(c.in) {
			head, tail := c.in[:cut], c.in[cut:]
			if n := len(head); n > 0 && head[n-1] == 0x1b || n > 1 && head[n-2] == 0x1b {
				continue // an Esc, or Alt and a key
			}
			var f answerFilter
			got := string(f.next([]byte(head)))
			if got += string(f.next([]byte(tail))); got != c.keys {
				t.Errorf("%s: %q cut at %d gives %q, want %q", c.name, c.in, cut, got, c.keys)
			}
		}
	}
	for in, keys := range map[string]string{"\x1b": "\x1b", "\x1b[": "\x1b[", "\x1b]": "\x1b]", "\x1bO": "\x1bO", "\x1bx": "\x1bx"} {
		var f answerFilter
		if got := string(f.next([]byte(in))); got != keys {
			t.Errorf("%q alone is a key, got %q", in, got)
		}
	}
}
