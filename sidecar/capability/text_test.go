package capability_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// named is a tool whose argument "list" names files, one a line.
func named(t *testing.T) *manifest.Tool {
	t.Helper()
	one, err := manifest.Define(manifest.Definition{
		Name: "core.x", Description: "d", Core: true, Effects: manifest.EffectsWrite, Kind: "edit",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"list":{"type":"string"}}}`),
		Requires:    &manifest.Requires{FSRead: []string{"{workspace}"}, FSWrite: []string{"{workspace}"}},
		Uses: manifest.Uses{Text: &manifest.UsesText{Pointer: "/list", Paths: func(text string) ([]string, error) {
			if text == "" {
				return nil, errors.New("is empty")
			}
			return strings.Split(text, "\n"), nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// Each file that a text names is written and read by the call, and nothing else is; by its name it is the path that was judged.
func TestATextNamesFiles(t *testing.T) {
	s, one := plainScope(t), named(t)
	const args = `{"list":"a\n/ws/b/../c"}`
	got, err := uses(t, s, one, args)
	use := func(c policy.Capability, path, written string) policy.Use {
		return policy.Use{Capability: c, Pointer: "/list", Value: path, Written: written}
	}
	want := []policy.Use{use(policy.FSWrite, "/ws/a", ""), use(policy.FSWrite, "/ws/c", ""), use(policy.FSRead, "/ws/a", ""), use(policy.FSRead, "/ws/c", "")}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v (-want +got)\n%s", err, diff)
	}
	read, err := schema.ReadArguments([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"a": "/ws/a", "/ws/b/../c": "/ws/c"}, capability.Named(one, read, got)); diff != "" {
		t.Error(diff)
	}
	for args, want := range map[string]string{
		`{"list":""}`:             "is empty",
		`{"list":"a\n~/b"}`:       `names "~/b", which begins with ~, which some programs expand: write an absolute path, or ./~`,
		`{"list":"a\nfile:///b"}`: `names "file:///b", which is a URL and not a path`,
	} {
		if _, err := uses(t, s, one, args); err == nil || !strings.Contains(err.Error(), "/list "+want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
	if all := s.Declared(one, s.Effective(one)); len(all) > 0 {
		t.Errorf("every call uses %+v, and only a call says which", all)
	}
}
