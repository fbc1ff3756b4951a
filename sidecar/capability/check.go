package capability

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Rule names what refuses a call here, in a policy.Decision.
const Rule = "requires"

// Refused is the error of a call that uses what its tool does not require.
type Refused struct {
	Use    policy.Use // the zero Use if the scope is empty whatever the call uses
	Reason string     // for the caller: without values of arguments
}

func (e *Refused) Error() string { return e.Reason }

// Decision returns the refusal as a decision.
func (e *Refused) Decision() policy.Decision {
	return policy.Decision{Verdict: policy.Deny, Kind: policy.KindRule, Scope: policy.ScopeCapability, Rule: Rule, Reason: e.Reason}
}

// Check refuses a call that uses what the tool does not require. uses are those of the
// call (Scope.Uses), and the first that is outside decides. The error is a *Refused.
func (s *Scope) Check(t *manifest.Tool, set *Set, uses []policy.Use) error {
	for _, c := range [...]policy.Capability{policy.FSRead, policy.FSWrite} {
		if set.of(c).void() {
			return &Refused{Reason: "it may " + verb(c) + " only " + text.Enumerate(set.of(c).Patterns, "and") + ", and " + s.nothing(set.of(c).Empty)}
		}
	}
	for _, u := range uses {
		if why := s.outside(t, set, u); why != "" {
			return &Refused{Use: u, Reason: why}
		}
	}
	return nil
}

// nothing says why a pattern means no directory.
func (s *Scope) nothing(pattern string) string {
	switch variable, _ := manifest.CutVariable(pattern); variable {
	case manifest.VariableAdHoc:
		return "the client named no directories for this task"
	case manifest.VariableUserData:
		return "there is no directory for a user's data"
	}
	return "there is no workspace"
}

func verb(c policy.Capability) string {
	switch c {
	case policy.FSRead:
		return "read"
	case policy.FSWrite:
		return "write"
	case policy.NetFetch:
		return "reach"
	}
	return "run"
}

// outside says why a use is not what the tool requires, "" if it is.
func (s *Scope) outside(t *manifest.Tool, set *Set, u policy.Use) string {
	if u.Declared {
		return ""
	}
	switch u.Capability {
	case policy.FSRead, policy.FSWrite:
		if !set.of(u.Capability).Contains(u.Value) {
			return leaves(u, set.of(u.Capability).Patterns) + remedy(t, u)
		}
	case policy.NetFetch:
		if target, err := netguard.ParseTarget(u.Value); err != nil || !set.reaches(target) {
			return leaves(u, set.NetHosts) + remedy(t, u)
		}
	case policy.ShellRun:
		if u.Argv != nil {
			if !set.runs(u.Argv) {
				return leaves(u, commandPatterns(set.Shell))
			}
			return ""
		}
		return s.source(t, set, u)
	default:
		return "the capability " + string(u.Capability) + " is unknown"
	}
	return ""
}

// leaves says what a tool may do instead.
func leaves(u policy.Use, allowed []string) string {
	what := "its own command"
	if u.Pointer != "" {
		what = text.Show(text.Shorten(u.Pointer, pointerMax))
	} else if u.Capability == policy.NetFetch {
		what = "its own host"
	}
	may := "nothing"
	if len(allowed) > 0 {
		may = text.Show(text.Shorten(text.Enumerate(allowed, "and"), allowedMax))
	}
	return what + " is outside of what it may " + verb(u.Capability) + ": " + may
}

// remedy says what the caller of a tool of the sidecar's own can do about a value of its arguments: what such a tool
// requires is the same everywhere. "" for other tools.
func remedy(t *manifest.Tool, u policy.Use) string {
	switch {
	case t.Bridge.Kind != manifest.BridgeCore || u.Pointer == "":
		return ""
	case u.Capability == policy.NetFetch:
		return "; * is every public host, at ports 80 and 443, and --fetch-host adds others"
	}
	return "; give a path in the workspace, or relative to it; --root adds directories"
}

// What a reason repeats at most, in bytes.
const (
	pointerMax = 120
	allowedMax = 400
)

// runs reports whether the tool requires a command.
func (s *Set) runs(argv []string) bool {
	return slices.ContainsFunc(s.Shell, func(c manifest.ShellRun) bool { return Covers(c, argv) })
}

func commandPatterns(all []manifest.ShellRun) []string {
	out := make([]string, len(all))
	for i, c := range all {
		out[i] = commandPattern(c)
	}
	return out
}
