package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in                             string
		n                              int
		cut, tail, shortened, inQuotes string
	}{
		{"", 3, "", "", "", `""`},
		{"plain", 5, "plain", "plain", "plain", `"plain"`},
		{"plain", 3, "pla", "ain", "pla…", `"pla"…`},
		{"plain", 0, "", "", "…", `""…`},
		{"a界b", 2, "a", "b", "a…", `"a"…`},
		{"a界b", 4, "a界", "界b", "a界…", `"a界"…`},
		{"界", 2, "", "", "…", `""…`},
		{"👩👧", 7, "👩", "👧", "👩…", `"👩"…`},
		{"\x1b\u202ex", 4, "\x1b\u202e", "\u202ex", "\x1b\u202e…", `"\x1b\u202e"…`},
		{"\x80\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80", "\x80\x80\x80\x80", "\x80\x80\x80\x80…", `"\x80\x80\x80\x80"…`},
	} {
		if got := text.Cut(c.in, c.n); got != c.cut {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.n, got, c.cut)
		}
		if got := string(text.Cut([]byte(c.in), c.n)); got != c.cut {
			t.Errorf("Cut of bytes(%q, %d) = %q, want %q", c.in, c.n, got, c.cut)
		}
		if got := text.Tail(c.in, c.n); got != c.tail {
			t.Errorf("Tail(%q, %d) = %q, want %q", c.in, c.n, got, c.tail)
		}
		if got := text.Shorten(c.in, c.n); got != c.shortened {
			t.Errorf("Shorten(%q, %d) = %q, want %q", c.in, c.n, got, c.shortened)
		}
		if got := text.Quote(c.in, c.n); got != c.inQuotes {
			t.Errorf("Quote(%q, %d) = %s, want %s", c.in, c.n, got, c.inQuotes)
		}
	}
}

func TestUnfinished(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "a": 0, "界": 0, "a\xe7": 1, "a\xe7\x95": 2, "\xf0\x9f\x91": 3, "\xf0\x9f\x91\xa9": 0,
		"\x80": 0, "a\xff": 0, "\xe7a": 0,
	} {
		if got := text.Unfinished([]byte(in)); got != want {
			t.Errorf("Unfinished(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestSniff(t *testing.T) {
	for in, want := range map[string]struct{ is, begins bool }{
		"": {true, true}, "text, 界": {true, true}, "\x1b[31m": {true, true}, "half \xe7\x95": {false, true},
		"nul \x00": {false, false}, "\xff\xfe": {false, false}, "\xe7a": {false, false}, "\x89PNG": {false, false},
	} {
		if got := text.IsText([]byte(in)); got != want.is {
			t.Errorf("IsText(%q) = %t", in, got)
		}
		if got := text.BeginsText([]byte(in)); got != want.begins {
			t.Errorf("BeginsText(%q) = %t", in, got)
		}
	}
}

// FuzzCut: what is cut from a text is text, as much of it as fits, and nothing is
// lost between a head and the rest.
func FuzzCut(f *testing.F) {
	f.Add("a界👩", 4)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(0, n%(len(s)+2))
		head, tail := text.Cut(s, n), text.Tail(s, n)
		if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) || len(head) > n || len(tail) > n {
			t.Fatalf("%q at %d: %q, %q", s, n, head, tail)
		}
		if len(s) > n && (len(head) <= n-utf8.UTFMax || len(tail) <= n-utf8.UTFMax) {
			t.Errorf("%q at %d: too little is left: %q, %q", s, n, head, tail)
		}
		if utf8.ValidString(s) && (!utf8.ValidString(head) || !utf8.ValidString(tail)) {
			t.Errorf("%q at %d: a character is cut: %q, %q", s, n, head, tail)
		}
		whole := []byte(s)[:len(s)-text.Unfinished([]byte(s))]
		if text.IsText(whole) != text.BeginsText([]byte(s)) {
			t.Errorf("%q: is its beginning text?", s)
		}
	})
}
