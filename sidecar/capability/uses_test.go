package capability_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func declared(c policy.Capability, values ...string) (all []policy.Use) {
	for _, v := range values {
		all = append(all, policy.Use{Capability: c, Value: v, Declared: true})
	}
	return all
}

func TestUses(t *testing.T) {
	s := scope(t, plain{}, capability.Roots{Workspace: []string{"/ws[1]", "/more"}, UserData: []string{"/data"}})
	program := policy.Use{Capability: policy.ShellRun, Value: "ls -a 'it'\\''s' ''", Argv: []string{"ls", "-a", "it's", ""}}
	const exec = `"bridge":{"exec":{"command":["ls","-a","it's",""]}}`
	for _, c := range []struct {
		x, args string
		want    []policy.Use
	}{
		{`{}`, `{"path":"x"}`, nil},
		{`{` + exec + `}`, `{}`, append([]policy.Use{program}, append(declared(policy.FSRead, `/ws\[1\]/**`, "/more/**"), declared(policy.FSWrite, `/ws\[1\]/**`, "/more/**")...)...)},
		{`{` + exec + `,"requires":{}}`, `{}`, []policy.Use{program}},
		{`{` + exec + `,"effects":"read","uses":{"fs.read":["/path"]}}`, `{"path":"a/../b/"}`, []policy.Use{program, {Capability: policy.FSRead, Pointer: "/path", Value: "/ws[1]/b"}}},
		{`{` + exec + `,"effects":"read","uses":{"fs.read":["/path"]}}`, `{"path":null}`, append([]policy.Use{program}, declared(policy.FSRead, `/ws\[1\]/**`, "/more/**")...)},
		{`{"uses":{"fs.read":["/path"]}}`, `{}`, nil},
		{`{"uses":{"fs.write":["/paths"]}}`, `{"paths":["/a","b"]}`, []policy.Use{{Capability: policy.FSWrite, Pointer: "/paths/0", Value: "/a"}, {Capability: policy.FSWrite, Pointer: "/paths/1", Value: "/ws[1]/b"}}},
		{`{"uses":{"net.fetch":["/url"]}}`, `{"url":"https://Example.com/x"}`, []policy.Use{{Capability: policy.NetFetch, Pointer: "/url", Value: "example.com:443"}}},
		{`{"uses":{"shell.run":["/command"]}}`, `{"command":"ls  | wc"}`, []policy.Use{{Capability: policy.ShellRun, Pointer: "/command", Value: "ls  | wc"}}},
		{`{"bridge":{"http":{"url":"https://api.example.com"}},"requires":{"net":{"hosts":["*.example.com"]}}}`, `{}`, []policy.Use{{Capability: policy.NetFetch, Value: "api.example.com:443"}, {Capability: policy.NetFetch, Value: "*.example.com", Declared: true, AtConnect: true}}},
		{
			`{` + exec + `,"requires":{"fs":{"read":["/usr","{user-data}/a/**/*.go"]},"shell":[{"cmd":"ls"},{"cmd":"git","args":["log",{"prefix":"-n"},{"wildcard":true}]},{"cmd":"wc"}],"capabilities":["x"]}}`, `{}`,
			append(append([]policy.Use{program}, declared(policy.FSRead, "/usr/**", "/data/a/**/*.go")...), declared(policy.ShellRun, "git log -n* *", "wc:*")...),
		},
	} {
		got, err := uses(t, s, tool(t, c.x), c.args)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s %s: %v (-want +got)\n%s", c.x, c.args, err, diff)
		}
	}
}

// The hosts that a tool declares are judged one by one if something is between it and them: the bridge
// for HTTP, or a network of its program's own.
func TestHostsAreJudgedAtTheConnection(t *testing.T) {
	const hosts = `,"requires":{"net":{"hosts":["*.example.com"]},"shell":[{"cmd":"ls"}]}}`
	for _, networks := range []bool{false, true} {
		s := plainScope(t).WithNetworks(func() bool { return networks })
		adHoc, err := s.For([]string{"/dir"})
		if err != nil {
			t.Fatal(err)
		}
		for bridge, want := range map[string]bool{
			`"bridge":{"http":{"url":"https://api.example.com"}}`: true, `"bridge":{"exec":{"command":["ls"]}}`: networks, `"effects":"read"`: false,
		} {
			for _, s := range []*capability.Scope{s, adHoc} {
				got, err := uses(t, s, tool(t, "{"+bridge+hosts), "{}")
				if err != nil || len(got) == 0 {
					t.Fatalf("%s: %v, %v", bridge, got, err)
				}
				for _, u := range got {
					if u.AtConnect != (want && u.Declared && u.Capability == policy.NetFetch) {
						t.Errorf("%s, networks %v: %+v", bridge, networks, u)
					}
				}
			}
		}
	}
}

func TestAdHoc(t *testing.T) {
	for in, want := range map[string]string{
		``: "", `[]`: "", `["/a","/b/c"]`: "", `"/a"`: "must be an array", `{}`: "must be an array", `["/a"`: "must be an array", `["/a",7]`: "/1 must be an absolute path", `["a"]`: "/0 must be an absolute",
		`["/a/"]`: "/0 must be", `["/a/../b"]`: "/0 must be", `["/a\u0000b"]`: "/0 must be", `[["/a"]]`: "/0 must be",
		`[` + strings.Repeat(`"/a",`, 32) + `"/a"]`: "33 directories, and 32 are the most",
	} {
		dirs, err := capability.ParseAdHoc(json.RawMessage(in))
		got := ""
		if err != nil {
			got = err.Error()
		}
		says(t, in, got, want)
		if want == "" && len(dirs) != strings.Count(in, "/a")+strings.Count(in, "/b") {
			t.Errorf("%s: %q", in, dirs)
		}
	}
	s := plainScope(t)
	x := tool(t, `{"uses":{"fs.read":["/path"]},"requires":{"fs":{"read":["{ad-hoc}/x"]}}}`)
	own, err := s.For([]string{"/home/ann", "/home/bob"})
	if err != nil {
		t.Fatal(err)
	}
	says(t, "a directory of the task", judge(t, own, x, `{"path":"/home/bob/x/y"}`), "")
	says(t, "beside it", judge(t, own, x, `{"path":"/home/bob/y"}`), "outside")
	says(t, "another task", judge(t, s, x, `{"path":"/home/bob/x/y"}`), "named no directories")
	says(t, "the workspace is as it was", judge(t, own, tool(t, `{"uses":{"fs.read":["/path"]}}`), `{"path":"a"}`), "")
	if _, err := s.For([]string{"/home/ann", "/file/x"}); err == nil || !strings.Contains(err.Error(), `"/file/x" is not a directory`) {
		t.Errorf("a file as a directory: %v", err)
	}
	if _, err := capability.NewScope(plain{}, capability.Roots{Workspace: []string{"ws"}}); err == nil || !strings.Contains(err.Error(), `{workspace}: "ws" is not an absolute path`) {
		t.Errorf("a relative root: %v", err)
	}
}
