package tty

import "testing"

func TestModesKnowWhatIsNotWhole(t *testing.T) {
	for in, want := range map[string]bool{
		"text":                  true,
		"text\x1b":              false,
		"\x1b[3":                false,
		"\x1b[31m":              true,
		"\x1b]0;a title":        false,
		"\x1b]0;a title\a":      true,
		"\x1b]0;a title\x1b":    false,
		"\x1b]0;a\x1b\\":        true,
		"\x1bPq#0\x18":          true,
		"\x1b(":                 false,
		"\x1b(B":                true,
		"\x1b([":                true,
		"日本":                    true,
		"日本"[:4]:                false,
		"日本"[:5]:                false,
		"a\xff":                 true,
		"\x1b]0;日本\x1b\\日"[:13]: false,
	} {
		var m modeTracker
		m.feed([]byte(in))
		m.feed(nil)
		if m.between() != want {
			t.Errorf("%q: %v, want %v", in, m.between(), want)
		}
	}
}
