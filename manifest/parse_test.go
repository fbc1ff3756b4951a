package manifest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// TestParse holds every file of testdata/parse to what its golden file says:
// the faults and warnings line by line, or the document that is served.
func TestParse(t *testing.T) {
	opts := manifest.Options{Reserved: []string{"github", "acme.internal.*"}}
	golden.Each(t, "testdata/parse/*.json", 1, func(t *testing.T, file string) {
		golden.Same(t, golden.Beside(file, ".golden"), verdict(t, []byte(golden.Read(t, file)), opts))
	})
}

// verdict is everything that Parse says about a manifest.
func verdict(t *testing.T, data []byte, opts manifest.Options) string {
	t.Helper()
	var b strings.Builder
	s, warnings, err := manifest.Parse("tools.json", data, opts)
	for _, w := range warnings {
		b.WriteString("warning: " + w.String() + "\n")
	}
	if err == nil {
		return b.String() + string(s.Document()) + "\n"
	}
	if s != nil {
		t.Error("a bad manifest has a snapshot")
	}
	var faults jsontree.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("the error is %T, not Faults", err)
	}
	return b.String() + err.Error() + "\n"
}

// The platform's namespaces are reserved, and those of connectors, as they are at that moment.
func TestParseReserved(t *testing.T) {
	var connectors []string
	opts := manifest.Options{Reserved: []string{"acme"}, Connectors: func() []string { return connectors }}
	refused := func(name string) bool {
		_, _, err := manifest.Parse("tools.json", []byte(`[{"name":"`+name+`","description":"d","inputSchema":{"type":"object"}}]`), opts)
		return err != nil
	}
	if !refused("sv.a") || !refused("core.a") || !refused("acme.a") || refused("slack.a") {
		t.Error("what is reserved is not refused, or more is")
	}
	if connectors = []string{"slack"}; !refused("slack.a") || !refused("acme.a") || refused("slacks.a") {
		t.Error("a connector's namespace is not reserved")
	}
}

// What is too large is refused with a word, not read for minutes.
func TestParseLimits(t *testing.T) {
	schema := func(n int) string {
		return `[{"name":"acme.x","description":"d","inputSchema":{"type":"object","description":"` + strings.Repeat("x", n) + `"}}]`
	}
	twice := `[{"a":1` + strings.Repeat(`,"a":1`, 5000) + `}]`
	for want, src := range map[string]string{
		"larger than 256 KiB":  schema(256 << 10),
		"larger than 64 MiB":   strings.Repeat(" ", 64<<20) + "[]",
		"too many faults":      twice,
		"nested deeper":        strings.Repeat("[", 1<<20),
		"the end":              "[" + strings.Repeat("{},", 100)[:299] + "] x",
		"document ends too ea": `[{"name": "acme.x",`,
	} {
		_, _, err := manifest.Parse("tools.json", []byte(src), manifest.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %.300v", want, err)
		}
	}
	if _, _, err := manifest.Parse("tools.json", []byte(schema(100<<10)), manifest.Options{}); err != nil {
		t.Error(err)
	}
}

// A schema is its own world: no file is read for it, wherever the reference
// hides, and none that it would find.
func TestParseFetchesNothing(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(`{}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{
		`{"type":"object","$ref":"file://%s"}`,
		`{"type":"object","$id":"file:///x/y.json","$ref":"%s"}`,
		`{"type":"object","$ref":"#/x-defs/a","x-defs":{"a":{"$ref":"file://%s"}}}`,
		`{"type":"object","$schema":"file://%s"}`,
		`{"type":"object","$defs":{"a":{"$id":"urn:a","$schema":"file://%s"}}}`,
	} {
		src := `[{"name":"acme.x","description":"d","inputSchema":` + strings.ReplaceAll(schema, "%s", other) + `}]`
		if _, _, err := manifest.Parse("tools.json", []byte(src), manifest.Options{}); err == nil {
			t.Errorf("%s was taken", schema)
		}
	}
}
