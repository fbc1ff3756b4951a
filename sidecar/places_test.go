package sidecar_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

// forgeTool has a tool that writes to what it finds where the sidecar keeps its state, and puts a
// state of its own in the place of that directory.
const forgeTool = `[{"name":"test.forge","description":"Forges the state.","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{
	"command":["/bin/sh","-c","exec 2>/dev/null; for f in tasks.db audit/audit.ndjson audit/audit.ndjson.key; do if (: >>.spring/bridge/$f); then echo wrote $f; fi; done; touch made && echo made"],"output":"text"}}}},
	{"name":"test.replace","description":"Replaces the state.","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{
	"command":["/bin/sh","-c","mv .spring away && mkdir -p .spring/bridge && echo forged >.spring/bridge/tasks.db && echo replaced"],"output":"text"}}}}]`

// platform is a sidecar in the platform's workspace.
type platform struct{ workspace, home, manifest string }

func newPlatform(t *testing.T) *platform {
	t.Helper()
	return &platform{t.TempDir(), t.TempDir(), writeManifest(t, forgeTool)}
}

func (p *platform) env() []string {
	return []string{"SPRING_WORKSPACE_PATH=" + p.workspace, "XDG_STATE_HOME=" + p.home}
}

func (p *platform) bridge() string { return filepath.Join(p.workspace, ".spring", "bridge") }

func (p *platform) run(t *testing.T, args ...string) *running {
	t.Helper()
	return runWith(t, p.env(), append([]string{"--mode", "oneshot", "--manifest", p.manifest}, append(args, "--", "sh", "-c", "cat", "sh")...)...)
}

// moved returns the directory that the state was moved to, as the warning says.
func (r *running) moved(from string) string {
	r.t.Helper()
	r.log.Says(r.t, " out of where the agent and tools may write")
	for line := range strings.Lines(r.log.String()) {
		var entry struct{ Level, Msg, From, To string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.From == from && entry.Level == "WARN" {
			return entry.To
		}
	}
	r.t.Fatalf("nothing was moved from %s:\n%s", from, r.log)
	return ""
}

func (r *running) callTool(name string) string {
	r.t.Helper()
	a := r.do(http.MethodPost, "/a2a/tools/"+name, "application/json", `{}`)
	if a.status != http.StatusOK {
		r.t.Fatalf("%s: %d %s", name, a.status, a.body)
	}
	return a.body
}

// TestToolsDoNotReachTheState: without a sandbox, a tool that may write the workspace writes the
// tasks, the audit and its key in the platform's .spring/bridge. With one, these are elsewhere, the
// next start finds them there whatever was put in their place, and the tool writes all else.
func TestToolsDoNotReachTheState(t *testing.T) {
	t.Parallel()
	if sandbox.Probe().Layers&sandbox.Landlock == 0 {
		t.Skip("this system has no Landlock")
	}
	open := newPlatform(t)
	r := open.run(t, "--sandbox", "off")
	got := r.callTool("test.forge")
	for _, name := range []string{"tasks.db", "audit/audit.ndjson", "audit/audit.ndjson.key"} {
		if !strings.Contains(got, "wrote "+name) {
			t.Errorf("without a sandbox it does not reach %s: %s", name, got)
		}
	}

	p := newPlatform(t)
	r = p.run(t)
	state := r.moved(p.bridge())
	if !strings.HasPrefix(state, p.home) {
		t.Errorf("the state is in %s", state)
	}
	kept := r.send("hello")
	if got := r.callTool("test.forge"); strings.Contains(got, "wrote") || !strings.Contains(got, "made") {
		t.Errorf("with the sandbox: %s", got)
	}
	if got := r.callTool("test.replace"); !strings.Contains(got, "replaced") {
		t.Errorf("the link cannot be replaced: %s", got)
	}
	r.stop()
	r = p.run(t)
	if again := r.moved(p.bridge()); again != state {
		t.Errorf("the state was in %s and is in %s", state, again)
	}
	if strings.Contains(r.log.String(), "was moved") {
		t.Errorf("nothing was left to move: %s", r.log)
	}
	if got := artifact(r.get(kept.ID), "response"); got != "hello" {
		t.Errorf("the task says %q", got)
	}
	r.log.Says(t, "is not used")
	r.stop()
	verify := sidecarCommand("audit", "verify")
	verify.Env = append(verify.Env, p.env()...)
	out, err := verify.CombinedOutput()
	if err != nil || !strings.Contains(string(out), filepath.Join(state, "audit", "audit.ndjson")) {
		t.Errorf("audit verify: %v\n%s", err, out)
	}
}

// TestStateIsTakenOver from a workspace in which earlier runs have kept it, and is found there by
// later ones that have no sandbox.
func TestStateIsTakenOver(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	r := p.run(t, "--sandbox", "off", "--thread-id-arg-create", "--new", "--thread-id-arg-resume", "--resume")
	first := r.send("one")
	r.callTool("test.forge")
	r.stop()

	r = p.run(t)
	state := r.moved(p.bridge())
	if got := artifact(r.get(first.ID), "response"); got != "one" {
		t.Errorf("the task says %q", got)
	}
	second := r.send("two")
	r.stop()
	for _, name := range []string{"tasks.db", "seen-threads", "audit/audit.ndjson", "audit/audit.ndjson.head", "audit/audit.ndjson.key"} {
		if _, err := os.Stat(filepath.Join(state, name)); err != nil {
			t.Error(err)
		}
	}
	if report, err := audit.Verify(filepath.Join(state, "audit", "audit.ndjson")); err != nil || report.Fault != nil {
		t.Errorf("the audit is not whole: %v, %+v", err, report)
	}
	if link, err := os.Readlink(p.bridge()); err != nil || link != state {
		t.Errorf("a link to %q, %v", link, err)
	}
	r = p.run(t, "--sandbox", "off")
	for _, id := range []string{first.ID, second.ID} {
		r.get(id)
	}
}

// TestAskedPlacesAreMoved: what a flag names in the workspace is moved too, each from its own place.
func TestAskedPlacesAreMoved(t *testing.T) {
	t.Parallel()
	ws, home := t.TempDir(), t.TempDir()
	state, record := filepath.Join(ws, "state"), filepath.Join(ws, "log", "calls.ndjson")
	r := runWith(t, []string{"XDG_STATE_HOME=" + home}, "--mode", "oneshot", "--workspace", ws, "--manifest", writeManifest(t, forgeTool),
		"--state-dir", state, "--audit", record, "--runtime-dir", ws, "--", "sh", "-c", `echo "$SIDECAR_SOCKET"`)
	r.callTool("test.forge")
	r.log.Says(t, `"msg":"tasks are kept on disk","dir":"`+r.moved(state)+`"`)
	if now := r.moved(record); filepath.Base(now) != "calls.ndjson" || filepath.Dir(now) == r.moved(state) {
		t.Errorf("the audit is %s", now)
	} else if link, err := os.Readlink(record); err != nil || link != now {
		t.Errorf("a link to %q, %v", link, err)
	}
	r.log.Says(t, `"msg":"the runtime directory is not used; another is"`)
	if got := artifact(r.send("where"), "response"); strings.HasPrefix(got, ws) {
		t.Errorf("the socket is %s", got)
	}
}

// TestStateStaysIfThereIsNoOtherPlace, and somebody is told.
func TestStateStaysIfThereIsNoOtherPlace(t *testing.T) {
	t.Parallel()
	for name, home := range map[string]func(ws string) string{
		"no home":           func(string) string { return "" },
		"a home inside":     func(ws string) string { return ws },
		"a home that fails": func(string) string { return "/dev/null" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws := t.TempDir()
			state := filepath.Join(ws, "state")
			r := runWith(t, []string{"XDG_STATE_HOME=" + home(ws), "HOME="}, "--mode", "oneshot", "--workspace", ws, "--state-dir", state, "--", "cat")
			r.log.Says(t, "the agent and tools may change the sidecar's state: keep it outside of where they may write by --state-dir")
			r.log.Says(t, `"msg":"tasks are kept on disk","dir":"`+state+`"`)
		})
	}
}

// TestStateOutsideStays where somebody says.
func TestStateOutsideStays(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	r := run(t, "--mode", "oneshot", "--workspace", t.TempDir(), "--state-dir", state, "--", "cat")
	r.log.Says(t, `"msg":"tasks are kept on disk","dir":"`+state+`"`)
	if strings.Contains(r.log.String(), "was moved") {
		t.Errorf("it was moved:\n%s", r.log)
	}
}

// TestRequiredRefusesPlaces in which the agent or a tool may write: the error names the place, why,
// and the setting.
func TestRequiredRefusesPlaces(t *testing.T) {
	t.Parallel()
	ws, more := t.TempDir(), t.TempDir()
	declared := t.TempDir()
	tools := writeManifest(t, `[{"name":"test.t","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["/bin/true"]}},"requires":{"fs":{"write":["`+declared+`/**"]}}}}]`)
	for name, c := range map[string]struct {
		args, env []string
		says      []string
	}{
		"the platform's":   {nil, []string{"SPRING_WORKSPACE_PATH=" + ws}, []string{ws + "/.spring/bridge", "(the workspace, ", "--state-dir DIR"}},
		"in the workspace": {[]string{"--workspace", ws, "--state-dir", ws + "/state"}, nil, []string{ws + "/state", "(the workspace, ", "--state-dir DIR"}},
		"the workspace":    {[]string{"--workspace", ws, "--state-dir", ws}, nil, []string{ws, "(the workspace, "}},
		"in another root":  {[]string{"--workspace", ws, "--root", more, "--state-dir", more + "/state"}, nil, []string{more + "/state", "(--root, " + more}},
		"what a tool has":  {[]string{"--workspace", ws, "--manifest", tools, "--state-dir", declared + "/state"}, nil, []string{`what the tool "test.t" may write`}},
		"the audit":        {[]string{"--workspace", ws, "--audit", ws + "/a.ndjson"}, nil, []string{"the audit is in " + ws + "/a.ndjson", "--audit FILE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startOnly(t, c.env, append(append([]string{"--mode", "oneshot", "--sandbox", "required"}, c.args...), "--", "cat")...)
			if code := r.wait(); code != 125 {
				t.Errorf("exit %d", code)
			}
			for _, say := range append(c.says, "--sandbox required", "where the agent and tools may write") {
				if !strings.Contains(r.log.String(), say) {
					t.Errorf("it does not say %q:\n%s", say, r.log)
				}
			}
		})
	}
}
