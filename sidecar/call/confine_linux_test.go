package call_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// sandboxed confines exec tools, or skips the test.
func sandboxed(t testing.TB, mode confine.Mode) func(*call.Options) {
	t.Helper()
	if lacks := sandbox.AllLayers &^ sandbox.Probe().Layers; lacks != 0 {
		t.Skipf("this system has no %s", lacks)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := confine.New(confine.Options{Mode: mode, Self: self})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *call.Options) { o.Sandbox = keeper }
}

// shTool is a tool that runs a script, with more members of its x-sidecar object.
func shTool(script, more string) string {
	quoted, err := json.Marshal(script)
	if err != nil {
		panic(err)
	}
	return tool("acme.sh", `{"bridge":{"exec":{"command":["/bin/sh","-c",`+string(quoted)+`],"output":"text"}}`+more+`}`)
}

func TestAToolIsConfined(t *testing.T) {
	dir := t.TempDir()
	workspace := filepath.Join(dir, "workspace")
	for name, content := range map[string]string{"workspace/in": "in", "outside": "outside"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(dir, "outside")
	for _, c := range []struct{ name, script, more, data string }{
		{"reads the workspace", "cat in", "", `"in"`},
		{"writes the workspace", "printf x > new; cat new", "", `"x"`},
		{"only reads it", "printf x > other || printf no", `,"effects":"read"`, `"no"`},
		{"nothing outside", "cat " + outside + " ../outside 2>/dev/null || printf no", "", `"no"`},
		{"what it requires", "cat " + outside, `,"requires":{"fs":{"read":["` + outside + `"]}}`, `"outside"`},
		{"its TMPDIR and HOME", `test -z "$(ls -A "$TMPDIR")" && printf x > "$TMPDIR/x" && cat "$HOME/x"`, "", `"x"`},
		{"its message", `cat "$SIDECAR_MESSAGE_FILE" > /dev/null && printf yes`, "", `"yes"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, shTool(c.script, c.more), nil, withHost(t), sandboxed(t, confine.Required), func(o *call.Options) {
				o.Workspace, o.RuntimeDir = workspace, t.TempDir()
			})
			r.run("acme.sh", `{}`).is("final", a2a.StateCompleted, 200).data(c.data)
		})
	}
}

// A confined tool has no socket, and so speaks through the door that it inherits.
func TestAConfinedToolSpeaks(t *testing.T) {
	s, err := channel.Listen(channel.Options{RuntimeDir: t.TempDir(), UID: -1, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r := newRig(t, execTool("acme.speak", "", "tool:channel", "done"), nil, withHost(t), sandboxed(t, confine.Required), func(o *call.Options) {
		o.Channel, o.Workspace = s, t.TempDir()
	})
	r.run("acme.speak", `{}`).is("final", a2a.StateCompleted, 200).data(`{"by":"done"}`)
}

// A tool whose declared directory is a link by now is not run.
func TestAToolBehindALinkIsUnavailable(t *testing.T) {
	workspace := t.TempDir()
	if err := os.Symlink("/etc", filepath.Join(workspace, "data")); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, shTool("cat data/passwd", `,"requires":{"fs":{"read":["{workspace}/data"]}}`), nil, withHost(t), sandboxed(t, confine.Auto), func(o *call.Options) {
		o.Workspace = workspace
	})
	r.run("acme.sh", `{}`).is("unavailable", a2a.StateFailed, 503).says("symbolic link")
}

// When a manifest changes, the next call has its sandbox, and a call that runs keeps
// its own.
func TestAReloadChangesTheNextSandbox(t *testing.T) {
	workspace := t.TempDir()
	if err := os.WriteFile(filepath.Join(workspace, "in"), []byte("in"), 0o644); err != nil {
		t.Fatal(err)
	}
	const script = `echo began; while ! test -e go; do sleep 0.01; done; cat in || printf no`
	var current atomic.Pointer[manifest.Snapshot]
	current.Store(parse(t, shTool(script, `,"requires":{"fs":{"read":["{workspace}"]}}`), nil))
	r := newRig(t, ``, nil, withHost(t), sandboxed(t, confine.Auto), func(o *call.Options) {
		o.Workspace, o.Surface = workspace, func(*call.Request) *manifest.Snapshot { return current.Load() }
	})
	old, f := r.follow(call.Request{Tool: "acme.sh"})
	f.next(func(e *a2a.Event) bool {
		return e.Status != nil && strings.Contains(string(e.Status.Metadata[call.ExtensionURI]), "began")
	})
	current.Store(parse(t, shTool(script, `,"requires":{"fs":{"read":[]}}`), nil))
	if err := os.WriteFile(filepath.Join(workspace, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r.ended(old).is("final", a2a.StateCompleted, 200).data(`"began\nin"`)
	r.run("acme.sh", `{}`).is("final", a2a.StateCompleted, 200).data(`"began\nno"`)
}
