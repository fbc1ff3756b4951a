package turn

import "testing"

func TestCut(t *testing.T) {
	for _, c := range []struct {
		out  string
		want int
	}{
		{"", 0}, {"text", 0}, {"text\x1b", 1}, {"a\x1b[", 2}, {"a\x1b[38;5", 6}, {"a\x1b[38;5m", 0}, {"\x1b[?2004h$ ", 0},
		{"\x1b(", 2}, {"\x1b(B", 0}, {"\x1b7", 0}, {"\x1b]0;ti", 6}, {"\x1b]0;ti\x07", 0}, {"\x1b]0;ti\x1b", 1}, {"\x1b]0;ti\x1b\\", 0},
		{"\x1bPq123", 6}, {"\x1b[12\x18", 0}, {"caf\xc3", 1}, {"café", 0}, {"\xe2\x9d", 2}, {"\xe2\x9d\xaf", 0}, {"\xf0\x9f\x98", 3}, {"\x80", 0},
	} {
		if got := cut([]byte(c.out)); got != c.want {
			t.Errorf("%q: %d, want %d", c.out, got, c.want)
		}
	}
}
