package console

import (
	"slices"
	"testing"
)

func TestTypedLines(t *testing.T) {
	lines, stripped := TypedLines("a\r\nb\rc\n\n\td\x1b[31m\u0085\u202e\n")
	if want := []string{"a", "b", "c", "", "\td[31m"}; !slices.Equal(lines, want) || stripped != 3 {
		t.Errorf("%q, %d stripped", lines, stripped)
	}
}
