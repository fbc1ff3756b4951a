package sidecar_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// TestEachDefaultIsSaidOnce finds a default that a package has for a setting which
// the configuration has already decided. What run hands over, it hands over in
// composite literals (turn.Options{Queue: c.Queue}); a package that assigns to such a
// field of its options has a second opinion, unless it is an exported constant that
// the configuration takes for its own.
func TestEachDefaultIsSaidOnce(t *testing.T) {
	settings := read(t, filepath.Join("config", "*.go"))
	handed := handedOver(t)
	if len(handed) < 4 || !slices.Contains(handed["sidecar/turn"], "Queue") {
		t.Fatalf("run hands over %v: this test does not see it", handed)
	}
	for dir, fields := range handed {
		for _, fill := range fills(t, filepath.Join("..", dir), fields) {
			if name, taken := strings.CutPrefix(fill.value, "Default"); !taken || !strings.Contains(settings, ".Default"+name+")") {
				t.Errorf("%s: %s is filled in with %q: the configuration has its default", dir, fill.field, fill.value)
			}
		}
	}
}

func read(t *testing.T, pattern string) string {
	t.Helper()
	var all strings.Builder
	for _, f := range golden.Files(t, pattern, 1) {
		all.WriteString(golden.Read(t, f))
	}
	return all.String()
}

// handedOver returns, by the folder of a package, the fields of its options that
// this package sets from settings that have a default.
func handedOver(t *testing.T) map[string][]string {
	all := map[string][]string{}
	for _, f := range sources(t, ".") {
		paths := map[string]string{}
		for _, i := range f.Imports {
			path := strings.TrimPrefix(strings.Trim(i.Path.Value, `"`), "github.com/a2a-sidecar/sidecar/")
			paths[path[strings.LastIndexByte(path, '/')+1:]] = path
		}
		ast.Inspect(f, func(n ast.Node) bool {
			lit, _ := n.(*ast.CompositeLit)
			if lit == nil {
				return true
			}
			of, _ := lit.Type.(*ast.SelectorExpr)
			if of == nil {
				return true
			}
			path := paths[of.X.(*ast.Ident).Name]
			for _, e := range lit.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && ofConfig(kv.Value) {
					all[path] = append(all[path], kv.Key.(*ast.Ident).Name)
				}
			}
			return true
		})
	}
	return all
}

// ofConfig reports whether an expression is a field of a Config, c.X or s.Config.X,
// that has a default.
func ofConfig(e ast.Expr) bool {
	s, _ := e.(*ast.SelectorExpr)
	if s == nil {
		return false
	}
	of := false
	switch x := s.X.(type) {
	case *ast.Ident:
		of = x.Name == "c"
	case *ast.SelectorExpr:
		of = x.Sel.Name == "Config"
	}
	f := reflect.ValueOf(config.DefaultConfig()).FieldByName(s.Sel.Name)
	return of && f.IsValid() && !f.IsZero()
}

type fill struct{ field, value string }

// fills are the places that give one of the fields another value: o.Field = v, or
// def(&o.Field, v).
func fills(t *testing.T, dir string, fields []string) (found []fill) {
	field := func(e ast.Expr) string {
		s, _ := e.(*ast.SelectorExpr)
		if s == nil || !slices.Contains(fields, s.Sel.Name) {
			return ""
		}
		if x, _ := s.X.(*ast.Ident); x == nil || x.Name != "o" && x.Name != "opts" && x.Name != "options" {
			return ""
		}
		return s.Sel.Name
	}
	value := func(e ast.Expr) string {
		if c, ok := e.(*ast.CallExpr); ok && len(c.Args) == 2 { // cmp.Or(o.Field, v)
			e = c.Args[1]
		}
		if id, ok := e.(*ast.Ident); ok {
			return id.Name
		}
		return "a value of its own"
	}
	for _, f := range sources(t, dir) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if name := field(left); name != "" && !strips(n.Rhs[min(i, len(n.Rhs)-1)]) {
						found = append(found, fill{name, value(n.Rhs[min(i, len(n.Rhs)-1)])})
					}
				}
			case *ast.CallExpr:
				if len(n.Args) < 2 {
					return true
				}
				if u, ok := n.Args[0].(*ast.UnaryExpr); ok && u.Op == token.AND {
					if name := field(u.X); name != "" {
						found = append(found, fill{name, value(n.Args[1])})
					}
				}
			}
			return true
		})
	}
	return found
}

// strips reports whether an expression makes a value from the option itself:
// orNone(o.KeepTasks), strings.TrimRight(o.PublicURL, "/").
func strips(e ast.Expr) bool {
	c, _ := e.(*ast.CallExpr)
	if c == nil || len(c.Args) == 0 {
		return false
	}
	_, of := c.Args[0].(*ast.SelectorExpr)
	name := ""
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return of && (name == "orNone" || name == "TrimRight")
}

// sources are the files of a package but for its tests.
func sources(t *testing.T, dir string) []*ast.File {
	t.Helper()
	var all []*ast.File
	for _, name := range golden.Files(t, filepath.Join(dir, "*.go"), 1) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}
