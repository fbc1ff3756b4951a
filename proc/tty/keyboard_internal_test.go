package tty

import (
	"strings"
	"testing"
)

func TestKeyboardKnowsAnEmptyLine(t *testing.T) {
	cases := []struct {
		in    string
		keys  int
		empty bool
	}{
		{"", 0, true},
		{"a", 1, false},
		{"héllo", 5, false},
		{"a\r", 2, true},
		{"a\x03", 2, true},
		{"a\x15", 2, true},
		{"a\x1b", 2, false},
		{"a\x1b\x1b", 3, false},
		{"\x1b", 1, true},
		{"a\r\x1b", 3, true},
		{"a\x1b\r", 2, false}, // Alt-Enter
		{"ab\x1b[D\x15", 4, false},
		{"ab\x01\x15", 4, false},
		{"ab\x1bb\x15", 4, false},
		{"ab\x1bOD\x15\x03", 5, true},
		{"ab\x1b[D\rc\x15", 6, true},
		{"ab\x1b[97;5u\x1b[117;5u", 4, false},
		{"a\x7f", 2, false}, // there may be more to the left
		{"a\n", 2, false},   // a new line of the same message
		{"\x1b[A", 1, false},
		{"\x1bOA", 1, false},
		{"\x1bb", 1, false},  // Alt-b
		{"\x1b\r", 1, false}, // Alt-Enter
		{"\x1b[3~", 1, false},
		{"\x1b[200~a\rb\r\x1b[201~", 1, false}, // pasted Enters are text
		{"\x1b[200~a\x1b[201~\r", 2, true},
		{"a\x1b[13u", 2, true},
		{"a\x1b[27u", 2, false},
		{"\x1b[27u", 1, true},
		{"a\x1b[99;5u", 2, true},
		{"a\x1b[117;5u", 2, true},
		{"a\x1b[99;69u", 2, true}, // with caps lock
		{"a\x1b[13;2u", 2, false}, // Shift-Enter
		{"a\x1b[98u", 2, false},   // b
		{"a\x1b[27;5;99~", 2, true},
		{"a\r\x1b[13;1:3u", 2, true}, // the release of Enter
		{"a\x1b[97;1:3u", 1, false},
		{"a\x1b]11;rgb\x1bOA\x15", 3, false},          // an answer that is cut off swallows no keys
		{"a\x1b]11;rgb\x18\x03", 2, true},             // nor does one that is canceled
		{"a\x1b[\r", 2, true},                         // Alt-[ and Enter
		{"\x1b[200~a\x1b\x1b[201~\r", 2, true},        // the paste's last character is an Esc
		{"\x1b[200~a\x1b]\x1b[201~\x1b[13u", 2, true}, // and an answer in it is none
	}
	for _, c := range cases {
		for _, split := range []bool{false, true} {
			k := keyboard{inputLine: inputLine{empty: true}}
			keys := 0
			if split { // as slow terminals do
				for i := range len(c.in) {
					keys += k.feed([]byte{c.in[i]}, false)
				}
			} else {
				keys = k.feed([]byte(c.in), false)
			}
			// Split, an ESC counts before it turns out to be the start of more.
			if !split && keys != c.keys || k.empty != c.empty {
				t.Errorf("%q (split %v): %d keys, empty %v; want %d, %v", c.in, split, keys, k.empty, c.keys, c.empty)
			}
		}
	}
}

// What the terminal says by itself is no key and leaves the line as it is.
func TestKeyboardIgnoresTheTerminal(t *testing.T) {
	for _, answer := range []string{
		"\x1b[?62;22c", "\x1b[>41;354;0c", "\x1b[12;40R", "\x1b[0n", "\x1b[?2026;2$y", "\x1b[8;24;80t", "\x1b[?1u",
		"\x1b[I", "\x1b[O", "\x1b[<0;10;20M", "\x1b[<0;10;20m", "\x1b[M !!",
		"\x1b]11;rgb:0000/0000/0000\x07", "\x1b]11;rgb:0000/0000/0000\x1b\\", "\x1bP>|XTerm(390)\x1b\\", "\x1b]7501;?\x1b\\",
	} {
		for _, before := range []string{"", "a"} {
			k := keyboard{inputLine: inputLine{empty: true}}
			want := k.feed([]byte(before), false)
			empty := k.empty
			if got := want + k.feed([]byte(answer), false); got != want || k.empty != empty {
				t.Errorf("%q after %q: %d keys, empty %v", answer, before, got, k.empty)
			}
			if k.feed([]byte("b"), false) != 1 || k.empty {
				t.Errorf("%q swallows the next key", answer)
			}
		}
	}
}

// An Esc that nothing follows for a while was the key. It leaves the line as it
// is, and may be a part of the next key.
func TestKeyboardEscapeThenEnter(t *testing.T) {
	k := keyboard{inputLine: inputLine{empty: true}}
	k.feed([]byte("\x1b"), true)
	if !k.empty || !k.escaped {
		t.Errorf("%+v after Esc", k.inputLine)
	}
	if k.feed([]byte("\x1b[I"), true); !k.empty || !k.escaped {
		t.Errorf("%+v after the window had the focus", k.inputLine)
	}
	if k.feed([]byte("[A"), true); k.empty || k.escaped {
		t.Error("[A after a pause is an arrow key")
	}
	if k.feed([]byte("\x1b"), true); k.empty || !k.escaped {
		t.Error("Esc after that")
	}
	if k.feed([]byte("\r"), true) != 1 || !k.empty || k.escaped {
		t.Error("Enter after Esc is not Alt-Enter")
	}
}

func FuzzKeyboard(f *testing.F) {
	f.Add([]byte("a\x1b[200~\x1b[201~\r"))
	f.Fuzz(func(t *testing.T, b []byte) {
		k := keyboard{inputLine: inputLine{empty: true}}
		n := k.feed(b, false)
		if n < 0 || n > len(b) || len(k.scan.Params()) > 64 {
			t.Errorf("%d keys in %d bytes, %d parameters", n, len(b), len(k.scan.Params()))
		}
	})
}

func TestModesKnowTheScreen(t *testing.T) {
	cases := map[string]bool{
		"":                        false,
		"text":                    false,
		"\x1b[?1049h":             true,
		"\x1b[?25;1049h":          true,
		"\x1b[?47h":               true,
		"\x1b[?1047hx\x1b[?1047l": false,
		"\x1b[?1049hx\x1bc":       false,
		"\x1b[?1049hx\x1b(c":      true,  // a character set
		"\x1b[?10\n49h":           true,  // a newline is carried out in the middle
		"\x1b[1049h":              false, // not private
		"\x1b[?1049$p":            false, // a query
		"\x1b\x1b[?1049h":         true,
		"\x1b[31m\x1b[?1049h" + strings.Repeat("x", 9): true,
	}
	for in, want := range cases {
		var whole, split modeTracker
		whole.feed([]byte(in))
		for i := range len(in) {
			split.feed([]byte{in[i]})
		}
		if whole.alternate != want || split.alternate != want {
			t.Errorf("%q: %v, split %v; want %v", in, whole.alternate, split.alternate, want)
		}
		if got := strings.Contains(whole.reset(), leaveAlternate); got != want {
			t.Errorf("%q: the reset leaves the alternate screen: %v", in, got)
		}
	}
}
