package option

import "testing"

func TestCut(t *testing.T) {
	for _, c := range []struct {
		row      string
		from, to int
		want     string
	}{
		{"abcdef", 1, 3, "bc"}, {"abcdef", 3, 3, ""}, {"abcdef", 4, 2, ""}, {"abc", 2, 9, "c"}, {"abc", 5, 9, ""},
		{"你好吗", 2, 4, "好"}, {"", 0, 5, ""},
	} {
		if got := cut(c.row, c.from, c.to); got != c.want {
			t.Errorf("the columns %d to %d of %q are %q, want %q", c.from, c.to, c.row, got, c.want)
		}
	}
}

func TestOdd(t *testing.T) {
	for _, c := range []struct {
		values []string
		plain  string
		want   int
	}{
		{nil, "", -1}, {[]string{"a"}, "b", -1}, {[]string{"a", "a"}, "a", -1}, {[]string{"a", "b"}, "a", 1},
		{[]string{"a", "b"}, "b", 0}, {[]string{"a", "b"}, "c", -1}, {[]string{"a", "b", "b"}, "a", 0},
		{[]string{"b", "b", "a"}, "a", 2}, {[]string{"a", "b", "c"}, "a", -1}, {[]string{"a", "a", "b", "b"}, "a", -1},
	} {
		if got := odd(c.values, c.plain); got != c.want {
			t.Errorf("%q, of which %q is plain: %d, want %d", c.values, c.plain, got, c.want)
		}
	}
}
