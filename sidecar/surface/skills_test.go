package surface_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// brought is a skill with these tools.
func brought(t testing.TB, name string, tools ...string) surface.Skill {
	return surface.Skill{Name: name, Tools: image(t, tools...).Tools()}
}

// What a loaded skill brings is there, and takes nobody's name.
func TestSkillsTools(t *testing.T) {
	for name, c := range map[string]struct {
		tiers tiers
		want  []string
	}{
		"beside others": {tiers{image: surface.Image{Snapshot: image(t, "acme.echo")}, skills: &surface.Skills{All: []surface.Skill{brought(t, "pdf", "pdf.fill"), brought(t, "word", "word.fill")}}},
			[]string{"acme.echo image manifest", "pdf.fill skill:pdf manifest", "word.fill skill:word manifest"}},
		"the image's name": {tiers{image: surface.Image{Snapshot: image(t, "pdf.fill")}, skills: &surface.Skills{All: []surface.Skill{brought(t, "pdf", "pdf.fill")}}},
			[]string{"pdf.fill image manifest"}},
		"another skill's": {tiers{skills: &surface.Skills{All: []surface.Skill{brought(t, "a", "pdf.fill"), brought(t, "b", "pdf.fill")}}},
			[]string{"pdf.fill skill:a manifest"}},
		"a name that clients cannot tell": {tiers{image: surface.Image{Snapshot: image(t, "pdf.fill_in")}, skills: &surface.Skills{All: []surface.Skill{brought(t, "pdf", "pdf.fill.in")}}},
			[]string{"pdf.fill_in image manifest", `pdf.fill.in skill:pdf manifest - setup: it is not served: clients that write _ for . cannot tell its name from "pdf.fill_in", which has precedence`}},
		"a server's namespace": {tiers{connectors: []surface.Connector{{Slug: "git"}}, skills: &surface.Skills{All: []surface.Skill{brought(t, "pdf", "git.push")}}},
			[]string{`git.push skill:pdf - setup: it is not served: the namespace "git" is that of the connector "git"`}},
		"a reserved namespace": {tiers{grants: grants(t, `{"reserved":["corp"]}`), skills: &surface.Skills{All: []surface.Skill{brought(t, "pdf", "corp.push")}}},
			[]string{`corp.push skill:pdf - setup: it is not served: the namespace "corp" is reserved in grants.json`}},
		"the sidecar's": {tiers{core: core(t, "core.read"), skills: &surface.Skills{All: []surface.Skill{{Name: "pdf", Tools: core(t, "core.write").Tools()}}}},
			[]string{"core.read core core", `core.write skill:pdf - setup: it is not served: the namespace "core" is the platform's`}},
	} {
		if diff := cmp.Diff(c.want, lines(t, c.tiers.view())); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// Each viewer has the tools of the skills that it has loaded.
func TestSkillsOfAViewer(t *testing.T) {
	one, empty := &surface.Skills{All: []surface.Skill{brought(t, "pdf", "pdf.fill")}}, manifest.Compose()
	s := surface.New(surface.Options{
		Image: func() surface.Image { return surface.Image{Snapshot: empty} },
		Skills: func(v surface.Viewer) *surface.Skills {
			if v.Conversation() == "c" {
				return one
			}
			return nil
		},
	})
	for context, want := range map[string]int{"": 0, "c": 1, "d": 0} {
		if got := len(s.For(surface.Viewer{Context: context}).Snapshot().Tools()); got != want {
			t.Errorf("in %q: %d tools, want %d", context, got, want)
		}
	}
}
