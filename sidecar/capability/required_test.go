package capability_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

func TestRequired(t *testing.T) {
	git := []manifest.ShellRun{{Cmd: "git"}}
	for x, want := range map[string]manifest.Requires{
		`{"bridge":{"exec":{"command":["git","status"]}}}`:                                                       {FSRead: []string{"{workspace}"}, FSWrite: []string{"{workspace}"}, Shell: git},
		`{"bridge":{"exec":{"command":["git","status"]}},"effects":"read"}`:                                      {FSRead: []string{"{workspace}"}, Shell: git},
		`{"bridge":{"exec":{"command":["git","status"]}},"requires":{}}`:                                         {Shell: git},
		`{"bridge":{"exec":{"command":["git"]}},"requires":{"shell":[{"cmd":"ls"}]}}`:                            {Shell: []manifest.ShellRun{{Cmd: "ls"}}},
		`{"bridge":{"http":{"url":"https://api.example.com/x"}},"effects":"read"}`:                               {FSRead: []string{"{workspace}"}, NetHosts: []string{"api.example.com:443"}},
		`{"bridge":{"http":{"url":"https://api.example.com/x"}},"requires":{"net":{"hosts":["*.example.com"]}}}`: {NetHosts: []string{"*.example.com"}},
	} {
		tool := tool(t, x)
		got, assumed := capability.Required(tool)
		if diff := cmp.Diff(want, got); diff != "" || assumed != (tool.Requires == nil) {
			t.Errorf("%s: assumed %v (-want +got)\n%s", x, assumed, diff)
		}
	}
}

// A tool more widens what all tools require, a tool less narrows it.
func TestUnion(t *testing.T) {
	a := tool(t, `{"bridge":{"exec":{"command":["a"]}},"requires":{"fs":{"read":["{workspace}"],"write":["/x"]},"net":{"hosts":["h"]},"capabilities":["c"]}}`)
	b := tool(t, `{"bridge":{"exec":{"command":["b"]}},"requires":{"fs":{"read":["/y","{workspace}"]},"shell":[{"cmd":"b"},{"cmd":"a"},{"cmd":"a","args":[]},{"cmd":"a","args":["x"]}]}}`)
	base := &manifest.Requires{FSRead: []string{"/base"}, Shell: []manifest.ShellRun{{Cmd: "a"}}}
	want := manifest.Requires{
		FSRead: []string{"/base", "{workspace}", "/y"}, FSWrite: []string{"/x"}, NetHosts: []string{"h"}, Capabilities: []string{"c"},
		Shell: []manifest.ShellRun{{Cmd: "a"}, {Cmd: "b"}, {Cmd: "a", Args: []manifest.ArgPattern{}}, {Cmd: "a", Args: []manifest.ArgPattern{{Text: "x"}}}},
	}
	if diff := cmp.Diff(want, capability.Union(base, []*manifest.Tool{a, b})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want = manifest.Requires{FSRead: []string{"{workspace}"}, FSWrite: []string{"/x"}, NetHosts: []string{"h"}, Capabilities: []string{"c"}, Shell: []manifest.ShellRun{{Cmd: "a"}}}
	if diff := cmp.Diff(want, capability.Union(nil, []*manifest.Tool{a})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
