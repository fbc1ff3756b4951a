package jsontree_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

func TestNearest(t *testing.T) {
	words := []string{"name", "description", "inputSchema", "max-body", "of"}
	for word, want := range map[string]string{
		"nmae":                    "name", // a swap is one slip
		"Name":                    "name",
		"nam":                     "name",
		"nme2":                    "",
		"desciptoin":              "description",
		"inputschema":             "inputSchema",
		"max_body":                "max-body",
		"if":                      "of",
		"xyz":                     "",
		"":                        "",
		strings.Repeat("n", 1000): "",
	} {
		if got := jsontree.Nearest(word, words); got != want {
			t.Errorf("%q is nearest to %q, want %q", word, got, want)
		}
	}
}
