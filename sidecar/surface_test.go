package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// effectiveTool is a tool of a manifest; more is what x-sidecar has in addition to what it runs.
func effectiveTool(name, more string) string {
	return `{"name":"` + name + `","description":"` + name + `","inputSchema":{"type":"object"},"x-sidecar":{` + more + `}}`
}

const runsTrue = `"bridge":{"exec":{"command":["true"]}}`

// surfaceSidecar is a sidecar whose tools are absent for every reason.
func surfaceSidecar(t *testing.T, more ...string) (r *running, grants string) {
	t.Helper()
	dir := t.TempDir()
	grants, policy, prefs := filepath.Join(dir, "grants.json"), filepath.Join(dir, "policy.json"), filepath.Join(dir, "surface.json")
	writeFile(t, grants, `{"connectors":{"shop":{"inheritedFrom":"unit:sales"},"crm":{"bound":false}},"grants":[{"tool":"test.given"},{"tool":"test.nothing"}]}`)
	writeFile(t, policy, `{"rules":[{"permission":"*","action":"allow"},{"permission":"test.secret","action":"deny","reason":"not today"}]}`)
	writeFile(t, prefs, `{"discoverable":["test.rare"]}`)
	manifest := writeManifest(t, "["+strings.Join([]string{
		effectiveTool("test.plain", runsTrue), effectiveTool("test.given", runsTrue), effectiveTool("test.secret", runsTrue),
		effectiveTool("test.ghost", `"bridge":{"exec":{"command":["/no/such/program"]}}`),
		effectiveTool("test.wide", runsTrue+`,"requires":{"fs":{"read":["{ad-hoc}"]}}`),
		effectiveTool("test.rare", runsTrue), effectiveTool("test.agent", `"bridge":{"agent":{}}`), effectiveTool("shop.buy", runsTrue), effectiveTool("crm.find", runsTrue),
	}, ",")+"]")
	args := []string{"--grants", grants, "--policy", policy, "--surface", prefs, "--manifest", manifest, "--image-digest", "sha256:" + strings.Repeat("ab", 32)}
	return run(t, append(args, more...)...), grants
}

// effective returns the rows that a caller gets.
func (r *running) effective(path string) (rows map[string]surface.Row) {
	r.t.Helper()
	a := r.getPath(path)
	return r.rowsOf(a.body)
}

func (r *running) rowsOf(body string) map[string]surface.Row {
	r.t.Helper()
	var all []surface.Row
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		r.t.Fatalf("%v: %s", err, body)
	}
	rows := map[string]surface.Row{}
	for _, row := range all {
		if _, twice := rows[row.Name]; twice {
			r.t.Errorf("%s is there twice", row.Name)
		}
		rows[row.Name] = row
	}
	return rows
}

// Every tool is there once, with who grants it; every reason for which one is absent is told, and
// its call says the same.
func TestEffectiveTools(t *testing.T) {
	t.Parallel()
	r, _ := surfaceSidecar(t, "--mode", "oneshot", "--", "cat")
	image := "image:sha256:" + strings.Repeat("ab", 32)
	rows := r.effective("/a2a/tools/effective?absent=true")
	for name, want := range map[string]struct {
		provenance, inherited, reason string
		status                        int
		says                          string
	}{
		"test.plain":  {image, "", "", http.StatusOK, ""},
		"test.given":  {"explicit", "", "", http.StatusOK, ""},
		"shop.buy":    {"connector:shop", "unit:sales", "", http.StatusOK, ""},
		"test.rare":   {image, "", surface.Deferred, http.StatusOK, ""},
		"test.secret": {image, "", surface.Policy, http.StatusForbidden, "not today"},
		"test.ghost":  {image, "", surface.Setup, http.StatusServiceUnavailable, "unavailable"},
		"test.wide":   {image, "", surface.Capability, http.StatusForbidden, "ad-hoc"},
		"crm.find":    {"connector:crm", "", surface.Policy, http.StatusForbidden, `you may not call \"crm.find\": the connector \"crm\" is not bound`},
	} {
		row := rows[name]
		if row.Provenance != want.provenance || row.InheritedFrom != want.inherited || row.Namespace+"." != name[:strings.IndexByte(name, '.')+1] ||
			row.Description != name || row.Source != "manifest" {
			t.Errorf("%s: %+v", name, row)
		}
		if want.reason == "" != (row.Absent == nil) || row.Absent != nil && row.Absent.Reason != want.reason {
			t.Errorf("%s is absent for %v, want %q", name, row.Absent, want.reason)
		}
		a := r.do(http.MethodPost, "/a2a/tools/"+name, "", "{}")
		if a.status != want.status || !strings.Contains(a.body, want.says) || strings.Contains(a.body, "unknown_tool") {
			t.Errorf("a call of %s: %d %s, want %d %s", name, a.status, a.body, want.status, want.says)
		}
	}
	if a := rows["test.nothing"].Absent; a == nil || a.Reason != surface.Setup {
		t.Errorf("what nothing provides: %v", a)
	}
	if a := r.do(http.MethodPost, "/a2a/tools/test.nothing", "", "{}"); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, `tool \"test.nothing\" is unavailable: it is granted in`) {
		t.Errorf("a call of what nothing provides: %d %s", a.status, a.body)
	}
	if a := r.do(http.MethodPost, "/a2a/tools/test.gone", "", "{}"); a.status != http.StatusNotFound || !strings.Contains(a.body, "unknown_tool") {
		t.Errorf("a tool that is not there: %d %s", a.status, a.body)
	}
	few := r.effective("/a2a/tools/effective")
	for name, row := range rows {
		_, there := few[name]
		if there != (row.Absent == nil || row.Absent.Reason == surface.Deferred) {
			t.Errorf("%s is in the short list: %v", name, there)
		}
	}
	if a := r.getPath("/a2a/policy/explain?tool=crm.find"); !strings.Contains(a.body, "is not bound") {
		t.Errorf("explain: %s", a.body)
	}
	for _, bad := range []string{"?absent=yes", "?absent=true&absent=true", "?absnt=true"} {
		if a := r.getPath("/a2a/tools/effective" + bad); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, a.status)
		}
	}
	tag := r.getPath("/a2a/tools/effective").header.Get("ETag")
	req, err := http.NewRequestWithContext(r.context(), http.MethodGet, r.url+"/a2a/tools/effective", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", tag)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if tag == "" || resp.StatusCode != http.StatusNotModified {
		t.Errorf("with the ETag %s: %d", tag, resp.StatusCode)
	}
	if list := r.getPath("/a2a/tools").body; !strings.Contains(list, "crm.find") || strings.Contains(list, "provenance") {
		t.Errorf("the image's list is another one: %s", list)
	}
}

// An agent that lives through many turns cannot call what is its own in a turn; it learns so.
func TestEffectiveToolsOfTheAgent(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := `while read -r l; do ` + asSidecar + `=1 "` + self + `" tools --effective --absent -o json; done`
	r, _ := surfaceSidecar(t, "--mode", "lines", "--", "sh", "-c", script)
	said := artifact(r.send("which tools?"), "response")
	rows := r.rowsOf(said)
	if a := rows["test.agent"].Absent; a == nil || a.Reason != surface.Task {
		t.Errorf("the agent's own tool: %v", a)
	}
	if a := r.effective("/a2a/tools/effective?absent=true")["test.agent"].Absent; a != nil {
		t.Errorf("for its clients: %v", a)
	}
}

// liveLimit is how soon every door must know of a change of the grants.
const liveLimit = 100 * time.Millisecond

// A connector is bound, unbound and bound again; each door knows within 100 ms.
func TestBindLive(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	r, grants := surfaceSidecar(t, append([]string{"--mode", "oneshot", "--", "env", "NOTES=" + seen}, agentCommand(t, "toolwatcher")[1:]...)...)
	r.begin("watch")
	has := func(answer string) func() bool {
		return func() bool { text, _ := os.ReadFile(seen); return strings.Contains(string(text), answer) }
	}
	await.True(t, "the agent's first look", has("listed false"))
	older, newest := r.mustMCP("", "2025-06-18", nil), r.mustMCP("", "2026-07-28", nil)
	doors := map[string]func() bool{
		"mcp":        func() bool { return strings.Contains(listedTools(t, older), "crm.find") },
		"mcp newest": func() bool { return strings.Contains(listedTools(t, newest), "crm.find") },
		"search":     func() bool { return strings.Contains(r.getPath("/a2a/tools?query=crm+find").body, "crm.find") },
		"channel":    has("listed true"), "load": has("loaded true"),
		"effective": func() bool { _, ok := r.effective("/a2a/tools/effective")["crm.find"]; return ok },
		"explain": func() bool {
			return !strings.Contains(r.getPath("/a2a/policy/explain?tool=crm.find").body, "not bound")
		},
		"POST": func() bool { return r.do(http.MethodPost, "/a2a/tools/crm.find", "", "{}").status == http.StatusOK },
		"message": func() bool {
			result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: toolMessage("crm.find", "{}")})
			return err == nil && result.Task.Status.State == a2a.StateCompleted
		},
	}
	var slowest []time.Duration
	for range 3 {
		for _, bound := range []string{"true", "false"} {
			next := grants + ".next"
			writeFile(t, next, `{"connectors":{"crm":{"bound":`+bound+`}}}`)
			if err := os.Rename(next, grants); err != nil {
				t.Fatal(err)
			}
			slowest = append(slowest, r.until(doors, bound == "true"))
		}
	}
	slices.Sort(slowest)
	t.Logf("every door knew after %v", slowest)
	if slowest[0] > liveLimit { // the machine may be busy, but not each time
		t.Errorf("the doors knew after %v at the earliest, want at most %v", slowest[0], liveLimit)
	}

	writeFile(t, grants, `{"connectors":{"crm":{"bound":"yes"}}}`)
	r.log.Says(t, "grants.json:1:")
	if !doors["effective"]() && strings.Contains(r.getPath("/status").body, `"kind":"grants"`) {
		return
	}
	t.Errorf("a bad file binds, or is not told: %s", r.getPath("/status").body)
}

// toolWatcher is an agent that writes into the file NOTES what it sees over the channel, whenever it is
// told that it sees something else.
func toolWatcher() int {
	ctx := context.Background()
	c, err := channel.Dial(ctx, os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
	must(err)
	defer c.Close()
	for {
		changed := c.ToolsChanged()
		list, err := c.ListTools(ctx)
		must(err)
		loaded, err := c.LoadTools(ctx, []string{"crm.find"})
		must(err)
		listed := slices.ContainsFunc(list.Tools, func(t channel.ToolDefinition) bool { return t.Name == "crm.find" })
		next := os.Getenv("NOTES") + ".next"
		must(os.WriteFile(next, fmt.Appendf(nil, "listed %v, loaded %v", listed, len(loaded) == 1), 0o600))
		must(os.Rename(next, os.Getenv("NOTES")))
		<-changed
	}
}

// until waits until each door answers as it should, and returns how long that took.
func (r *running) until(doors map[string]func() bool, want bool) time.Duration {
	r.t.Helper()
	began := time.Now()
	for name, door := range doors {
		for door() != want {
			if time.Since(began) > deadline {
				r.t.Fatalf("%s never answers %v", name, want)
			}
		}
	}
	return time.Since(began)
}
