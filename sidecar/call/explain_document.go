package call

import (
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// ExplanationDocument is an Explanation as JSON: the body of GET /a2a/policy/explain.
type ExplanationDocument struct {
	Tool   string `json:"tool"`
	Caller string `json:"caller,omitempty"`
	Agent  bool   `json:"agent,omitempty"`
	// Invalid says why no rule was asked; there is no decision then.
	Invalid  string            `json:"invalid,omitempty"`
	Decision *DecisionDocument `json:"decision,omitempty"`
	Uses     []UseDocument     `json:"uses,omitempty"`
	Lost     []LostDocument    `json:"lost,omitempty"`
}

// DecisionDocument is a decision: what, and which rule in which line of which file says so.
type DecisionDocument struct {
	Verdict  string `json:"verdict"`
	Kind     string `json:"kind,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Rule     string `json:"rule,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Revision string `json:"revision,omitempty"`
}

// UseDocument is something that a call uses.
type UseDocument struct {
	Capability string `json:"capability"`
	Pointer    string `json:"pointer,omitempty"`
	Value      string `json:"value"`
	// Declared: the tool declares it, and no argument says more.
	Declared bool `json:"declared,omitempty"`
}

// LostDocument is a rule that matched and did not decide.
type LostDocument struct {
	Verdict string `json:"verdict"`
	Scope   string `json:"scope"`
	Rule    string `json:"rule"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	On      string `json:"on"`
	Why     string `json:"why"`
}

// Document returns the explanation for programs.
func (e *Explanation) Document() *ExplanationDocument {
	d := &ExplanationDocument{Tool: e.Tool, Caller: e.Caller, Agent: e.Agent, Invalid: e.Invalid}
	if e.Invalid != "" {
		return d
	}
	d.Decision = decisionDocument(&e.Decision)
	for _, u := range e.Uses {
		d.Uses = append(d.Uses, UseDocument{string(u.Capability), u.Pointer, u.Value, u.Declared})
	}
	for _, m := range e.Decision.Lost {
		d.Lost = append(d.Lost, LostDocument{m.Verdict.String(), m.Scope, m.Rule, m.File, m.Line, m.On, m.Why})
	}
	return d
}

func decisionDocument(d *policy.Decision) *DecisionDocument {
	return &DecisionDocument{d.Verdict.String(), string(d.Kind), d.Scope, d.Rule, d.File, d.Line, d.Reason, d.Revision}
}

// Text returns the explanation for people, several lines.
func (d *ExplanationDocument) Text() string {
	var b strings.Builder
	if d.Invalid != "" {
		fmt.Fprintf(&b, "%s: no rule is asked: %s\n", d.Tool, d.Invalid)
		return b.String()
	}
	fmt.Fprintf(&b, "%s: %s\n  by      %s%s\n  why     %s\n", d.Tool, d.Decision.Verdict, d.Decision.Rule, at(d.Decision.File, d.Decision.Line), d.Decision.Reason)
	for i, u := range d.Uses {
		fmt.Fprintf(&b, "%s%s %s%s\n", label("uses", i), u.Capability, u.Value, of(&u))
	}
	for i, l := range d.Lost {
		fmt.Fprintf(&b, "%s%s%s, on %s: %s\n", label("lost", i), l.Rule, at(l.File, l.Line), l.On, l.Why)
	}
	return b.String()
}

// label returns the label of the first line of a list, and room for it in the others.
func label(word string, i int) string {
	if i > 0 {
		word = ""
	}
	return fmt.Sprintf("  %-8s", word)
}

func at(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return " (" + file + ")"
	}
	return fmt.Sprintf(" (%s:%d)", file, line)
}

func of(u *UseDocument) string {
	switch {
	case u.Declared:
		return " (declared)"
	case u.Pointer != "":
		return " (" + u.Pointer + ")"
	}
	return ""
}

// CapabilitiesDocument is the body of GET /a2a/policy/capabilities: all that the agent's tools
// may use together, and what a caller can expect of each.
type CapabilitiesDocument struct {
	Revision string            `json:"revision,omitempty"`
	Requires manifest.Requires `json:"requires"`
	Tools    []ToolDocument    `json:"tools"`
}

// ToolDocument says of a tool what it may use, and the mildest decision that a call of it can
// get.
type ToolDocument struct {
	Tool     string            `json:"tool"`
	Requires manifest.Requires `json:"requires"`
	// Assumed: the tool declares nothing.
	Assumed bool `json:"assumed,omitempty"`
	// Permitted is false if no call of the tool can run. Absent then says which kind of reason
	// that is (policy, setup or capability), and Decision.Reason gives it.
	Permitted bool              `json:"permitted"`
	Absent    string            `json:"absent,omitempty"`
	Decision  *DecisionDocument `json:"decision"`
}
