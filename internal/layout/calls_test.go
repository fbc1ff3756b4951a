package layout

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// TestHelpListsEveryShape holds the table of the tools' page to the shapes of secrets
// that are known: `go test -run EveryShape ./internal/layout -update` writes it.
func TestHelpListsEveryShape(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| shape | finds |\n|---|---|\n")
	for _, s := range output.Shapes() {
		fmt.Fprintf(&b, "| %s | %s |\n", s.Name, s.Means)
	}
	keep(t, "sidecar/cli/help/tools.md", "shapes: kept by TestHelpListsEveryShape", b.String()+"\n")
}

// TestEveryLayerHasItsFile holds the architecture page to the layers of a tool: nine, each
// in a file of its own that is there.
func TestEveryLayerHasItsFile(t *testing.T) {
	_, table, _ := strings.Cut(golden.Read(t, "sidecar/README.md"), "<!-- layers: kept by TestEveryLayerHasItsFile -->")
	table, _, ok := strings.Cut(table, "<!-- /layers -->")
	if !ok {
		t.Fatal("the table of the layers has lost its marks")
	}
	used := map[string]string{}
	for _, row := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cells := strings.Split(row, "|")
		layer := strings.TrimSpace(cells[1])
		files := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[3], -1)
		if len(files) == 0 {
			t.Errorf("the layer %s has no file", layer)
		}
		for _, f := range files {
			if _, err := os.Stat(f[1]); err != nil || used[f[1]] != "" {
				t.Errorf("%s of the layer %s: %v, and it is the file of %q", f[1], layer, err, used[f[1]])
			}
			used[f[1]] = layer
		}
	}
	layers := map[string]bool{}
	for _, layer := range used {
		layers[layer] = true
	}
	for _, layer := range []string{"declaration", "interface", "surface", "invocation", "permission decision", "scheduling", "execution", "result", "persistence and rendering"} {
		if !layers[layer] {
			t.Errorf("there is no layer %q", layer)
		}
	}
	if len(layers) != 9 {
		t.Errorf("there are %d layers", len(layers))
	}
}
