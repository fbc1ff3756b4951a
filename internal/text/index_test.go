package text_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Both find what those of the standard library find, in texts of few characters: most of a pattern stands in many places.
func TestIndexIsThatOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	make := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("aaaaaaab"[r.IntN(8)])
		}
		return b.String()
	}
	found := 0
	for range 3000 {
		s := strings.Repeat(make(1+r.IntN(90)), 1+r.IntN(5)) + make(r.IntN(90))
		from := r.IntN(len(s))
		pattern := s[from : from+r.IntN(len(s)-from+1)]
		if r.IntN(3) == 0 {
			pattern += make(1 + r.IntN(3))
		}
		if got, want := text.Index(s, pattern), strings.Index(s, pattern); got != want {
			t.Fatalf("Index(%q, %q) = %d, want %d", s, pattern, got, want)
		}
		if got, want := text.LastIndex(s, pattern), strings.LastIndex(s, pattern); got != want {
			t.Fatalf("LastIndex(%q, %q) = %d, want %d", s, pattern, got, want)
		}
		if len(pattern) > 64 && strings.Contains(s, pattern) {
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d long patterns stood in their texts", found)
	}
}

// A text whose hash, as the standard library computes it, is that of as many newlines would be compared in full at each of 16 million
// places: for minutes, in which nothing can stop a call.
func TestIndexOfATextThatCollides(t *testing.T) {
	s, lines := strings.Repeat("\n", 16<<20), strings.Repeat("\n", 480<<10)
	if got := text.Index(s, lines+"3jzpadph\n"); got != -1 {
		t.Errorf("Index = %d", got)
	}
	if got := text.LastIndex(s, lines+"hpdapzj3\n"); got != -1 {
		t.Errorf("LastIndex = %d", got)
	}
}
