package confine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// tool returns the first tool of a manifest whose x-sidecar object has these members.
func tool(t *testing.T, more string) *manifest.Tool {
	t.Helper()
	src := `[{"name":"acme.sh","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/sh"]}}` + more + `}}]`
	snap, _, err := manifest.Parse("tools.json", []byte(src), manifest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return snap.Tools()[0]
}

// rig is a keeper with a workspace.
type rig struct {
	t         *testing.T
	keeper    *confine.Keeper
	scope     *capability.Scope
	workspace string
	host      *proc.Host
}

func newRig(t *testing.T, o confine.Options) *rig {
	t.Helper()
	if lacks := sandbox.AllLayers &^ sandbox.Probe().Layers; lacks != 0 {
		t.Skipf("this system has no %s", lacks)
	}
	r := &rig{t: t, workspace: t.TempDir(), host: proctest.NewHost(t)}
	var err error
	if r.scope, err = capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{r.workspace}}); err != nil {
		t.Fatal(err)
	}
	if r.keeper, err = confine.New(o); err != nil {
		t.Fatal(err)
	}
	return r
}

// box compiles the sandbox of a tool.
func (r *rig) box(tool *manifest.Tool) (*confine.Confined, error) {
	return r.keeper.For(confine.Call{
		Tool: tool, Set: r.scope.Effective(tool), Argv: []string{"/bin/sh"}, Dir: r.workspace, Env: []string{"PATH=/usr/bin:/bin"},
	})
}

// run runs a script in a sandbox and returns what it writes.
func (r *rig) run(c *confine.Confined, script string) string {
	r.t.Helper()
	cmd := proctest.Shell(script)
	cmd.Dir, cmd.Sandbox = r.workspace, c.Box
	out, errs, _ := proctest.Output(proctest.Start(r.t, r.host, cmd))
	return out + errs
}

func (r *rig) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.workspace, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func TestAProgramUsesWhatItsToolRequires(t *testing.T) {
	r := newRig(t, confine.Options{Mode: confine.Required})
	r.write("data/in", "in\n")
	r.write("secret", "secret\n")
	for _, c := range []struct{ name, more, script, want string }{
		{"reads what it may", `,"requires":{"fs":{"read":["{workspace}/data"],"write":[]}}`, "cat data/in", "in\n"},
		{"reads nothing else", `,"requires":{"fs":{"read":["{workspace}/data"],"write":[]}}`, "cat secret", "cat: secret: Permission denied\n"},
		{"writes only what it may", `,"requires":{"fs":{"read":["{workspace}"],"write":[]}}`, "echo x > data/in", "/bin/sh: 1: cannot create data/in: Permission denied\n"},
		{"writes what it may", `,"requires":{"fs":{"read":[],"write":["{workspace}/data"]}}`, "echo x > data/new && cat data/new", "x\n"},
		{"gets a directory to write", `,"requires":{"fs":{"read":[],"write":["{workspace}/out/**"]}}`, "echo x > out/new && cat out/new", "x\n"},
		{"declares nothing", ``, "echo x > new && cat secret new", "secret\nx\n"},
		{"declares nothing and only reads", `,"effects":"read"`, "cat secret; echo x > new2", "secret\n/bin/sh: 1: cannot create new2: Permission denied\n"},
		{"reads no password", ``, "cat /etc/passwd", "cat: /etc/passwd: Permission denied\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			box, err := r.box(tool(t, c.more))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.run(box, c.script); got != c.want {
				t.Errorf("%s: %q, want %q", c.script, got, c.want)
			}
		})
	}
}

func TestASandboxBelongsToItsDefinition(t *testing.T) {
	r := newRig(t, confine.Options{Mode: confine.Auto})
	r.write("data/in", "in\n")
	narrow, wide := tool(t, `,"requires":{"fs":{"read":[]}}`), tool(t, `,"requires":{"fs":{"read":["{workspace}/data"]}}`)
	first, err := r.box(wide)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.box(wide); err != nil || again != first {
		t.Errorf("the same definition was compiled again: %v", err)
	}
	second, err := r.box(narrow)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.run(second, "cat data/in"); !strings.Contains(got, "Permission denied") {
		t.Errorf("after the definition was narrowed: %q", got)
	}
	if got := r.run(first, "cat data/in"); got != "in\n" {
		t.Errorf("a call that keeps its definition: %q", got)
	}
}

func TestADirectoryThatIsReplacedIsTheNewOne(t *testing.T) {
	r := newRig(t, confine.Options{Mode: confine.Auto})
	r.write("data/in", "old\n")
	box, err := r.box(tool(t, `,"requires":{"fs":{"read":["{workspace}/data"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.run(box, "cat data/in"); got != "old\n" {
		t.Fatalf("read %q", got)
	}
	if err := os.RemoveAll(filepath.Join(r.workspace, "data")); err != nil {
		t.Fatal(err)
	}
	r.write("data/in", "new\n")
	if got := r.run(box, "cat data/in"); got != "new\n" {
		t.Errorf("read %q", got)
	}
}

func TestALinkIsRefusedInEveryMode(t *testing.T) {
	for _, mode := range []confine.Mode{confine.Auto, confine.Required} {
		r := newRig(t, confine.Options{Mode: mode})
		if err := os.Symlink("/etc", filepath.Join(r.workspace, "data")); err != nil {
			t.Fatal(err)
		}
		_, err := r.box(tool(t, `,"requires":{"fs":{"read":["{workspace}/data"]}}`))
		if err == nil || !strings.Contains(err.Error(), "symbolic link") || !strings.Contains(err.Error(), "data") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

func TestWhatCannotBeHeldIsSaidOrRefused(t *testing.T) {
	state := t.TempDir()
	for _, c := range []struct{ name, more, says string }{
		{"a pattern", `,"requires":{"fs":{"read":["{workspace}/**/*.py"]}}`, "it can read everything in "},
		{"a host", `,"requires":{"net":{"hosts":["example.com"]}}`, "it can reach every host"},
		{"limits, without the sidecar's own program to set them", `,"limits":{"cpu":"90s"}`, "its limits are not held"},
		{"our files", `,"requires":{"fs":{"write":["` + filepath.Dir(state) + `"]}}`, "move it with --state-dir"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log await.Log
			r := newRig(t, confine.Options{Mode: confine.Auto, Log: log.Logger(), Private: []confine.Private{{Path: state, Setting: "--state-dir"}}})
			tool := tool(t, c.more)
			box, err := r.box(tool)
			if err != nil {
				t.Fatal(err)
			}
			if len(box.Wider) != 1 || !strings.Contains(box.Wider[0], c.says) {
				t.Errorf("it is wider by %q", box.Wider)
			}
			log.Says(t, c.says)
			r = newRig(t, confine.Options{Mode: confine.Required, Private: []confine.Private{{Path: state, Setting: "--state-dir"}}})
			if _, err := r.box(tool); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "--sandbox required") {
				t.Errorf("required: %v", err)
			}
		})
	}
}

func TestAScriptReadsItsDirectoryAndInterpreter(t *testing.T) {
	r := newRig(t, confine.Options{Mode: confine.Required})
	dir := t.TempDir()
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"lang/sh": string(sh), "bin/tool": "#!" + dir + "/lang/sh\ncat " + dir + "/bin/lib " + dir + "/other\n", "bin/lib": "lib\n", "other": "other\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tool := tool(t, ``)
	c := confine.Call{Tool: tool, Set: r.scope.Effective(tool), Argv: []string{dir + "/bin/tool"}, Dir: r.workspace, Env: []string{"PATH=/usr/bin:/bin"}}
	box, err := r.keeper.For(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := proc.Command{Argv: c.Argv, Dir: r.workspace, Env: c.Env, Sandbox: box.Box}
	out, errs, _ := proctest.Output(proctest.Start(t, r.host, cmd))
	if out != "lib\n" || !strings.Contains(errs, "Permission denied") {
		t.Errorf("it wrote %q and %q", out, errs)
	}
}
