package client_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// listed returns the list of a server with these definitions.
func listed(t *testing.T, s client.Server, tools ...string) *client.List {
	t.Helper()
	s.Slug, s.Dial = "x", program(t, func(r *raw) {
		r.hello("2025-06-18")
		r.list(tools...)
		r.next()
	})
	r := newRig(t, client.Options{Reserved: []string{"core", "x.mine"}}, s)
	if err := r.Refresh(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	return r.Tools()[0]
}

func names(l *client.List) string {
	var s []string
	for _, t := range l.Tools {
		s = append(s, t.Name)
	}
	return strings.Join(s, " ")
}

func TestFaultsAreAToolsOwn(t *testing.T) {
	for _, c := range []struct{ tool, problem string }{
		{`{"name":"a","inputSchema":{"type":"nonsense"}}`, "the type of the schema"},
		{`{"name":"a","inputSchema":[]}`, "inputSchema"},
		{`{"name":"a"}`, `it has no "inputSchema"`},
		{`{"name":"a","inputSchema":null}`, `it has no "inputSchema"`},
		{`{"name":"a","inputSchema":true}`, "inputSchema"},
		{`{"name":"a","inputSchema":{"type":"object"},"outputSchema":7}`, "outputSchema"},
		{`{"name":"a","inputSchema":{"type":"object"},"description":7}`, "description"},
		{`{"name":7,"inputSchema":{"type":"object"}}`, `it has no "name"`},
		{`{"inputSchema":{"type":"object"}}`, `it has no "name"`},
		{`null`, "no object"},
		{`"text"`, "no object"},
		{tool(strings.Repeat("a", 127)), "128"},
		{tool(strings.Repeat("a", 1000)), "1000 bytes"},
		{tool("???"), "no letter"},
		{tool("mine"), "reserved namespace"},
		{`{"name":"a","inputSchema":{"type":"object"},"description":"` + strings.Repeat("x", 300<<10) + `"}`, "256KiB"},
	} {
		l := listed(t, client.Server{}, tool("first"), c.tool, tool("last"))
		if names(l) != "x.first x.last" {
			t.Errorf("%.60s: got %q", c.tool, names(l))
		}
		if len(l.Problems) != 1 || !strings.Contains(strings.ReplaceAll(l.Problems[0].Error(), " KiB", "KiB"), c.problem) || len(l.Problems[0].Error()) > 1000 {
			t.Errorf("%.60s: got %.300q, want %q", c.tool, l.Problems, c.problem)
		}
	}
}

func TestToolsThatCollideAreLost(t *testing.T) {
	l := listed(t, client.Server{}, tool("get-sum"), tool("kept"), tool("getSum"), tool("twice"), tool("twice"))
	if names(l) != "x.kept" || len(l.Problems) != 4 {
		t.Fatalf("got %q and %q", names(l), l.Problems)
	}
	if p := l.Problems[0].Error(); !strings.Contains(p, "x.get_sum") || !strings.Contains(p, `"get-sum"`) || !strings.Contains(p, `"getSum"`) {
		t.Errorf("got %q", p)
	}
	if p := l.Problems[3].Error(); !strings.Contains(p, "lists it 2 times") {
		t.Errorf("got %q", p)
	}
}

func TestReservedNamespaces(t *testing.T) {
	for _, slug := range []string{"core", "sv"} {
		r := newRig(t, client.Options{Reserved: []string{"core"}}, client.Server{Slug: slug, Dial: sdk(t, echo)})
		if err := r.Refresh(await.Context(t)); err != nil {
			t.Fatal(err)
		}
		if l := r.Tools()[0]; len(l.Tools) != 0 || len(l.Problems) != 1 || !strings.Contains(l.Problems[0].Error(), "reserved namespace") {
			t.Errorf("%s: got %q and %q", slug, names(l), l.Problems)
		}
	}
}

func TestDefinitions(t *testing.T) {
	const def = `{"name":"getIt","title":"T","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"n":{"maximum":12345678901234567890}}},"outputSchema":{"type":"object"},"_meta":{"at":%d}}`
	first := listed(t, client.Server{Surface: "discoverable", Concurrency: 2, Requires: &manifest.Requires{}}, fmt.Sprintf(def, 1)).Tools[0]
	if first.Effects != manifest.EffectsWrite || first.Surface != "discoverable" || first.Concurrency != 2 || first.Requires == nil || first.Description != "T" || first.OutputSchema == nil {
		t.Errorf("got %+v", first)
	}
	if !strings.Contains(string(first.InputSchema), "12345678901234567890") {
		t.Errorf("the schema has lost a number: %s", first.InputSchema)
	}
	if x := *first.External; x.Server != "x" || x.Name != "getIt" || x.Version != "3" || !strings.HasPrefix(x.Hash, "sha256:") || *first.Bridge.MCP != (manifest.MCP{Server: "x", Tool: "getIt"}) {
		t.Errorf("got %+v, %+v", x, first.Bridge)
	}
	trusted := listed(t, client.Server{TrustAnnotations: true}, ` {"inputSchema":{"properties":{"n":{"maximum":12345678901234567890}},"type":"object"}, "outputSchema":{"type":"object"},"title":"T","annotations":{"readOnlyHint":true},"name":"getIt"}`).Tools[0]
	if trusted.Effects != manifest.EffectsRead {
		t.Error("a trusted annotation does not count")
	}
	if trusted.External.Hash != first.External.Hash {
		t.Error("the hash depends on the order of keys, or on _meta")
	}
	if other := listed(t, client.Server{}, fmt.Sprintf(strings.Replace(def, "7890", "7891", 1), 1)).Tools[0]; other.External.Hash == first.External.Hash {
		t.Error("another definition has the same hash")
	}
}

func TestVerify(t *testing.T) {
	bad := errors.New("it is not the one of the lock file")
	l := listed(t, client.Server{Verify: func(native, hash string) error {
		switch native {
		case "changed":
			return bad
		case "new":
			return fmt.Errorf("it is not in the lock file: %w", client.ErrUnverified)
		}
		return nil
	}}, tool("good"), tool("changed"), tool("new"))
	if names(l) != "x.good x.new" || len(l.Problems) != 1 || !errors.Is(l.Problems[0], bad) || len(l.Warnings) != 1 || !errors.Is(l.Warnings[0], client.ErrUnverified) {
		t.Errorf("got %q, %q, %q", names(l), l.Problems, l.Warnings)
	}
}
