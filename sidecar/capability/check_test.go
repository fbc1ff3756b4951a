package capability_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

const reads = `"uses":{"fs.read":["/path","/paths"]}`

func TestPathsInScope(t *testing.T) {
	s := plainScope(t)
	for _, c := range []struct{ requires, path, want string }{
		{`["{workspace}/data"]`, `"data/x"`, ""},
		{`["{workspace}/data"]`, `"/ws/data"`, ""},
		{`["{workspace}/data/"]`, `"data/x/"`, ""},
		{`["data"]`, `"./data//x/../y"`, ""},
		{`["{workspace}/data"]`, `"/more/data/x"`, ""},
		{`["data"]`, `"/more/data/x"`, "outside"},
		{`["{workspace}/data"]`, `"../ws/data/x"`, ""},
		{`["{workspace}/data"]`, `"data/../secret"`, "/path is outside of what it may read: {workspace}/data"},
		{`["{workspace}/data"]`, `"data/../../etc/passwd"`, "outside"},
		{`["{workspace}/data"]`, `"/etc/passwd"`, "outside"},
		{`["{workspace}/data"]`, `"database"`, "outside"},
		{`["{workspace}/data"]`, `"DATA/x"`, "outside"},
		{`["{workspace}/d\u00e4ta"]`, `"d\u00e4ta/x"`, ""},
		{`["{workspace}/d\u00e4ta"]`, `"da\u0308ta/x"`, "outside"},
		{`["{workspace}"]`, `""`, ""},
		{`["{workspace}"]`, `"."`, ""},
		{`["{workspace}"]`, `"/"`, "outside"},
		{`["/"]`, `"/any/thing"`, ""},
		{`["{workspace}/**/*.go"]`, `"a/b/c.go"`, ""},
		{`["{workspace}/**/*.go"]`, `"c.go"`, ""},
		{`["{workspace}/**/*.go"]`, `"c.god"`, "outside"},
		{`["{workspace}/*.go"]`, `"a/c.go"`, "outside"},
		{`["{workspace}/src/[ab]*/{x,y}"]`, `"src/a1/y"`, ""},
		{`["{workspace}/src/[ab]*/{x,y}"]`, `"src/c1/y"`, "outside"},
		{`["{workspace}/a\\*b"]`, `"a*b"`, ""},
		{`["{workspace}/a\\*b"]`, `"axb"`, "outside"},
		{`["{user-data}"]`, `"/data/x"`, ""},
		{`["/usr/share", "{workspace}"]`, `"/usr/share/x"`, ""},
		{`[]`, `"x"`, "it may read: nothing"},
		{`["{ad-hoc}"]`, `"x"`, "it may read only {ad-hoc}, and the client named no directories for this task"},
		{`["{ad-hoc}","{workspace}"]`, `"x"`, ""},
		{`["{workspace}"]`, `null`, ""},
		{`["{workspace}"]`, `["a","b"]`, ""},
		{`["{workspace}"]`, `["a","/etc/b"]`, "/path/1 is outside"},
		{`["{workspace}"]`, `[["a"]]`, "/path/0 must be a string"},
		{`["{workspace}"]`, `7`, "/path must be a string"},
		{`["{workspace}"]`, `{"a":"b"}`, "/path must be a string"},
		{`["{workspace}"]`, `"~/x"`, "/path begins with ~"},
		{`["{workspace}"]`, `"~root"`, "/path begins with ~"},
		{`["{workspace}"]`, `"a~"`, ""},
		{`["{workspace}"]`, `"a\u0000b"`, "NUL"},
		{`["{workspace}"]`, `"file:///etc/passwd"`, "is a URL"},
		{`["{workspace}"]`, `"git+ssh://x/y"`, "is a URL"},
		{`["{workspace}"]`, `"a b://x"`, ""},
	} {
		x := tool(t, `{`+reads+`,"requires":{"fs":{"read":`+c.requires+`}}}`)
		says(t, c.requires+" "+c.path, judge(t, s, x, `{"path":`+c.path+`}`), c.want)
	}
}

// What is written is held against what may be written.
func TestWritesAreNotReads(t *testing.T) {
	s := plainScope(t)
	x := tool(t, `{"uses":{"fs.write":["/path"],"fs.read":["/path"]},"requires":{"fs":{"read":["{workspace}"],"write":["{workspace}/out"]}}}`)
	says(t, "out/x", judge(t, s, x, `{"path":"out/x"}`), "")
	says(t, "x", judge(t, s, x, `{"path":"x"}`), "/path is outside of what it may write: {workspace}/out")
	if said := judge(t, s, x, `{"path":"a\u0000b"}`); strings.Count(said, "NUL") != 1 {
		t.Errorf("a path that is read and written is told of more than once: %s", said)
	}
	x = tool(t, `{"effects":"read","uses":{"fs.write":["/path"]}}`)
	says(t, "a tool that reads", judge(t, s, x, `{"path":"x"}`), "it may write: nothing")
	x = tool(t, `{"uses":{"fs.write":["/path"]}}`)
	says(t, "a tool that declares nothing", judge(t, s, x, `{"path":"x"}`), "")
	says(t, "a tool that declares nothing, outside", judge(t, s, x, `{"path":"/etc/x"}`), "it may write: {workspace}")
}

// A relative path begins where the program runs.
func TestRelativePathsBeginInTheProgramsDirectory(t *testing.T) {
	s := plainScope(t)
	for cwd, want := range map[string]string{"sub": "/ws/sub/x", ".": "/ws/x", "/opt": "/opt/x"} {
		x := tool(t, `{"bridge":{"exec":{"command":["ls"],"cwd":"`+cwd+`"}},`+reads+`}`)
		found, err := uses(t, s, x, `{"path":"x"}`)
		if err != nil || found[1].Value != want {
			t.Errorf("%s: %+v, %v, want %s", cwd, found, err, want)
		}
	}
}

func TestLinksLeadOut(t *testing.T) {
	dir := tree(t, "ws/data/", "ws/other/", "secret/", "link>ws", "ws/data/out>DIR/secret", "ws/data/in>../data", "ws/planted>DIR/secret", "ws/moved>other", "ws/data/new>DIR/secret/new", "ws/data/up>../other")
	s := scope(t, capability.OS(), capability.Roots{Workspace: []string{dir + "/link"}})
	for _, c := range []struct{ requires, path, want string }{
		{"{workspace}/data", "data/x", ""},
		{"{workspace}/data", dir + "/link/data/x", ""},
		{"{workspace}/data", dir + "/ws/data/x", ""},
		{"{workspace}/data", "data/in/x", ""},
		{"{workspace}/data", "data/out/x", "outside"},
		{"{workspace}/data", "data/new", "outside"},
		{"{workspace}/data", "data/in/../../../secret", "from a link"},
		{"{workspace}/data", "data/out/../ws/data/x", "from a link"},
		{"{workspace}/data", "data/up/../data/x", "from a link"},
		{"{workspace}/data", "data/gone/../x", "cannot be resolved"},
		{"{workspace}/planted", "planted/x", "outside"},
		{"{workspace}/planted", dir + "/secret/x", "outside"},
		{"{workspace}/moved", "moved/x", "outside"},
		{"{workspace}", "moved/x", ""},
		{"{workspace}", "/proc/self/root" + dir + "/secret/x", "outside"},
		{dir + "/link", "data/x", "outside"},
		{dir + "/ws", "data/x", ""},
	} {
		x := tool(t, `{`+reads+`,"requires":{"fs":{"read":["`+c.requires+`"]}}}`)
		says(t, c.requires+" "+strings.ReplaceAll(c.path, dir, "DIR"), judge(t, s, x, `{"path":"`+c.path+`"}`), c.want)
	}
}

func TestHosts(t *testing.T) {
	s := plainScope(t)
	for _, c := range []struct{ hosts, url, want string }{
		{`["api.example.com"]`, "https://api.example.com/x", ""},
		{`["api.example.com"]`, "API.Example.com.", ""},
		{`["api.example.com"]`, "https://API.EXAMPLE.COM.:443/x", ""},
		{`["api.example.com"]`, "https://api.example.com:8443/x", "/url is outside of what it may reach: api.example.com"},
		{`["api.example.com"]`, "https://api.example.com@evil.example/x", "/url must be a host or a URL"},
		{`["api.example.com"]`, "https://evil.example/api.example.com", "outside"},
		{`["api.example.com"]`, "https://api.example.com.evil.example/", "outside"},
		{`["*.example.com"]`, "a.example.com", ""},
		{`["*.example.com"]`, "a.b.example.com", "outside"},
		{`["xn--bcher-kva.example"]`, "https://xn--bcher-kva.example/", ""},
		{`["xn--bcher-kva.example"]`, "https://bücher.example/", "must be a host"},
		{`["::1"]`, "http://[::1]/", ""},
		{`["127.0.0.1"]`, "http://[::ffff:127.0.0.1]/", ""},
		{`["127.0.0.1"]`, "http://127.1/", "must be a host"},
		{`["*"]`, "http://127.0.0.1/", "outside"},
		{`[]`, "http://example.com/", "it may reach: nothing"},
		{`["example.com"]`, "", "must be a host"},
	} {
		x := tool(t, `{"uses":{"net.fetch":["/url"]},"requires":{"net":{"hosts":`+c.hosts+`}}}`)
		says(t, c.hosts+" "+c.url, judge(t, s, x, `{"url":"`+c.url+`"}`), c.want)
	}
	x := tool(t, `{"uses":{"net.fetch":["/url"]}}`)
	says(t, "a tool that declares nothing", judge(t, s, x, `{"url":"example.com"}`), "it may reach: nothing")
	x = tool(t, `{"bridge":{"http":{"url":"https://api.example.com/x"}}}`)
	says(t, "an http tool", judge(t, s, x, `{}`), "")
	x = tool(t, `{"bridge":{"http":{"url":"https://api.example.com/x"}},"requires":{"net":{"hosts":["b.example.com"]}}}`)
	says(t, "an http tool whose hosts are others", judge(t, s, x, `{}`), "its own host is outside of what it may reach: b.example.com")
}

func TestCommands(t *testing.T) {
	s := plainScope(t)
	for _, c := range []struct{ shell, command, want string }{
		{`[{"cmd":"sh"},{"cmd":"git","args":["commit","-m",{"wildcard":true}]}]`, "git commit -m 'a b'", ""},
		{`[{"cmd":"sh"},{"cmd":"git","args":["commit","-m",{"wildcard":true}]}]`, "git commit -m a b", "/command is outside of what it may run: sh:* and git commit -m *"},
		{`[{"cmd":"sh"},{"cmd":"git","args":["commit","-m",{"wildcard":true}]}]`, "git push", "outside"},
		{`[{"cmd":"sh"},{"cmd":"git"}]`, "git push && git log | git x", ""},
		{`[{"cmd":"sh"},{"cmd":"git"}]`, "git push; rm -rf /", "outside"},
		{`[{"cmd":"sh"},{"cmd":"echo"}]`, "echo $X", ""},
		{`[{"cmd":"sh"},{"cmd":"echo","args":["a",{"wildcard":true}]}]`, "echo a $X", "outside"},
		{`[{"cmd":"sh"},{"cmd":"git"}]`, "git $(rm x)", "cannot be held against"},
		{`[{"cmd":"sh"},{"cmd":"git"}]`, "$X", "cannot be held against"},
		{`[{"cmd":"sh"},{"cmd":"git"}]`, "git log > /etc/x", "a redirection in /command is outside of what it may write: {workspace}"},
		{`[{"cmd":"sh"},{"cmd":"git"}]`, "git log > out/x", ""},
		{`[{"cmd":"sh"},{"cmd":"git"},{"cmd":"cd"}]`, "cd / && git log > etc/x", "a redirection"},
		{`[{"cmd":"sh"},{"cmd":"ls","args":[{"prefix":"-"}]}]`, "ls -la", ""},
		{`[{"cmd":"sh"},{"cmd":"ls","args":[{"prefix":"-"}]}]`, "ls la", "outside"},
		{`[{"cmd":"sh"},{"cmd":"ls","args":[]}]`, "ls -a", "outside"},
		{`[{"cmd":"sh"},{"cmd":"echo"},{"cmd":"rm"}]`, "echo x | xargs rm -f", ""},
		{`[{"cmd":"sh"},{"cmd":"echo"},{"cmd":"rm","args":["-f"]}]`, "echo x | xargs rm -f", "outside"},
		{`[{"cmd":"*"}]`, "anything $(at) all", ""},
		{`[{"cmd":"sh"}]`, "/tmp/ls -x", "outside"},
		{`[{"cmd":"git"}]`, "git log", "its own command is outside of what it may run: git:*"},
		{`[]`, "ls", "outside of what it may run: sh:*"},
		{`[{"cmd":"*"}]`, `a\u0000b`, "NUL"},
	} {
		x := tool(t, `{"bridge":{"exec":{"command":["sh","-c","eval \"$1\"","sh"]}},"uses":{"shell.run":["/command"]},"requires":{"fs":{"write":["{workspace}"]},"shell":`+c.shell+`}}`)
		says(t, c.shell+" "+c.command, judge(t, s, x, `{"command":"`+c.command+`"}`), c.want)
	}
	x := tool(t, `{"bridge":{"exec":{"command":["git","{command}"]}},"requires":{"shell":[{"cmd":"git","args":["status"]}]}}`)
	says(t, "its own arguments", judge(t, s, x, `{"command":"status"}`), "")
	says(t, "other arguments", judge(t, s, x, `{"command":"push"}`), "its own command is outside of what it may run: git status")
}

// An empty scope refuses a call whose arguments name no path.
func TestEmptyRoots(t *testing.T) {
	s := scope(t, plain{}, capability.Roots{})
	for x, want := range map[string]string{
		`{"bridge":{"exec":{"command":["ls"]}}}`:                                               "it may read only {workspace}, and there is no workspace",
		`{"bridge":{"exec":{"command":["ls"]}},"requires":{"fs":{"write":["{user-data}/x"]}}}`: "it may write only {user-data}/x, and there is no directory for a user's data",
		`{"bridge":{"exec":{"command":["ls"]}},"requires":{"fs":{"read":["{ad-hoc}"]}}}`:       "the client named no directories",
		`{"bridge":{"exec":{"command":["ls"]}},"requires":{"fs":{"read":["src"]}}}`:            "there is no workspace",
		`{"bridge":{"exec":{"command":["ls"]}},"requires":{"fs":{"read":["/usr"]}}}`:           "",
		`{"bridge":{"exec":{"command":["ls"]}},"requires":{}}`:                                 "",
		`{"uses":{"fs.read":["/path"]},"requires":{"fs":{"read":["/"]}}}`:                      "/path is a relative path, and there is no workspace",
	} {
		says(t, x, judge(t, s, tool(t, x), `{"path":"x"}`), want)
	}
}

func TestRefusedIsADecision(t *testing.T) {
	s := plainScope(t)
	x := tool(t, `{`+reads+`,"requires":{"fs":{"read":["{workspace}"]}}}`)
	found, err := uses(t, s, x, `{"path":"/etc/secret-name"}`)
	if err != nil {
		t.Fatal(err)
	}
	refused := s.Check(x, s.Effective(x), found).(*capability.Refused)
	d := refused.Decision()
	if d.Verdict != policy.Deny || d.Scope != policy.ScopeCapability || d.Rule != "requires" || strings.Contains(d.Reason, "secret-name") || refused.Use.Pointer != "/path" {
		t.Errorf("%s", fmt.Sprintf("%+v of %+v", d, refused.Use))
	}
}
