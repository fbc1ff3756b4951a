package surface

import "github.com/a2a-sidecar/sidecar/manifest"

// addSkills adds what the loaded skills bring. They come last: none of them takes another's name, and what is
// reserved to others is not theirs.
func (c *composer) addSkills() {
	if c.in.skills == nil {
		return
	}
	for i := range c.in.skills.All {
		s := &c.in.skills.All[i]
		provenance := ProvenanceSkill + ":" + s.Name
		for _, t := range s.Tools {
			if why := c.notASkills(t); why != "" {
				c.lose(Lost{Name: t.Name, Description: t.Description, Text: why}, provenance, "")
				continue
			}
			c.add(&entry{name: t.Name, tier: fromSkill, tool: t, provenance: provenance})
		}
	}
}

// notASkills says why a skill cannot bring a tool, "" if it can.
func (c *composer) notASkills(t *manifest.Tool) string {
	if first := namespaceOf(t.Name); first == PlatformNamespace || first == CoreNamespace {
		return "the namespace " + quote(first) + " is the platform's"
	}
	for namespace := range namespacesOf(t.Name) {
		if c.reserved[namespace] {
			return "the namespace " + quote(namespace) + " is reserved in " + c.grantsFile()
		}
	}
	for i := range c.bindings {
		if b := &c.bindings[i]; within(t.Name, b.Namespace) {
			return "the namespace " + quote(b.Namespace) + " is that of the connector " + quote(b.slug)
		}
	}
	return ""
}
