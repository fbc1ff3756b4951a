package profile_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestREADMENamesEveryField: who writes a profile finds all that can be given.
func TestREADMENamesEveryField(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fields(reflect.TypeFor[profile.Profile](), map[reflect.Type]bool{}) {
		if !strings.Contains(string(text), "`"+name+"`") && !strings.Contains(string(text), `"`+name+`"`) {
			t.Errorf("README.md does not name %s", name)
		}
	}
}

// fields are the names that an object of a type can have, and those within it.
func fields(t reflect.Type, seen map[reflect.Type]bool) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("json"); name != "" {
			names = append(append(names, name), fields(f.Type, seen)...)
		}
	}
	return names
}
