package output

import (
	"math/rand/v2"
	"testing"
)

// TestMemoryOfAMachine feeds a machine what makes ever new states: it starts afresh before
// there are too many, and finds what it found before.
func TestMemoryOfAMachine(t *testing.T) {
	r, err := NewRedactor(Rules{Patterns: []string{`a[ab]{20}c[ab]{20}c`, `[ab]{1,200}c`}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	text := make([]byte, 2*mostStates)
	for i := range text {
		text[i] = "ab"[random.IntN(2)]
	}
	s := r.Stream()
	s.Next(text[:1])
	first, forgot := s.m.root, false
	for rest := text[1:]; len(rest) > 0; rest = rest[64:] {
		rest = rest[:len(rest)/64*64]
		if len(rest) == 0 {
			break
		}
		s.Next(rest[:64])
		if len(s.m.states) > mostStates || s.m.members > mostMembers+len(r.a.all) {
			t.Fatalf("%d states of %d members", len(s.m.states), s.m.members)
		}
		forgot = forgot || s.m.root != first
		if len(s.text) > LongestMatch {
			t.Fatalf("%d bytes are held back", len(s.text))
		}
	}
	if !forgot {
		t.Error("the text was not enough to make it forget")
	}
	if got := string(s.Next([]byte("xbabac."))); got[len(got)-len("x[redacted]."):] != "x[redacted]." {
		t.Errorf("after that: %q", got[max(0, len(got)-40):])
	}
}
