package call_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	own "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// shellRig serves bash and background in a workspace of its own.
func shellRig(t testing.TB, tweak ...func(*call.Options)) (r *rig, workspace string) {
	t.Helper()
	set, err := own.NewSet([]string{"bash", "background"})
	if err != nil {
		t.Fatal(err)
	}
	if workspace, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	serve := func(o *call.Options) {
		o.Tools, o.Workspace, o.RuntimeDir = set, workspace, t.TempDir()
		o.Surface = func(*call.Request) *manifest.Snapshot { return set.Snapshot() }
	}
	return newRig(t, ``, nil, append([]func(*call.Options){withHost(t), deciding(policy.Allow), serve}, tweak...)...), workspace
}

// args returns arguments as JSON: names and values in turn.
func args(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// bash runs a line; more are further arguments.
func (r *rig) bash(line string, more ...any) ended {
	r.t.Helper()
	return r.run("core.bash", args(append([]any{"command", line}, more...)...))
}

// said returns the data of an envelope that is a text.
func (e ended) said() string {
	e.t.Helper()
	var s string
	if err := json.Unmarshal(e.env.Data, &s); err != nil {
		e.t.Fatalf("%s is no text", e.env.Data)
	}
	return s
}

// callOf returns a call; its arguments are names and values in turn.
func callOf(name string, pairs ...any) call.Request {
	return call.Request{Tool: name, Arguments: json.RawMessage(args(pairs...))}
}

// number reads what a process wrote of its pid.
func number(t testing.TB, text []byte) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
