package below_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/below"
)

func TestRest(t *testing.T) {
	for _, c := range []struct {
		path, dir, rest string
		ok              bool
	}{
		{"/a/b/c", "/a", "b/c", true},
		{"/a", "/a", "", true},
		{"/a/b", "/a/", "b", true},
		{"/a", "/", "a", true},
		{"/", "/", "", true},
		{"/ab", "/a", "", false},
		{"/a", "/a/b", "", false},
		{"/", "/a", "", false},
		{"/a", "", "", false},
		{"", "", "", false},
		{"/A/b", "/a", "", false},
	} {
		rest, ok := below.Rest(c.path, c.dir)
		if rest != c.rest || ok != c.ok {
			t.Errorf("Rest(%q, %q) = %q, %t; want %q, %t", c.path, c.dir, rest, ok, c.rest, c.ok)
		}
		if below.Is(c.path, c.dir) != c.ok {
			t.Errorf("Is(%q, %q) = %t", c.path, c.dir, !c.ok)
		}
	}
}
