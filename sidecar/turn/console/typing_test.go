package console

import (
	"testing"
)

func TestTypedText(t *testing.T) {
	typed, stripped := TypedText("a\r\nb\rc\n\n\td\x1b[31m\u0085\u202e\n")
	if want := "a\nb\nc\n\n\td[31m"; typed != want || stripped != 3 {
		t.Errorf("%q, %d stripped", typed, stripped)
	}
}
