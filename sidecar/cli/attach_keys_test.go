package cli

import "testing"

func TestFindControl(t *testing.T) {
	for _, c := range []struct {
		keys string
		want int
	}{
		{"", -1}, {"abc", -1}, {"\x1d", 0}, {"ls\r\x1d", 3}, {"]", -1},
		{"\x1b[93;5u", 0}, {"ab\x1b[93;5u", 2}, {"\x1b[93;69u", 0}, {"\x1b[93;5:1u", 0}, {"\x1b[93:125;5u", 0}, {"\x1b[27;5;93~", 0},
		{"\x1b[93;5:3u", -1}, {"\x1b[93;1u", -1}, {"\x1b[93u", -1}, {"\x1b[93;6u", -1}, {"\x1b[27;5;94~", -1}, {"\x1b[A", -1}, {"\x1b[", -1},
		{"\x1b[1\x1b[93;5u", 3}, {"\x1b]0;x\x1d", 5}, {"\x1b[A\x1b[93;5u", 3}, {"\x1b[A\x1d", 3},
	} {
		if got := findControl([]byte(c.keys), detachKey); got != c.want {
			t.Errorf("%q: %d, want %d", c.keys, got, c.want)
		}
	}
	if got := findControl([]byte("\x1b[99;5u"), interruptKey); got != 0 {
		t.Errorf("Ctrl-C: %d", got)
	}
}
