package manifest_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// What a sidecar writes of its tools' requirements, their own programs among them, can be read.
func TestRequiresAsJSON(t *testing.T) {
	for want, r := range map[string]manifest.Requires{
		`{}`: {},
		`{"fs":{"read":["{workspace}"],"write":["/srv/**"]},"net":{"hosts":["*.example.com"]},"capabilities":["gpu"]}`: {
			FSRead: []string{"{workspace}"}, FSWrite: []string{"/srv/**"}, NetHosts: []string{"*.example.com"}, Capabilities: []string{"gpu"},
		},
		`{"shell":[{"cmd":"./tools/greet"},{"cmd":"git","args":[]},{"cmd":"git","args":["push",{"prefix":"--x="},{"prefix":""},{"wildcard":true}]}]}`: {
			Shell: []manifest.ShellRun{
				{Cmd: "./tools/greet"},
				{Cmd: "git", Args: []manifest.ArgPattern{}},
				{Cmd: "git", Args: []manifest.ArgPattern{
					{Text: "push"}, {Match: manifest.ArgPrefix, Text: "--x="}, {Match: manifest.ArgPrefix}, {Match: manifest.ArgAny},
				}},
			},
		},
	} {
		if got, err := json.Marshal(r); err != nil || string(got) != want {
			t.Errorf("%+v is written as %s, %v; want %s", r, got, err, want)
		}
		var got manifest.Requires
		if err := json.Unmarshal([]byte(want), &got); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if diff := cmp.Diff(r, got); diff != "" {
			t.Errorf("%s: -written +read\n%s", want, diff)
		}
	}
	for _, bad := range []string{`{"shell":[{"cmd":"git","args":[{}]}]}`, `{"shell":[{"cmd":"git","args":[null]}]}`, `{"fs":[]}`} {
		if err := json.Unmarshal([]byte(bad), new(manifest.Requires)); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}
