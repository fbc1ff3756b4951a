package policy

import (
	"embed"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

//go:embed presets
var presets embed.FS

// Presets lists the names of the policies that come with the program.
func Presets() []string { return []string{"ask", "workspace", "read-only"} }

// Preset returns the policy that comes with the program under a name. The error names those
// that there are.
func Preset(name string) (File, error) {
	data, err := presets.ReadFile("presets/" + name + ".json")
	if err == nil {
		return File{Scope: ScopePreset, Name: "preset:" + name, Data: data}, nil
	}
	hint := "the presets are " + text.Enumerate(Presets(), "and")
	if near := jsontree.Nearest(name, Presets()); near != "" {
		hint = "write preset:" + near
	}
	return File{}, fmt.Errorf("there is no preset %s; %s", quote(strings.TrimSpace(name)), hint)
}
