package capability_test

import (
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

// BenchmarkCall is what the capability check adds to a call: its effective set, its uses
// with one path resolved, and the check.
func BenchmarkCall(b *testing.B) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	s, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{dir}})
	if err != nil {
		b.Fatal(err)
	}
	for name, x := range map[string]string{
		"declares nothing": `{"bridge":{"exec":{"command":["cat"]}}}`,
		"one path":         `{"bridge":{"exec":{"command":["cat"]}},"uses":{"fs.read":["/path"]},"requires":{"fs":{"read":["{workspace}/data"]}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			snap, _, err := manifest.Parse("", []byte(`[{"name":"acme.x","description":"d","inputSchema":{"type":"object","properties":{"path":{}}},"x-sidecar":`+x+`}]`), manifest.Options{})
			if err != nil {
				b.Fatal(err)
			}
			tool := snap.Tools()[0]
			args, err := schema.ReadArguments([]byte(`{"path":"data/a/b"}`))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				set := s.Effective(tool)
				uses, err := s.Uses(tool, set, args, []string{"cat"})
				if err == nil {
					err = s.Check(tool, set, uses)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
