package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// A digest covers everything that a definition says, and nothing of how it is laid out
// or of its neighbours.
func TestDigest(t *testing.T) {
	const text = `[{"name":"acme.a","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"timeout":"1m","limits":{"cpu":"5s"}},"note":"n"}]`
	of := func(text string) string { return mustParse(t, text).Tools()[0].Digest }
	want := of(text)
	if !strings.HasPrefix(want, "sha256:") || len(want) != len("sha256:")+64 {
		t.Fatalf("the digest is %q", want)
	}
	for what, same := range map[string]string{
		"white space": strings.NewReplacer(",", " ,\n\t", ":", " : ").Replace(strings.ReplaceAll(text, `"acme.a"`, ` "acme.a"`)),
		"a neighbour": strings.TrimSuffix(text, "]") + `,{"name":"acme.b","description":"d","inputSchema":{"type":"object"}}]`,
	} {
		if got := of(same); got != want {
			t.Errorf("%s changes the digest: %s, %s", what, want, got)
		}
	}
	for _, change := range [][2]string{{"acme.a", "acme.b"}, {`"d"`, `"d "`}, {`"object"}`, `"object","title":"x"}`}, {"1m", "2m"}, {"5s", "6s"}, {`"n"`, `"m"`}} {
		if got := of(strings.Replace(text, change[0], change[1], 1)); got == want {
			t.Errorf("%q does not change the digest", change)
		}
	}
}

// A registered tool has a digest of its own, which each field of its definition
// changes.
func TestDigestOfRegistered(t *testing.T) {
	seen := map[string]int{}
	for i, change := range []func(*manifest.Definition){
		func(*manifest.Definition) {},
		func(d *manifest.Definition) { d.Description = "e" },
		func(d *manifest.Definition) { d.OutputSchema = d.InputSchema },
		func(d *manifest.Definition) { d.Effects = manifest.EffectsRead },
		func(d *manifest.Definition) { d.Kind = "edit" },
		func(d *manifest.Definition) { d.Timeout = 1500 },
		func(d *manifest.Definition) { d.MaxOutput = 1 },
		func(d *manifest.Definition) { d.Requires = &manifest.Requires{} },
		func(d *manifest.Definition) {
			d.Requires = &manifest.Requires{FSRead: []string{"/a"}, FSWrite: []string{"/b"}, NetHosts: []string{"c"}, Capabilities: []string{"e"},
				Shell: []manifest.ShellRun{{Cmd: "x", Args: []manifest.ArgPattern{{Text: "a"}, {Match: manifest.ArgPrefix, Text: "b"}, {Match: manifest.ArgAny}}}, {Cmd: "y"}, {Cmd: "z", Args: []manifest.ArgPattern{}}}}
		},
		func(d *manifest.Definition) { d.Uses.FSRead = []string{"/p"} },
		func(d *manifest.Definition) {
			d.Limits = manifest.Limits{Memory: 1, CPU: 1e9, Disk: 3, Processes: 4}
		},
		func(d *manifest.Definition) { d.Concurrency = 2 },
		func(d *manifest.Definition) { d.Interrupt = manifest.InterruptFinish },
		func(d *manifest.Definition) { d.Surface = manifest.SurfaceDiscoverable },
	} {
		def := manifest.Definition{Name: "acme.a", Description: "d", InputSchema: json.RawMessage(`{"type":"object","properties":{"p":{"type":"string"}}}`)}
		change(&def)
		r := manifest.NewRegistry()
		if err := r.Register(def, nothing); err != nil {
			t.Fatalf("definition %d: %v", i, err)
		}
		s, _, err := manifest.Parse("", []byte("[]"), manifest.Options{Registry: r})
		if err != nil {
			t.Fatal(err)
		}
		tool := s.Tools()[0]
		if before, ok := seen[tool.Digest]; ok || tool.Digest == "" {
			t.Errorf("definitions %d and %d have the digest %s", before, i, tool.Digest)
		}
		seen[tool.Digest] = i
		if def.Requires != nil && len(def.Requires.Shell) > 0 && (len(tool.Requires.Shell) != 3 || tool.Requires.Shell[1].Args != nil || tool.Requires.Shell[2].Args == nil) {
			t.Errorf("the commands are %+v", tool.Requires.Shell)
		}
	}
}
