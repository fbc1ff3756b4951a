package manifest_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/manifest"
)

func manifestSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(manifest.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("manifest.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fits reports whether the schema takes a manifest.
func fits(t *testing.T, s *jsonschema.Schema, data string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return s.Validate(doc)
}

// The schema has the bridges that there are.
func TestJSONSchemaHasEveryBridge(t *testing.T) {
	var doc struct {
		Defs map[string]struct {
			OneOf []struct{ Required []string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(manifest.JSONSchema()), &doc); err != nil {
		t.Fatal(err)
	}
	var known, there []string
	for _, one := range doc.Defs["bridge"].OneOf {
		known = append(known, one.Required...)
	}
	for _, kind := range manifest.BridgeKinds() {
		there = append(there, string(kind))
	}
	slices.Sort(known)
	slices.Sort(there)
	if !slices.Equal(known, there) {
		t.Errorf("manifest.schema.json knows the bridges %q, there are %q", known, there)
	}
}

// What Parse takes, the schema takes.
func TestJSONSchemaTakesGoodManifests(t *testing.T) {
	s := manifestSchema(t)
	good := 0
	for _, f := range append(golden.Files(t, "testdata/parse/*.json", 1), golden.Files(t, "../examples/*/tools.json", 1)...) {
		text := golden.Read(t, f)
		if _, _, err := manifest.Parse(f, []byte(text), manifest.Options{}); err != nil || !json.Valid([]byte(text)) {
			continue
		}
		good++
		if err := fits(t, s, text); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	if good < 3 {
		t.Errorf("only %d good manifests were looked at", good)
	}
}

// Everything that x-sidecar may hold is in the schema, and what is refused there, is
// refused by Parse.
func TestJSONSchemaKnowsTheKeys(t *testing.T) {
	s := manifestSchema(t)
	tool := func(x string) string {
		return `[{"name":"acme.a","description":"d","inputSchema":{"type":"object","properties":{"p":{"type":"string"}}},"x-sidecar":` + x + `}]`
	}
	for _, c := range []struct {
		x    string
		good bool
	}{
		{`{"bridge":"agent","effects":"read","kind":"think","timeout":"1h30m","maxOutput":"200KB","surface":"always","card":{}}`, true},
		{`{"bridge":{"agent":{}},"timeout":"1.5s","maxOutput":"4096","requires":{"fs":{"read":["{workspace}/**"],"write":[]},"net":{"hosts":["a","*.b.example:8443","[::1]:80","*","10.0.0.0/8:*"]},"shell":[{"cmd":"ls"},{"cmd":"/bin/ls","args":["-l",{"prefix":"-"},{"wildcard":true}]}],"capabilities":["x"]}}`, true},
		{`{"bridge":{"exec":{"command":["a","--p={p}"],"output":"json","env":["A_B"],"cwd":"."}}}`, true},
		{`{"bridge":{"prompt":"say {p}"}}`, true},
		{`{"bridge":{"mcp":{"server":"github","tool":"create_issue"}}}`, true},
		{`{"bridge":{"mcp":{"server":"github"}}}`, false},
		{`{"bridge":"exec"}`, false},
		{`{"bridge":{}}`, false},
		{`{"bridge":{"exec":{}}}`, false},
		{`{"bridge":{"exec":{"command":[]}}}`, false},
		{`{"bridge":{"exec":{"command":["a"],"env":["SIDECAR_X"]}}}`, false},
		{`{"bridge":{"exec":{"command":["a"],"env":["A=B"]}}}`, false},
		{`{"bridge":{"exec":{"command":["a"],"shell":true}}}`, false},
		{`{"bridge":{"prompt":" "}}`, false},
		{`{"bridge":{"http":{"url":"https://api.example.com/items?q={p}","method":"POST","headers":{"Authorization":"Bearer $TOKEN"},"body":"none"}}}`, true},
		{`{"uses":{"fs.read":["/p"],"fs.write":[],"net.fetch":["/p"],"shell.run":["/p"]},"limits":{"memory":"1MiB","cpu":"2m","processes":4,"disk":"1GB"},"concurrency":3,"interrupt":"finish"}`, true},
		{`{"bridge":{"http":{}}}`, false},
		{`{"bridge":{"http":{"url":"ftp://example.com/"}}}`, false},
		{`{"bridge":{"http":{"url":"https://{p}.example.com/"}}}`, false},
		{`{"bridge":{"http":{"url":"https://u@example.com/"}}}`, false},
		{`{"bridge":{"http":{"url":"https://example.com/#f"}}}`, false},
		{`{"bridge":{"http":{"url":"https://example.com","method":"get"}}}`, false},
		{`{"bridge":{"http":{"url":"https://example.com","headers":{"a b":"c"}}}}`, false},
		{`{"bridge":{"http":{"url":"https://example.com","headers":{"a":1}}}}`, false},
		{`{"uses":{"fs.exec":["/p"]}}`, false},
		{`{"uses":{"fs.read":["p"]}}`, false},
		{`{"uses":{"fs.read":["/p~2"]}}`, false},
		{`{"limits":{"memory":5}}`, false},
		{`{"limits":{"processes":"5"}}`, false},
		{`{"limits":{"files":5}}`, false},
		{`{"concurrency":0}`, false},
		{`{"concurrency":1.5}`, false},
		{`{"interrupt":"stop"}`, false},
		{`{"requires":{"shell":["ls"]}}`, false},
		{`{"requires":{"shell":[{"args":[]}]}}`, false},
		{`{"requires":{"shell":[{"cmd":"git push"}]}}`, false},
		{`{"requires":{"shell":[{"cmd":"bin/git"}]}}`, false},
		{`{"requires":{"shell":[{"cmd":"git","args":[{"wildcard":false}]}]}}`, false},
		{`{"requires":{"shell":[{"cmd":"git","args":[{"wildcard":true,"prefix":"a"}]}]}}`, false},
		{`{"requires":{"fs":{"read":["../x"]}}}`, false},
		{`{"requires":{"fs":{"read":["~/x"]}}}`, false},
		{`{"requires":{"fs":{"read":[""]}}}`, false},
		{`{"requires":{"net":{"hosts":["https://example.com"]}}}`, false},
		{`{"requires":{"net":{"hosts":["bücher.example"]}}}`, false},
		{`{"timeout":"5"}`, false},
		{`{"timeout":5}`, false},
		{`{"maxOutput":"5 apples"}`, false},
		{`{"effects":"none"}`, false},
		{`{"kind":"deploy"}`, false},
		{`{"surface":"hidden"}`, false},
		{`{"requires":{"fs":{"execute":[]}}}`, false},
		{`{"time_out":"5s"}`, false},
	} {
		_, _, err := manifest.Parse("x", []byte(tool(c.x)), manifest.Options{})
		if (err == nil) != c.good {
			t.Errorf("Parse says of %s: %v", c.x, err)
		}
		if err := fits(t, s, tool(c.x)); (err == nil) != c.good {
			t.Errorf("the schema says of %s: %v", c.x, err)
		}
	}
	for _, bad := range []string{
		`{}`, `[{}]`, `[{"name":"a","description":"d","inputSchema":{"type":"object"}}]`, `[{"name":"sv.a","description":"d","inputSchema":{"type":"object"}}]`,
		`[{"name":"a.b","description":"d","inputSchema":{"type":"string"}}]`, `[{"name":"a.b","description":"d","inputSchema":{"type":"object","minProperties":"x"}}]`,
	} {
		_, _, err := manifest.Parse("x", []byte(bad), manifest.Options{})
		var wrong *jsonschema.ValidationError
		if err == nil || !errors.As(fits(t, s, bad), &wrong) {
			t.Errorf("%s is taken: %v", bad, err)
		}
	}
}
