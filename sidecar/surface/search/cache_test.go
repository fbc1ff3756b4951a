package search_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface/search"
)

// list returns a snapshot with one tool.
func list(t *testing.T, name string) *manifest.Snapshot {
	t.Helper()
	tool, err := manifest.Define(manifest.Definition{
		Name: name, Description: "Does something.", InputSchema: json.RawMessage(`{"type":"object","properties":{"latitude":{"type":"number"},"zone":true}}`),
		External: &manifest.External{Server: "s", Name: "nativeName"}, MCP: &manifest.MCP{Server: "s", Tool: "nativeName"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return manifest.Compose(tool)
}

func TestCacheBuildsOnce(t *testing.T) {
	var c search.Cache
	first := list(t, "a.first")
	got := make([]*search.Index, 4)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = c.Index(first) })
	}
	wg.Wait()
	for _, ix := range got {
		if ix != got[0] {
			t.Error("one list has two indexes")
		}
	}
	for _, query := range []string{"latitude", "nativeName", "a.first"} {
		if hits := got[0].Search(query, 1); len(hits) != 1 || hits[0].Description != "Does something." {
			t.Errorf("%q finds %v", query, hits)
		}
	}
	second := list(t, "b.second")
	if hits := c.Index(second).Search("second", 1); len(hits) != 1 || hits[0].Name != "b.second" {
		t.Errorf("the second list: %v", hits)
	}
	if c.Index(first) != got[0] {
		t.Error("the first list was built again after the second")
	}
	for i := range 20 {
		c.Index(list(t, fmt.Sprintf("c.x%c", 'a'+rune(i))))
	}
	if c.Index(first) == got[0] {
		t.Error("the cache keeps every list")
	}
}
