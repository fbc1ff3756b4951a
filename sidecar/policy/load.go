package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// File is a file of rules.
type File struct {
	Scope string // ScopePreset, ScopeManifest or ScopeProject
	Name  string // for messages
	Data  []byte // is not kept and must not change while Load runs
}

// Options say how rules are checked and applied. The zero value is valid.
type Options struct {
	// Roots are what {workspace}, {ad-hoc} and {user-data} stand for.
	Roots Roots
	// TrustProject lets the project's rules lift an ask. They never lift a deny.
	TrustProject bool
	// Protection adds protected paths, or takes some away.
	Protection Protection
	// Session holds a person's answers. nil: there are none.
	Session *Session
	// Tools are the tools that there are: a rule for another one is warned about. nil:
	// not known.
	Tools *manifest.Snapshot
	// Redaction checks a pattern of "redact". nil: any regular expression of Go is valid.
	Redaction func(pattern string) error
	// Redactable checks what all files together want hidden. nil: anything is good.
	Redactable func(Redact) error
}

// Redact is what a policy file wants hidden in the results of tools.
type Redact struct {
	// Patterns are regular expressions.
	Patterns []string
	// Environment are the names of variables of the sidecar, whose values are hidden.
	Environment []string
	// Secrets says whether what looks like a known kind of secret is hidden.
	Secrets bool
}

// Load checks files and returns their rules. It reads nothing and asks nobody. The error is
// jsontree.Faults: every fault of every file. The warnings, which do not stop the rules from
// being used, are returned in both cases: most of them are of rules that never match. With
// no file, the Set decides as BuiltIn does.
func Load(files []File, o Options) (*Set, jsontree.Faults, error) {
	s := &Set{opts: o, protect: newProtected(o.Protection)}
	var faults, warnings jsontree.Faults
	sum := sha256.New()
	for _, f := range files {
		d := decoder{file: f, opts: &o, redactAt: -1}
		d.decode()
		s.add(&d)
		d.redactable(s.redact)
		faults = append(faults, jsontree.Locate(f.Name, string(f.Data), d.Faults)...)
		fmt.Fprintf(sum, "%s %d\n%s", f.Scope, len(f.Data), f.Data)
		d.never()
		warnings = append(warnings, jsontree.Locate(f.Name, string(f.Data), d.Warnings)...)
	}
	if len(faults) > 0 {
		return nil, warnings, faults
	}
	if len(files) > 0 {
		fmt.Fprintf(sum, "trusted %t", o.TrustProject)
		s.revision = "sha256:" + hex.EncodeToString(sum.Sum(nil))
	}
	return s, warnings, nil
}

// redactable checks what the files up to this one want hidden, if this one wants anything. What
// cannot be built would hide nothing.
func (d *decoder) redactable(all Redact) {
	if d.opts.Redactable == nil || d.redactAt < 0 || len(d.Faults) > 0 {
		return
	}
	if err := d.opts.Redactable(all); err != nil {
		d.Fault(d.redactAt, "/redact", "cannot be used: "+text.Show(err.Error()), "")
	}
}

// add puts what a file says into its scope.
func (s *Set) add(d *decoder) {
	place := &s.manifest
	if d.file.Scope == ScopeProject {
		place = &s.project
	}
	if *place == nil {
		*place = &scope{name: d.file.Scope}
	}
	sc := *place
	sc.files = append(sc.files, d.file.Name)
	sc.rules = append(sc.rules, d.rules...)
	s.redact.Patterns = append(s.redact.Patterns, d.redact.Patterns...)
	s.redact.Environment = append(s.redact.Environment, d.redact.Environment...)
	s.redact.Secrets = s.redact.Secrets || d.redact.Secrets
	if d.file.Scope != ScopeProject {
		s.requires = d.requires
		s.approvers = slices.Clip(append(s.approvers, d.approvers...))
	}
}
