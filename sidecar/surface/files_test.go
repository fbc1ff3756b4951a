package surface_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// Whatever a file has in it, each fault is told with its place, and with the fix if one is known.
func TestHostileGrants(t *testing.T) {
	entries := func(format string) string {
		var b strings.Builder
		for i := range 10_001 {
			fmt.Fprintf(&b, format, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for src, want := range map[string][]string{
		``:                                     {"1:1:"},
		`[]`:                                   {"1:1: must be an object, not an array"},
		`{"connectors":[]}`:                    {"1:15: /connectors: must be an object with the connectors' slugs"},
		`{"conectors":{}}`:                     {`the key "conectors" is unknown here; hint: write "connectors"`},
		`{"connectors":{"A-b":{}}}`:            {`1:16: /connectors/A-b: "A-b" is not a connector's slug; hint: write "a_b"`},
		`{"connectors":{"a":{},"a":{}}}`:       {"1:23:"},
		`{"connectors":{"sv":{},"core":{}}}`:   {`"sv" is the platform's`, `"core" is the platform's`},
		`{"connectors":{"a":{"bound":"yes"}}}`: {"1:29: /connectors/a/bound: must be true or false, not a string"},
		`{"connectors":{"a":{"namespace":"core.x"}}}`:            {`"core.x" is the platform's`},
		`{"connectors":{"a":{"namespace":"A"}}}`:                 {`"A" is not a namespace`},
		`{"connectors":{"a":{"inheritedFrom":"\u001b[31m"}}}`:    {"visible text"},
		`{"connectors":{"a":{"inheritedFrom":""}}}`:              {"1 to 128 bytes"},
		`{"connectors":{"a":{"tools":[]}}}`:                      {`the key "tools" is unknown here`},
		`{"connectors":{"a":null}}`:                              {"must be an object, not null"},
		`{"connectors":{"` + strings.Repeat("a", 200) + `":{}}}`: {"is not a connector's slug"},
		`{"grants":{}}`:   {`must be an array of {"tool":"…"}`},
		`{"grants":[{}]}`: {`1:12: /grants/0: a grant has either "tool" or "namespace"`},
		`{"grants":[{"tool":"a.b","namespace":"a"}]}`:       {`a grant has either "tool" or "namespace"`},
		`{"grants":[{"tool":"a.*"}]}`:                       {`"a.*" is not a tool's id`},
		`{"grants":[{"tool":"acme"}]}`:                      {`"acme" is not a tool's id; hint: write "<namespace>.<tool>"`},
		`{"grants":[{"namespace":"acme.*"}]}`:               {`"acme.*" is not a namespace`, `without "*"`},
		`{"grants":[{"tool":7}]}`:                           {"must be a string, not a number"},
		`{"reserved":"slack"}`:                              {"must be an array of namespaces"},
		`{"reserved":["Slack",1]}`:                          {`"Slack" is not a namespace`, "must be a string"},
		`{"reserved":["slack"]} x`:                          {"1:24:"},
		`{"grants":[` + entries(`{"tool":"a.t%d"},`) + `]}`: {"has 10001 entries, and at most 10000"},
		`{"connectors":{` + entries(`"a%d":{},`) + `}}`:     {"has 10001 entries"},
		`{"reserved":[` + entries(`"a%d",`) + `]}`:          {"has 10001 entries"},
		"\xff{}":                          {"1:1:"},
		strings.Repeat(" ", 1<<20) + "{}": {"more than 1MiB"},
		strings.Repeat("[", 500_000):      {"nested deeper"},
	} {
		g, err := surface.ParseGrants("grants.json", []byte(src))
		var faults jsontree.Faults
		if g != nil || !errors.As(err, &faults) {
			t.Errorf("%.60s: %v, %v", src, g, err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.60s: %.300v, want %q", src, err, w)
			}
		}
	}
	g := grants(t, `{"reserved":["sv","core","slack"]}`)
	if len(g.Reserved) != 1 {
		t.Errorf("reserved: %v", g.Reserved)
	}
}

func TestHostilePreferences(t *testing.T) {
	for src, want := range map[string]string{
		`{"always":"*"}`:                                  "must be an array of strings",
		`{"always":["acme"]}`:                             `"acme" is not a pattern; hint: write a tool ("acme.echo"), a namespace ("acme.*") or "*"`,
		`{"always":["*.echo"]}`:                           "is not a pattern",
		`{"always":["acme.e*"]}`:                          "is not a pattern",
		`{"always":["acme.*"],"discoverable":["acme.*"]}`: `1:38: /discoverable/0: "acme.*" is in both lists`,
		`{"default":"never"}`:                             `must be "always" or "discoverable", not "never"`,
		`{"allways":[]}`:                                  `hint: write "always"`,
		`[]`:                                              "must be an object",
	} {
		if p, err := surface.ParsePreferences("surface.json", []byte(src)); p != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", src, err, want)
		}
	}
}

func FuzzParseGrants(f *testing.F) {
	f.Add([]byte(`{"connectors":{"a":{"bound":true,"namespace":"b","inheritedFrom":"c"}},"grants":[{"tool":"a.b"},{"namespace":"a"}],"reserved":["d"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := surface.ParseGrants("f", data)
		if g == nil == (err == nil) {
			t.Errorf("%v, %v", g, err)
		}
		if g != nil {
			tiers{image: surface.Image{Snapshot: image(t, "a.b", "d.e")}, grants: g}.view().Rows(t.Context())
		}
	})
}

// write replaces a file as an editor does.
func write(t *testing.T, path, text string) {
	t.Helper()
	next := path + ".next"
	if err := errors.Join(os.WriteFile(next, []byte(text), 0o600), os.Rename(next, path)); err != nil {
		t.Fatal(err)
	}
}

// followed is a grants file that is followed.
func followed(t *testing.T, path string, o surface.FileOptions) *surface.File[surface.Grants] {
	t.Helper()
	o.Poll = 20 * time.Millisecond
	f, err := surface.OpenGrants(path, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	return f
}

// A good edit counts soon. A bad one, one that is not believed, and a file that is gone change
// nothing, and are told.
func TestFileIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	write(t, path, `{"reserved":["one"]}`)
	f := followed(t, path, surface.FileOptions{})
	has := func(name string) func() bool {
		return func() bool { g := f.Current(); return len(g.Reserved) == 1 && g.Reserved[0] == name }
	}
	says := func(text string) func() bool {
		return func() bool { return f.Last() != nil && strings.Contains(f.Last().Error(), text) }
	}
	changed := f.Changed()
	write(t, path, `{"reserved":["two"]}`)
	await.One(t, changed, "the change")
	await.True(t, "the edit", has("two"))
	write(t, path, `{"reserved":"three"}`)
	await.True(t, "the bad edit", says("grants.json:1:13: /reserved"))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the missing file", says("no such file"))
	if !has("two")() {
		t.Errorf("what was good is gone: %v", f.Current())
	}
	write(t, path, `{"reserved":["four"]}`)
	await.True(t, "the good edit", has("four"))
	if f.Last() != nil {
		t.Errorf("still %v", f.Last())
	}
}

func TestOpenFileThatIsNotGood(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(dir, "good")
	write(t, good, `{}`)
	for path, want := range map[string]string{dir: "directory", filepath.Join(dir, "none"): "no such file", pipe: "it is a pipe", "/dev/zero": "1MiB"} {
		if _, err := surface.OpenGrants(path, surface.FileOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if _, err := surface.OpenPreferences(good, surface.FileOptions{Trust: func(string) error { return errors.New("the agent owns it") }}); err == nil || !strings.Contains(err.Error(), "is not believed: the agent owns it") {
		t.Errorf("not believed: %v", err)
	}
}
