package surface

import (
	"iter"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Why a tool is absent from what a viewer can call, or from the list that it is shown.
const (
	Policy     = "policy"     // it is not granted, or the rules deny it
	Setup      = "setup"      // what executes it is missing or does not work
	Capability = "capability" // what it requires is not there
	Task       = "task"       // it cannot be called in this task
	Deferred   = "deferred"   // it can be called by its name, and is found by searching
)

// Absence says why a tool is absent. The zero Absence: it is not.
type Absence struct {
	Reason string `json:"reason"`
	Text   string `json:"text"` // as a sentence without its end
}

// The tiers in a Provenance. ProvenanceConnector and ProvenanceImage are followed by a colon and
// the connector's slug, or the image's digest if that is known.
const (
	ProvenanceExplicit  = "explicit"
	ProvenanceConnector = "connector"
	ProvenancePlatform  = "platform"
	ProvenanceImage     = "image"
	ProvenanceCore      = "core"  // the sidecar brings it
	ProvenanceSkill     = "skill" // followed by a colon and the name of the skill, which is loaded
)

// Row is one tool of the effective set.
type Row struct {
	Name        string `json:"name"`
	Namespace   string `json:"namespace"`
	Description string `json:"description"`
	// Provenance is the highest tier that grants the tool.
	Provenance string `json:"provenance"`
	// InheritedFrom is where the grant was made, such as "unit:engineering"; "" for here.
	InheritedFrom string `json:"inheritedFrom,omitempty"`
	// Source is manifest.Tool.Source: who defines it. "" if nobody does.
	Source string `json:"source,omitempty"`
	// ExternalMappings has, for a source outside, what that source calls the tool. For one of the sidecar's
	// own it has, under "core", the ID that models see, by which it can be called as well.
	ExternalMappings map[string]string `json:"external_mappings,omitempty"`
	// Absent is nil for a tool that is listed and can be called.
	Absent *Absence `json:"absent,omitempty"`
}

// Tier returns the first word of the provenance: one of the Provenance constants.
func (r *Row) Tier() string {
	tier, _, _ := strings.Cut(r.Provenance, ":")
	return tier
}

// namespaceOf returns the first segment of a name.
func namespaceOf(name string) string {
	first, _, _ := strings.Cut(name, ".")
	return first
}

// within reports whether a name is in a namespace, which may have several segments.
func within(name, namespace string) bool {
	return len(name) > len(namespace) && name[len(namespace)] == '.' && strings.HasPrefix(name, namespace)
}

// namespacesOf returns the namespaces that a name is in, the longest first, without those that are too
// long to be known: a caller may ask for any name.
func namespacesOf(name string) iter.Seq[string] {
	name = name[:min(len(name), maxName+1)]
	return func(yield func(string) bool) {
		for dot := strings.LastIndexByte(name, '.'); dot > 0; dot = strings.LastIndexByte(name[:dot], '.') {
			if !yield(name[:dot]) {
				return
			}
		}
	}
}

// isTool reports whether s can be a tool's id.
func isTool(s string) bool {
	return len(s) <= maxName && namespaceOf(s) != s && policy.IsName(s)
}
