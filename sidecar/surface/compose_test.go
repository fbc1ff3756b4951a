package surface_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// The table of precedence: explicit > connector > platform > image, one row a tool.
func TestPrecedence(t *testing.T) {
	github := surface.Connector{Slug: "github", Tools: tools(t, "github", "github.search")}
	platform := &surface.Platform{Tools: tools(t, "platform", "sv.memory.read")}
	const notBound = ` - policy: the connector "github" is not bound in grants.json`
	for name, c := range map[string]struct {
		tiers
		want []string
		lost string
	}{
		"the image alone": {tiers{image: surface.Image{Snapshot: image(t, "acme.echo")}},
			[]string{"acme.echo image manifest"}, ""},
		"its digest": {tiers{image: surface.Image{Snapshot: image(t, "acme.echo"), Digest: "sha256:ab"}},
			[]string{"acme.echo image:sha256:ab manifest"}, ""},
		"every tier": {tiers{image: surface.Image{Snapshot: image(t, "acme.echo")}, connectors: []surface.Connector{github}, platform: platform},
			[]string{"github.search connector:github mcp:github", "sv.memory.read platform mcp:platform", "acme.echo image manifest"}, ""},
		"a connector over the image": {tiers{image: surface.Image{Snapshot: image(t, "github.search")}, connectors: []surface.Connector{github}},
			[]string{"github.search connector:github mcp:github"}, "that of connector:github over that of image"},
		"the platform over the image": {tiers{image: surface.Image{Snapshot: image(t, "acme.echo")}, platform: platform},
			[]string{"sv.memory.read platform mcp:platform", "acme.echo image manifest"}, ""},
		"explicit over all three": {tiers{
			image: surface.Image{Snapshot: image(t, "github.search")}, connectors: []surface.Connector{github}, platform: platform,
			grants: grants(t, `{"connectors":{"github":{"inheritedFrom":"unit:a"}},"grants":[{"tool":"github.search"},{"namespace":"sv.memory"}]}`),
		}, []string{"github.search explicit mcp:github", "sv.memory.read explicit mcp:platform"}, "over that of image"},
		"explicit, of a connector that is not bound": {tiers{
			connectors: []surface.Connector{github}, grants: grants(t, `{"grants":[{"tool":"github.search"}]}`),
		}, []string{"github.search explicit mcp:github"}, ""},
		"explicit, of nothing": {tiers{grants: grants(t, `{"grants":[{"tool":"acme.gone"}]}`)},
			[]string{"acme.gone explicit - setup: it is granted in grants.json, and nothing provides it"}, ""},
		"inherited": {tiers{connectors: []surface.Connector{github}, grants: grants(t, `{"connectors":{"github":{"inheritedFrom":"unit:a"}}}`)},
			[]string{"github.search connector:github mcp:github unit:a"}, ""},
		"not bound": {tiers{connectors: []surface.Connector{github}, grants: grants(t, `{"connectors":{"github":{"bound":false}}}`)},
			[]string{"github.search connector:github mcp:github" + notBound}, ""},
		"not in the file": {tiers{connectors: []surface.Connector{github}, grants: grants(t, `{}`)},
			[]string{"github.search connector:github mcp:github" + notBound}, ""},
		"not bound, and the image has it": {tiers{
			image: surface.Image{Snapshot: image(t, "github.search")}, connectors: []surface.Connector{github}, grants: grants(t, `{}`),
		}, []string{"github.search image manifest"}, "that of image over that of connector:github"},
		"not started, and the image has it": {tiers{
			image:      surface.Image{Snapshot: image(t, "github.search")},
			connectors: []surface.Connector{{Slug: "github", Tools: github.Tools, Problem: "no\x1b program"}},
		}, []string{`github.search connector:github mcp:github - setup: the connector "github" cannot be used: no program`}, "that of connector:github over that of image"},
		"a connector of the image's tools": {tiers{
			image: surface.Image{Snapshot: image(t, "acme.echo", "acmes.echo")}, grants: grants(t, `{"connectors":{"acme":{"inheritedFrom":"unit:b"}}}`),
		}, []string{"acme.echo connector:acme manifest unit:b", "acmes.echo image manifest"}, ""},
		"one that is not bound": {tiers{
			image: surface.Image{Snapshot: image(t, "acme.echo")}, grants: grants(t, `{"connectors":{"shop":{"bound":false,"namespace":"acme"}}}`),
		}, []string{`acme.echo connector:shop manifest - policy: the connector "shop" is not bound in grants.json`}, ""},
		"a reserved namespace": {tiers{
			image: surface.Image{Snapshot: image(t, "slack.post")}, grants: grants(t, `{"reserved":["slack"],"grants":[{"tool":"slack.post"}]}`),
		}, []string{`slack.post explicit manifest - policy: the namespace "slack" is reserved in grants.json, and the image may not use it`}, ""},
		"outside of the namespace": {tiers{
			image:      surface.Image{Snapshot: image(t, "acme.echo")},
			connectors: []surface.Connector{{Slug: "github", Tools: tools(t, "github", "acme.echo", "core.read", "github.search")}},
		}, []string{
			"acme.echo image manifest",
			`core.read connector:github - setup: it is not served: the namespace "core" is the platform's`,
			"github.search connector:github mcp:github",
		}, "that of image over that of connector:github"},
		"equal for some clients": {tiers{
			image:      surface.Image{Snapshot: image(t, "github.re_p_o", "acme.a")},
			connectors: []surface.Connector{{Slug: "github", Tools: tools(t, "github", "github.re.p_o", "github.re_p.o")}},
		}, []string{
			"github.re.p_o connector:github mcp:github",
			`github.re_p.o connector:github mcp:github - setup: it is not served: clients that write _ for . cannot tell its name from "github.re.p_o", which has precedence`,
			`github.re_p_o image manifest - setup: it is not served: clients that write _ for . cannot tell its name from "github.re.p_o", which has precedence`,
			"acme.a image manifest",
		}, ""},
		"twice, of two connectors": {tiers{connectors: []surface.Connector{
			{Slug: "one", Namespace: "files", Tools: tools(t, "one", "files.read")}, {Slug: "two", Namespace: "files", Tools: tools(t, "two", "files.read")},
		}}, []string{"files.read connector:one mcp:one"}, "that of connector:one over that of connector:two"},
		"what a server cannot offer": {tiers{connectors: []surface.Connector{{Slug: "github", Lost: []surface.Lost{
			{Name: "github.bad", Native: "bad", Text: "its schema is bad"}, {Native: "??", Text: "it has no name"},
		}}}}, []string{"github.bad connector:github - setup: it is not served: its schema is bad"}, "it has no name"},
	} {
		v := c.view()
		if diff := cmp.Diff(c.want, lines(t, v)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		var lost string
		for _, l := range v.Lost() {
			lost += l.Text + "\n"
		}
		if !strings.Contains(lost, c.lost) || c.lost == "" && lost != "" {
			t.Errorf("%s: lost %q, want %q", name, lost, c.lost)
		}
		for _, r := range v.Rows(t.Context()) {
			_, found := v.Snapshot().Lookup(r.Name)
			if _, absent := v.Absent(r.Name); found == absent || found != (r.Absent == nil) {
				t.Errorf("%s: %s is in the snapshot: %v, and absent: %v", name, r.Name, found, absent)
			}
		}
	}
}

// A tool of three tiers appears once; what is served is the definition of the highest.
func TestThreeTiers(t *testing.T) {
	server := tool(t, "acme", "acme.echo")
	v := tiers{
		image: surface.Image{Snapshot: image(t, "acme.echo", "acme.other")}, connectors: []surface.Connector{{Slug: "acme", Tools: []*manifest.Tool{server}}},
		grants: grants(t, `{"connectors":{"acme":{}},"grants":[{"tool":"acme.echo"}]}`),
	}.view()
	want := []surface.Row{
		{Name: "acme.echo", Namespace: "acme", Description: "acme", Provenance: "explicit", Source: "mcp:acme", ExternalMappings: map[string]string{"mcp:acme": "native-acme.echo"}},
		{Name: "acme.other", Namespace: "acme", Description: "image", Provenance: "image", Source: "manifest"},
	}
	if diff := cmp.Diff(want, v.Rows(t.Context())); diff != "" {
		t.Error(diff)
	}
	if got, _ := v.Snapshot().Lookup("acme.echo"); got != server || len(v.Snapshot().Tools()) != 2 {
		t.Errorf("a call gets %v", got)
	}
}

// A tool that exists and cannot be called differs from one that does not exist.
func TestAbsent(t *testing.T) {
	v := tiers{
		image:      surface.Image{Snapshot: image(t, "acme.echo")},
		connectors: []surface.Connector{{Slug: "github", Problem: "no such program"}, {Slug: "files", Tools: tools(t, "files", "files.read")}},
		platform:   &surface.Platform{Absent: &surface.Absence{Reason: surface.Task, Text: "there is no turn"}},
		grants:     grants(t, `{"connectors":{"github":{}}}`),
	}.view()
	for name, want := range map[string]string{
		"acme.echo": "", "acme.gone": "", "gone": "", "": "", "github": "",
		"github.anything": surface.Setup, "github.a.b": surface.Setup, "githubs.a": "",
		"sv.memory.read": surface.Task, "files.read": surface.Policy, "files.other": surface.Policy,
	} {
		if a, ok := v.Absent(name); a.Reason != want || ok != (want != "") {
			t.Errorf("%q: %v, %v, want %q", name, a, ok, want)
		}
	}
}

// What is listed is the manifest's to say, and then the owner's.
func TestListed(t *testing.T) {
	o := tiers{image: surface.Image{Snapshot: image(t, "acme.a", "acme.b+", "acme.x.c", "other.d")}}
	for file, want := range map[string]string{
		`{}`:                         "acme.a acme.x.c other.d | acme.b",
		`{"default":"always"}`:       "acme.a acme.b acme.x.c other.d | ",
		`{"discoverable":["*"]}`:     " | acme.a acme.b acme.x.c other.d",
		`{"default":"discoverable"}`: " | acme.a acme.b acme.x.c other.d",
		`{"discoverable":["*"],"always":["acme.*"]}`:                                 "acme.a acme.b acme.x.c | other.d",
		`{"always":["*","acme.x.c"],"discoverable":["acme.*","acme.x.*"]}`:           "acme.x.c other.d | acme.a acme.b",
		`{"always":["acme.x.*"],"discoverable":["acme.*"],"default":"discoverable"}`: "acme.x.c | acme.a acme.b other.d",
	} {
		o.preferences = preferences(t, file)
		v := o.view()
		got := names(v.Listed(t.Context())) + " | " + names(v.Deferred(t.Context()))
		if got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
		for _, name := range []string{"acme.a", "acme.b", "acme.x.c", "other.d"} {
			if _, ok := v.Snapshot().Lookup(name); !ok {
				t.Errorf("%s: %s cannot be called", file, name)
			}
		}
	}
}

func names(all []*manifest.Tool) string {
	var out []string
	for _, t := range all {
		out = append(out, t.Name)
	}
	return strings.Join(out, " ")
}
