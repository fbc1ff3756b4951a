package capability_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// plain are files without links, in which every path is a directory but those below
// /file.
type plain struct{}

func (plain) Resolve(path string) (string, error) { return filepath.Clean(path), nil }
func (plain) IsDir(path string) bool              { return !strings.HasPrefix(path, "/file") }

// scope returns a scope over files with a workspace.
func scope(t *testing.T, files capability.Files, roots capability.Roots) *capability.Scope {
	t.Helper()
	s, err := capability.NewScope(files, roots)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainScope has the workspace /ws and a further root /more.
func plainScope(t *testing.T) *capability.Scope {
	t.Helper()
	return scope(t, plain{}, capability.Roots{Workspace: []string{"/ws", "/more"}, UserData: []string{"/data"}})
}

// tool parses the x-sidecar of a tool with the arguments path, paths, url and command.
func tool(t *testing.T, x string) *manifest.Tool {
	t.Helper()
	s, _, err := manifest.Parse("tools.json", []byte(`[{"name":"acme.x","description":"d","inputSchema":{"type":"object","properties":{
		"path":{},"paths":{"type":"array"},"url":{"type":["string","null"]},"command":{"type":"string"}}},"x-sidecar":`+x+`}]`), manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Tools()[0]
}

// uses returns what a call uses; the error is of the arguments.
func uses(t *testing.T, s *capability.Scope, tool *manifest.Tool, args string) ([]policy.Use, error) {
	t.Helper()
	read, err := schema.ReadArguments([]byte(args))
	if err != nil {
		t.Fatal(err)
	}
	var argv []string
	if x := tool.Bridge.Exec; x != nil {
		if argv, err = x.Argv(read); err != nil {
			t.Fatal(err)
		}
	}
	return s.Uses(tool, s.Effective(tool), read, argv)
}

// judge returns "" for a call that is within its scope, else why it is not.
func judge(t *testing.T, s *capability.Scope, tool *manifest.Tool, args string) string {
	t.Helper()
	found, err := uses(t, s, tool, args)
	var refused *capability.Refused
	if err == nil {
		err = s.Check(tool, s.Effective(tool), found)
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("%s: %T", args, err)
		}
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// says compares a reason with what it must hold; "" wants none.
func says(t *testing.T, what, got, want string) {
	t.Helper()
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}
