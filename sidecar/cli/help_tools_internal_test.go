package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// The table of the sidecar's own tools is that of the code: each tool with its arguments, in their order,
// and a ? after those that may be left out.
func TestHelpListsEveryOwnTool(t *testing.T) {
	page, err := pages.ReadFile("help/tools.md")
	if err != nil {
		t.Fatal(err)
	}
	help := string(page)
	for _, one := range tool.All() {
		var schema struct {
			Required   []string        `json:"required"`
			Properties json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(one.Definition.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		root, faults := jsontree.Parse(string(schema.Properties), 0)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		var arguments []string
		for i := range root.Children {
			name := "`" + root.Children[i].Key + "`"
			if !slices.Contains(schema.Required, root.Children[i].Key) {
				name += "?"
			}
			arguments = append(arguments, name)
		}
		if row := fmt.Sprintf("| `%s` | %s |\n", one.ID, strings.Join(arguments, ", ")); !strings.Contains(help, row) {
			t.Errorf("sidecar help tools has no row %s", row)
		}
	}
}
