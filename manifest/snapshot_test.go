package manifest_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-sidecar/sidecar/manifest"
)

const fullTool = `[{
	"name": "acme.deploy", "description": "Deploys.",
	"inputSchema": {"type": "object", "properties": {"env": {"type": "string"}}},
	"outputSchema": {"type": "object"},
	"x-sidecar": {
		"bridge": {"exec": {"command": ["/opt/acme/deploy", "--env={env}"], "output": "json", "env": ["ACME_TOKEN"], "cwd": "."}},
		"effects": "read", "kind": "execute", "timeout": "2m", "maxOutput": "200KB", "surface": "discoverable",
		"requires": {"fs": {"read": ["{workspace}/**"], "write": []}, "net": {"hosts": ["Acme.example."]}, "shell": [{"cmd": "git", "args": ["push", {"prefix": "--to="}, {"wildcard": true}]}, {"cmd": "ls"}, {"cmd": "id", "args": []}], "capabilities": ["deploy"]},
		"uses": {"fs.read": ["/env"], "net.fetch": ["/env"]}, "limits": {"memory": "1MiB", "cpu": "90s", "processes": 8, "disk": "4096"}, "concurrency": 2, "interrupt": "finish"
	}},
	{"name": "acme.plain", "description": "", "inputSchema": {"type": "object"}}]`

func TestTools(t *testing.T) {
	s := mustParse(t, fullTool)
	want := []*manifest.Tool{
		{
			Name: "acme.deploy", Description: "Deploys.",
			InputSchema:  json.RawMessage(`{"type":"object","properties":{"env":{"type":"string"}}}`),
			OutputSchema: json.RawMessage(`{"type":"object"}`),
			Bridge: manifest.Bridge{Kind: manifest.BridgeExec, Exec: &manifest.Exec{
				Command: []string{"/opt/acme/deploy", "--env={env}"}, Output: "json", Env: []string{"ACME_TOKEN"}, Cwd: ".",
			}},
			Effects: manifest.EffectsRead, Kind: "execute", Timeout: 2 * time.Minute, MaxOutput: 200_000,
			Surface: manifest.SurfaceDiscoverable,
			Requires: &manifest.Requires{
				FSRead: []string{"{workspace}/**"}, FSWrite: []string{}, NetHosts: []string{"Acme.example."},
				Shell: []manifest.ShellRun{
					{Cmd: "git", Args: []manifest.ArgPattern{{Text: "push"}, {Match: manifest.ArgPrefix, Text: "--to="}, {Match: manifest.ArgAny}}},
					{Cmd: "ls"},
					{Cmd: "id", Args: []manifest.ArgPattern{}},
				},
				Capabilities: []string{"deploy"},
			},
			Uses:        manifest.Uses{FSRead: []string{"/env"}, NetFetch: []string{"/env"}},
			Limits:      manifest.Limits{Memory: 1 << 20, CPU: 90 * time.Second, Processes: 8, Disk: 4096},
			Concurrency: 2, Interrupt: manifest.InterruptFinish,
		},
		{
			Name: "acme.plain", InputSchema: json.RawMessage(`{"type":"object"}`),
			Bridge: manifest.Bridge{Kind: manifest.BridgeAgent}, Effects: manifest.EffectsWrite, Kind: "other",
			Interrupt: manifest.InterruptCancel, Surface: manifest.SurfaceAlways,
		},
	}
	if diff := cmp.Diff(want, s.Tools(), cmpopts.IgnoreUnexported(manifest.Exec{}, manifest.Bridge{}), cmpopts.IgnoreFields(manifest.Tool{}, "Digest")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if tool, ok := s.Lookup("acme.plain"); !ok || tool != s.Tools()[1] {
		t.Errorf("Lookup found %v, %v", tool, ok)
	}
	if _, ok := s.Lookup("acme"); ok {
		t.Error("Lookup found what is not there")
	}
}

// The revision is what anybody computes from the served bytes.
func TestRevision(t *testing.T) {
	s := mustParse(t, fullTool)
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256(s.Document())); s.Revision() != want {
		t.Errorf("revision %s, want %s", s.Revision(), want)
	}
	if other := mustParse(t, `[]`); other.Revision() == s.Revision() || string(other.Document()) != "[]" {
		t.Errorf("the empty list is %s, %s", other.Document(), other.Revision())
	}
}

func TestSuggest(t *testing.T) {
	s := mustParse(t, `[
		{"name":"arxiv.search","description":"d","inputSchema":{"type":"object"}},
		{"name":"acme.timestamp","description":"d","inputSchema":{"type":"object"}}]`)
	for name, want := range map[string]string{
		"arxiv_search": "arxiv.search", "Arxiv/Search": "arxiv.search", "arxiv.serach": "arxiv.search",
		"acme.timestmp": "acme.timestamp", "weather.today": "", "": "", "x": "",
	} {
		if got := s.Suggest(name); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestMaxOutput(t *testing.T) {
	for text, want := range map[string]int64{"1B": 1, "4096": 4096, "200KB": 200_000, "1MB": 1e6, "2GB": 2e9, "1KiB": 1 << 10, "8 MiB": 8 << 20, "1GiB": 1 << 30, "1.5mb": 1_500_000} {
		s := mustParse(t, fmt.Sprintf(`[{"name":"acme.x","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"maxOutput":%q}}]`, text))
		if got := s.Tools()[0].MaxOutput; got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "0", "-1KB", "KB", "0.5", "1TB", "9999999999GiB", "1KBKB"} {
		src := fmt.Sprintf(`[{"name":"acme.x","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"maxOutput":%q}}]`, text)
		if _, _, err := manifest.Parse("t", []byte(src), manifest.Options{}); err == nil {
			t.Errorf("%q was taken for a size", text)
		}
	}
}

// Parse reads the caller's bytes where they are and keeps none of them.
func TestParseKeepsNothing(t *testing.T) {
	scribbled := func(src string) (*manifest.Snapshot, string) {
		data := []byte(src)
		s, warnings, err := manifest.Parse("tools.json", data, manifest.Options{})
		for i := range data {
			data[i] = '#'
		}
		return s, fmt.Sprint(warnings, err)
	}
	got, _ := scribbled(fullTool)
	want := mustParse(t, fullTool)
	if diff := cmp.Diff(want.Tools(), got.Tools(), cmp.AllowUnexported(manifest.Exec{}, manifest.Bridge{}), cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if string(got.Document()) != string(want.Document()) {
		t.Errorf("the document is %s", got.Document())
	}
	for _, file := range []string{"sidecar", "command", "schemas", "fields", "keys"} {
		src, err := os.ReadFile("testdata/parse/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		_, warnings, err := manifest.Parse("tools.json", src, manifest.Options{})
		if _, said := scribbled(string(src)); said != fmt.Sprint(warnings, err) {
			t.Errorf("%s: what was said has changed:\n%s", file, said)
		}
	}
}
