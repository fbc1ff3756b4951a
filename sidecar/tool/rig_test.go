package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// ground is a workspace in which one session calls tools that use files.
type ground struct {
	t       testing.TB
	dir     string
	tools   *tool.Set
	session *tool.Session
	keeper  *confine.Keeper
	may     func(policy.Capability, string) bool
	kept    map[string]*os.File
	out     sink
	through func(tool.FS) tool.FS // what the files go through; nil: nothing
}

func newGround(t testing.TB) *ground {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	g := &ground{t: t, dir: dir, session: tool.NewSessions(1).Of("", "s")}
	g.must(err)
	g.tools, err = tool.NewSet([]string{tool.Core, "apply_patch"})
	g.must(err)
	g.keeper, err = confine.New(confine.Options{Mode: confine.Auto})
	g.must(err)
	return g
}

func (g *ground) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) at(name string) string { return filepath.Join(g.dir, name) }

func (g *ground) put(name, content string) string {
	g.t.Helper()
	g.must(os.MkdirAll(filepath.Dir(g.at(name)), 0o755))
	g.must(os.WriteFile(g.at(name), []byte(content), 0o644))
	return g.at(name)
}

// has checks what a file has.
func (g *ground) has(name, want string) {
	g.t.Helper()
	if got, err := os.ReadFile(g.at(name)); err != nil || string(got) != want {
		g.t.Errorf("%s has %q %v, want %q", name, got, err, want)
	}
}

// call runs a tool with the files that its arguments name, as a call is judged.
func (g *ground) call(ctx context.Context, id, args string, out *sink) (*tool.Result, error) {
	g.t.Helper()
	one := g.tools.Lookup(tool.Canonical(id))
	o := files.Options{Roots: []string{g.dir}, Dir: g.dir, Given: map[string]string{}, Keeper: g.keeper, May: g.may, Kept: g.kept}
	var named map[string]any
	g.must(json.Unmarshal([]byte(args), &named))
	judged := func(pointers []string) (all []string) {
		for _, p := range pointers {
			given, _ := named[strings.TrimPrefix(p, "/")].(string)
			path := given
			if !filepath.IsAbs(path) {
				path = g.at(path)
			}
			path, err := capability.OS().Resolve(path)
			g.must(err)
			all, o.Given[given] = append(all, path), path
		}
		return all
	}
	o.Reads, o.Writes = judged(one.Definition.Uses.FSRead), judged(one.Definition.Uses.FSWrite)
	if t := one.Definition.Uses.Text; t != nil {
		paths, err := t.Paths(named[strings.TrimPrefix(t.Pointer, "/")].(string))
		if err != nil {
			return nil, errors.New(strings.TrimPrefix(t.Pointer, "/") + " " + err.Error())
		}
		for _, name := range paths {
			named[name] = name
			o.Writes = append(o.Writes, judged([]string{name})...)
		}
		o.Reads = o.Writes
	}
	f, err := files.New(o)
	g.must(err)
	defer f.Close()
	var result *tool.Result
	g.must(f.Run(func(all tool.FS) {
		if g.through != nil {
			all = g.through(all)
		}
		result, err = one.Run(ctx, &tool.Call{Args: json.RawMessage(args), Out: out, Session: g.session, FS: all})
	}))
	return result, err
}

// run is call for one whose text or error is all that matters: an error follows "error: ".
func (g *ground) run(id, args string) string {
	g.t.Helper()
	var out sink
	_, err := g.call(g.t.Context(), id, args, &out)
	if err != nil {
		return "error: " + err.Error()
	}
	return out.String()
}

// sink takes what a tool writes, and fails when full is set and it has that many bytes.
type sink struct {
	strings.Builder
	full int
	took func()
}

var errFull = errors.New("nobody wants more")

func (s *sink) Write(p []byte) (int, error) {
	if s.took != nil {
		s.took()
	}
	if s.full > 0 && s.Len() >= s.full {
		return 0, errFull
	}
	return s.Builder.Write(p)
}

// args writes arguments.
func args(named ...any) string {
	m := map[string]any{}
	for i := 0; i < len(named); i += 2 {
		m[named[i].(string)] = named[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}
