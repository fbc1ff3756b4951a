package tool_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// The definition of every tool is a good one, and its name is the one in the catalogue.
func TestDefinitions(t *testing.T) {
	ids := tool.IDs()
	for i, one := range tool.All() {
		if one.ID != ids[i] || one.Definition.Name != tool.Prefix+one.ID {
			t.Errorf("%s is in the catalogue as %s, and defined as %s", one.ID, ids[i], one.Definition.Name)
		}
		if one.Definition.Requires == nil || one.Definition.Kind == "other" || one.Definition.Source() != "core" {
			t.Errorf("%s does not say what it requires, or of what kind it is: %+v", one.ID, one.Definition)
		}
	}
}

// A file may be as large as its system lets it, and --call-timeout sets no limit by itself.
func TestToolsOfFilesHaveALimitOfTime(t *testing.T) {
	for _, one := range tool.All() {
		r := one.Definition.Requires
		files := len(r.FSRead)+len(r.FSWrite) > 0 && len(r.Shell) == 0
		if searches := one.ID == "glob" || one.ID == "grep"; files && !searches && one.Definition.Timeout != time.Minute {
			t.Errorf("%s may take %s", one.ID, one.Definition.Timeout)
		}
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct {
		names []string
		has   string // todo: yes or no
	}{
		{nil, "no"}, {[]string{tool.None}, "no"}, {[]string{tool.Core}, "yes"}, {[]string{"todo"}, "yes"},
		{[]string{"core.todo", tool.None}, "yes"}, {[]string{"todos"}, `"todos" is no tool of the sidecar's; write core, none, or some of `},
	} {
		s, err := tool.NewSet(c.names)
		got := "no"
		switch {
		case err != nil:
			got, _, _ = strings.Cut(err.Error(), "some of ")
			got += "some of "
		case s.Has("todo") && s.Lookup("core.todo") != nil && len(s.Snapshot().Tools()) > 0:
			got = "yes"
		}
		if got != c.has {
			t.Errorf("%q: %s, want %s", c.names, got, c.has)
		}
	}
}

// The package touches nothing of the machine itself, and neither do the engine of its searches and the reader of its patches.
func TestImportsNeitherOSNorNet(t *testing.T) {
	for _, dir := range []string{".", "filesearch", "patch"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range parsed.Imports {
				path, _ := strconv.Unquote(i.Path.Value)
				if first, _, _ := strings.Cut(path, "/"); path != "net/url" && slices.Contains([]string{"os", "net", "syscall", "unsafe"}, first) {
					t.Errorf("%s imports %s", f, path)
				}
			}
		}
	}
}
