package policy

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
)

// Rule is a rule as it was written, and where.
type Rule struct {
	// Permission is the canonical name of a tool, a namespace such as "acme.*", a capability, or "*". A file
	// may have the ID of a tool of the sidecar's own: "bash" is "core.bash".
	Permission string
	// Pattern and Pointer limit the rule to some values; "" for any.
	Pattern string
	Pointer string
	// Callers are names, "agent" and "anonymous"; nil for all.
	Callers []string
	Verdict Verdict
	Reason  string
	Scope   string
	File    string
	Line    int
}

// Name returns the rule's action, permission, pointer and pattern.
func (r *Rule) Name() string {
	name := r.Verdict.String() + " " + r.Permission
	if r.Pointer != "" {
		name += " " + text.Show(r.Pointer)
	}
	if r.Pattern != "" {
		name += " " + text.Quote(r.Pattern, 120)
	}
	return name
}

// The callers that are not names.
const (
	callerAgent     = "agent"
	callerAnonymous = "anonymous"
)

// rule is a checked rule.
type rule struct {
	Rule
	capability Capability // "" for a rule of tools
	reach      int        // how specific the permission is
	// The pattern, in each form in which it can be read: a rule of tools without a
	// pointer speaks of whatever a call uses.
	path    *match.Path
	host    *match.Host
	command *match.Command
	text    *match.Text
}

// reachExact is the reach of a tool's id. That of a namespace is its length, that of "*" 0.
const reachExact = 1 << 20

// ofTools reports whether the rule speaks of a tool.
func (r *rule) ofTools(name string) bool {
	if r.capability != "" {
		return false
	}
	namespace, all := strings.CutSuffix(r.Permission, "*")
	if all {
		return strings.HasPrefix(name, namespace)
	}
	return r.Permission == name
}

// ofUses reports whether a rule of tools speaks of what a call uses.
func (r *rule) ofUses() bool { return r.Pattern != "" && r.Pointer == "" }

// speaksTo reports whether the rule holds for whoever makes the call. The agent may do
// less than the caller of its turn, never more: what that caller may not do, it may not
// do either; what that caller may do, is not thereby allowed.
func (r *rule) speaksTo(caller string, agent bool) bool {
	if r.Callers == nil {
		return true
	}
	if agent && slices.Contains(r.Callers, callerAgent) {
		return true
	}
	if agent && r.Verdict == Allow {
		return false
	}
	if caller == "" {
		return slices.Contains(r.Callers, callerAnonymous)
	}
	return caller != callerAgent && caller != callerAnonymous && slices.Contains(r.Callers, caller)
}

// argument reports whether the rule matches the argument at its pointer.
func (r *rule) argument(args *jsontree.Node) bool {
	n := args.At(r.Pointer)
	if n == nil || r.Pattern == "" {
		return n != nil
	}
	if n.Kind != jsontree.Array {
		return r.text.Matches(argumentText(n))
	}
	matches := func(n jsontree.Node) bool { return r.text.Matches(argumentText(&n)) }
	if r.Verdict == Allow {
		return len(n.Children) > 0 && !slices.ContainsFunc(n.Children, func(n jsontree.Node) bool { return !matches(n) })
	}
	return slices.ContainsFunc(n.Children, matches)
}

// argumentText returns an argument as patterns see it: a string as it is, an object or
// a list as compact JSON, anything else as it is written.
func argumentText(n *jsontree.Node) string {
	if n.Kind != jsontree.Object && n.Kind != jsontree.Array {
		return n.Text
	}
	b, err := text.JSON(n.Value())
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(b), "\n")
}

// matches reports whether the rule matches one thing that a call uses, and how
// specifically. A rule that allows must cover it, any other must touch it. A rule of
// commands without a pattern speaks of what calls bring, not of a tool's own program.
func (r *rule) matches(a *atom, roots Roots) (match.Rank, bool) {
	if r.capability != "" && (r.capability != a.capability || r.Pointer != "" && !pointsTo(r.Pointer, a.pointer)) {
		return match.Rank{}, false
	}
	if r.Pattern == "" {
		return match.Rank{}, !a.own || a.capability != ShellRun
	}
	switch a.capability {
	case FSRead, FSWrite:
		return r.matchesPath(a, roots)
	case NetFetch:
		return r.matchesHost(a)
	case ShellRun:
		return r.matchesCommand(a)
	}
	return match.Rank{}, false
}

// pointsTo reports whether a pointer is that of a value, or of the list that holds it.
func pointsTo(pointer, value string) bool {
	rest, ok := strings.CutPrefix(value, pointer)
	return ok && (rest == "" || rest[0] == '/')
}

func (r *rule) matchesPath(a *atom, roots Roots) (match.Rank, bool) {
	switch {
	case r.path == nil:
		return match.Rank{}, false
	case a.declared && r.Verdict == Allow:
		return r.path.CoversPattern(a.value, roots)
	case a.declared:
		return r.path.TouchesPattern(a.value, roots)
	case r.Verdict == Allow:
		return r.path.Covers(a.value, roots)
	}
	return r.path.Touches(a.value, roots)
}

func (r *rule) matchesHost(a *atom) (match.Rank, bool) {
	switch {
	case r.host == nil:
		return match.Rank{}, false
	case a.declared && r.Verdict == Allow:
		return r.host.CoversPattern(a.value)
	case a.declared && a.atConnect && r.Verdict == Deny:
		return r.host.TouchesAll(a.value)
	case a.declared:
		return r.host.TouchesPattern(a.value)
	case r.Verdict == Allow:
		return r.host.Covers(a.value)
	}
	return r.host.Touches(a.value)
}

func (r *rule) matchesCommand(a *atom) (match.Rank, bool) {
	switch c := r.command; {
	case c == nil:
		return match.Rank{}, false
	case a.command == nil && a.declared && r.Verdict == Allow:
		return c.Rank(), c.CoversPattern(a.value)
	case a.command == nil && a.declared:
		return c.Rank(), c.TouchesPattern(a.value)
	case a.command == nil: // source that could not be taken apart
		return c.Rank(), r.Verdict != Allow && c.Named(a.value)
	case r.Verdict == Allow:
		return c.Rank(), c.Covers(a.command)
	default:
		return c.Rank(), c.Touches(a.command)
	}
}
