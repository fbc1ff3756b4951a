package policy

import (
	"regexp"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// MaxFile is the most bytes of a file of rules. A project's file may come from anywhere.
const MaxFile = 1 << 20

// maxRules is the most rules of a file.
const maxRules = 2000

// decoder reads one file.
type decoder struct {
	jsontree.Decoder

	file File
	opts *Options

	rules     []*rule
	places    []place // of the rules
	requires  *manifest.Requires
	redact    Redact
	redactAt  int // its place, -1 for none
	approvers []string
}

// place is where a rule stands.
type place struct {
	offset  int
	pointer string
}

func quote(s string) string { return text.Quote(s, 80) }

// decode reads {"requires"?, "redact"?, "approvers"?, "rules"}.
func (d *decoder) decode() {
	if len(d.file.Data) > MaxFile {
		d.Fault(0, "", "the file is larger than 1 MiB", "")
		return
	}
	root, faults := jsontree.ParseFile(d.file.Name, d.file.Data)
	d.Faults = append(d.Faults, faults...)
	if root.Kind == 0 {
		return
	}
	d.Members(&root, "", []string{"requires", "redact", "approvers", "rules"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "requires":
			d.requirements(m, p)
		case "redact":
			d.redactAt = m.KeyOffset
			d.redaction(m, p)
		case "approvers":
			d.approvals(m, p)
		case "rules":
			d.list(m, p)
		}
	})
	if root.Kind == jsontree.Object && root.Get("rules") == nil {
		d.Fault(root.Offset, "", `"rules" is missing`, `add "rules": [], which asks about everything`)
	}
}

// text returns a string that is not empty.
func (d *decoder) text(n *jsontree.Node, pointer string) (string, bool) {
	s, ok := d.Text(n, pointer)
	return s, ok && d.filled(s, n, pointer)
}

// filled reports whether a string is not empty.
func (d *decoder) filled(s string, n *jsontree.Node, pointer string) bool {
	if s == "" {
		d.Fault(n.Offset, pointer, "is empty", "leave it out")
	}
	return s != ""
}

// texts returns the strings of an array, none of them empty, and calls check for each. It is
// not nil if the array is empty.
func (d *decoder) texts(n *jsontree.Node, pointer string, check func(s string, n *jsontree.Node, pointer string)) []string {
	return d.Texts(n, pointer, func(s string, e *jsontree.Node, p string) {
		if d.filled(s, e, p) {
			check(s, e, p)
		}
	})
}

func (d *decoder) requirements(n *jsontree.Node, pointer string) {
	r, faults := manifest.ParseRequires(n, pointer)
	d.Faults = append(d.Faults, faults...)
	if d.requires = r; d.file.Scope == ScopeProject {
		d.Warn(n.KeyOffset, pointer, "a project grants nothing: this is not read", "move it to the file of --policy")
	}
}

func (d *decoder) redaction(n *jsontree.Node, pointer string) {
	check := d.opts.Redaction
	if check == nil {
		check = func(s string) error { _, err := regexp.Compile(s); return err }
	}
	d.Members(n, pointer, []string{"patterns", "environment", "secrets"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "patterns":
			d.redact.Patterns = d.texts(m, p, func(s string, n *jsontree.Node, p string) {
				if err := check(s); err != nil {
					d.Fault(n.Offset, p, "is not a pattern that can be redacted: "+text.Show(err.Error()), "")
				}
			})
		case "environment":
			d.redact.Environment = d.texts(m, p, func(s string, n *jsontree.Node, p string) {
				if name, _, assigned := strings.Cut(s, "="); assigned {
					d.Fault(n.Offset, p, "holds names of variables, not values", "write "+quote(name))
				}
			})
		case "secrets":
			if m.Kind != jsontree.Bool {
				d.Wrong(m, p, "true or false")
			}
			d.redact.Secrets = m.Text == "true"
		}
	})
}

func (d *decoder) approvals(n *jsontree.Node, pointer string) {
	d.approvers = d.texts(n, pointer, func(s string, n *jsontree.Node, p string) {
		switch s {
		case callerAgent:
			d.Fault(n.Offset, p, "the agent cannot approve its own calls", "name callers")
		case "*":
			d.Fault(n.Offset, p, "is no caller: approvers are named one by one", `write "anonymous" for callers without a name, or leave approvers out`)
		}
	})
	switch {
	case d.file.Scope == ScopeProject:
		d.Warn(n.KeyOffset, pointer, "a project names no approvers: this is not read", "move it to the file of --policy")
	case n.Kind == jsontree.Array && len(n.Children) == 0:
		d.Warn(n.Offset, pointer, "nobody is named, so the caller of a task approves", "name callers, or leave it out")
	}
}
