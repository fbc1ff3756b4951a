package layout

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
)

// order lists our packages so that each imports only what stands before it. A new
// package takes the first place that its imports allow. A place that ends in * is
// for all packages of that folder that have none of their own: the agents', which do
// not know each other, but for claude's formats, which others have taken over.
var order = []string{
	"internal/golden", "internal/await", "internal/layout", "internal/escape", "internal/text", "internal/below", "internal/rmtree", "internal/follow", "internal/linefile", "internal/netguard", "sidecar/unseen/strangers",
	"manifest/jsontree", "manifest/schema", "manifest",
	"proc/procfs", "proc/waits", "proc/peer", "proc/peer/peertest", "proc/reaper", "proc/sandbox", "proc/tree", "proc", "proc/tty", "proc/proctest", "proc/term", "sidecar/agent/option", "sidecar/agent/profile", "sidecar/agent/state", "sidecar/agent/transcript", "sidecar/agent/learn", "sidecar/agent/replay",
	"sidecar/skill",
	"a2a", "a2a/a2atest", "a2a/codec", "a2a/server", "a2a/client", "a2a/push",
	"sidecar/tool/page", "sidecar/tool/filesearch", "sidecar/tool/patch", "sidecar/tool", "sidecar/tool/web", "sidecar/mcp/lockfile", "sidecar/auth", "sidecar/config", "sidecar/gate", "sidecar/logs", "sidecar/output", "sidecar/egress", "sidecar/policy/shell", "sidecar/policy/match", "sidecar/policy", "sidecar/policy/policyfile", "sidecar/capability", "sidecar/confine", "sidecar/tool/files", "sidecar/changes", "sidecar/mcp/client", "sidecar/mcp/serverfile", "sidecar/mcp/mcptest", "sidecar/approval", "sidecar/watchdog", "sidecar/audit", "sidecar/relocate", "sidecar/channel",
	"sidecar/agent/peer", "sidecar/agent/rpc", "sidecar/agent/spec", "sidecar/agent/claude", "sidecar/agent/*", "sidecar/agent",
	"sidecar/task", "sidecar/job", "sidecar/mcp/dial", "sidecar/task/disk", "sidecar/push", "sidecar/metrics",
	"sidecar/turn/driver", "sidecar/turn/console", "sidecar/turn/channel", "sidecar/turn/tui", "sidecar/turn/line", "sidecar/turn/autodetect", "sidecar/turn/lines", "sidecar/turn/oneshot", "sidecar/turn/mcp", "sidecar/turn/acp", "sidecar/turn/stream",
	"sidecar/turn", "sidecar/terminal", "sidecar/delegation", "sidecar/subagent", "sidecar/call/schedule", "sidecar/call", "sidecar/surface/search", "sidecar/surface", "sidecar/mcp/platform", "sidecar/mcp/face",
	"sidecar", "sidecar/agents", "sidecar/unseen", "sidecar/cli",
	"",
}

// banned packages are linked nowhere: they switch off dead-code elimination
// or start processes behind proc's back.
var banned = []string{"html/template", "os/exec", "plugin"}

type goPackage struct {
	ImportPath string
	Imports    []string
	Doc        string
}

// name is the package's path in the module, "" for main.
func (p *goPackage) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// ours are the packages of the module that it imports.
func (p *goPackage) ours() (names []string) {
	for _, path := range p.Imports {
		if name, ok := strings.CutPrefix(path, module+"/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// place is where a package stands in the order, -1 for nowhere.
func place(name string) int {
	if at := slices.Index(order, name); at >= 0 {
		return at
	}
	return slices.Index(order, path.Dir(name)+"/*")
}

func TestImportsGoOneWay(t *testing.T) {
	packages := ourPackages(t)
	for _, p := range packages {
		at := place(p.name())
		if at < 0 {
			t.Errorf("package %s has no place in the order: give it one", p.name())
			continue
		}
		for _, other := range p.ours() {
			if place(other) >= at {
				t.Errorf("%s must not import %s, which stands behind it", p.name(), other)
			}
		}
		for _, b := range banned {
			if slices.Contains(p.Imports, b) {
				t.Errorf("%s imports %s", p.name(), b)
			}
		}
	}
	for _, name := range order {
		if !slices.ContainsFunc(packages, func(p goPackage) bool { return order[place(p.name())] == name }) {
			t.Errorf("there is no package %s any more: take it out of the order", name)
		}
	}
}

// TestREADMEListsEveryPackage holds the table of the architecture page to the
// packages and imports that exist: `go test -run EveryPackage ./internal/layout -update` writes it.
func TestREADMEListsEveryPackage(t *testing.T) {
	keep(t, "sidecar/README.md", "packages: kept by TestREADMEListsEveryPackage", packagesTable(ourPackages(t)))
}

func packagesTable(packages []goPackage) string {
	slices.SortFunc(packages, func(a, b goPackage) int {
		return cmp.Or(place(a.name())-place(b.name()), strings.Compare(a.name(), b.name()))
	})
	var b strings.Builder
	b.WriteString("| package | what it is | imports |\n|---|---|---|\n")
	for _, p := range packages {
		name := p.name()
		if name == "" {
			name = "main"
		}
		is := strings.TrimPrefix(p.Doc, "Package ")
		_, is, _ = strings.Cut(is, " ") // its name
		imports := strings.Join(p.ours(), ", ")
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.TrimSuffix(is, "."), imports)
	}
	return b.String()
}

// keep compares what stands between a file's marks with what it should be, or
// writes it there.
func keep(t *testing.T, path, mark, want string) {
	t.Helper()
	begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark[:strings.Index(mark, ":")]+" -->"
	head, rest, _ := strings.Cut(golden.Read(t, path), begin)
	_, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has lost the marks %q and %q", path, strings.TrimSpace(begin), end)
	}
	golden.Same(t, path, head+begin+want+end+tail)
}

// ourPackages are the packages of the module, but for the examples.
func ourPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Doc", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	var all []goPackage
	for {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if name := p.name(); name != "examples" && !strings.HasPrefix(name, "examples/") {
			all = append(all, p)
		}
	}
}
