package policy

import (
	"regexp"
	"slices"
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
	file     File
	opts     *Options
	faults   jsontree.Faults
	warnings jsontree.Faults

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

func (d *decoder) fault(off int, pointer, message, hint string) {
	d.faults = append(d.faults, jsontree.Fault{Offset: off, Pointer: pointer, Message: message, Hint: hint})
}

func (d *decoder) warn(off int, pointer, message, hint string) {
	d.warnings = append(d.warnings, jsontree.Fault{Offset: off, Pointer: pointer, Message: message, Hint: hint})
}

func quote(s string) string { return text.Quote(s, 80) }

// decode reads {"requires"?, "redact"?, "approvers"?, "rules"}.
func (d *decoder) decode() {
	if len(d.file.Data) > MaxFile {
		d.fault(0, "", "the file is larger than 1 MiB", "")
		return
	}
	root, faults := jsontree.ParseFile(d.file.Name, d.file.Data)
	d.faults = append(d.faults, faults...)
	if root.Kind == 0 {
		return
	}
	d.fields(&root, "", []string{"requires", "redact", "approvers", "rules"}, func(m *jsontree.Node, p string) {
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
		d.fault(root.Offset, "", `"rules" is missing`, `add "rules": [], which asks about everything`)
	}
}

// fields visits an object of which all keys are known.
func (d *decoder) fields(n *jsontree.Node, pointer string, keys []string, visit func(m *jsontree.Node, pointer string)) {
	if n.Kind != jsontree.Object {
		d.wrong(n, pointer, "an object")
		return
	}
	for i := range n.Children {
		m := &n.Children[i]
		p := jsontree.Child(pointer, m.Key)
		if slices.Contains(keys, m.Key) {
			visit(m, p)
			continue
		}
		hint := "the keys are " + text.Enumerate(keys, "and")
		if near := jsontree.Nearest(m.Key, keys); near != "" {
			hint = "write " + quote(near)
		}
		d.fault(m.KeyOffset, p, "the key "+quote(m.Key)+" is unknown here", hint)
	}
}

func (d *decoder) wrong(n *jsontree.Node, pointer, want string) {
	d.fault(n.Offset, pointer, "must be "+want+", not "+n.Kind.String(), "")
}

// text returns a string that is not empty.
func (d *decoder) text(n *jsontree.Node, pointer string) (string, bool) {
	switch {
	case n.Kind != jsontree.String:
		d.wrong(n, pointer, "a string")
	case n.Text == "":
		d.fault(n.Offset, pointer, "is empty", "leave it out")
	default:
		return strings.Clone(n.Text), true
	}
	return "", false
}

// texts returns the strings of an array, not nil, and calls check for each.
func (d *decoder) texts(n *jsontree.Node, pointer string, check func(s string, n *jsontree.Node, pointer string)) []string {
	out := []string{}
	if n.Kind != jsontree.Array {
		d.wrong(n, pointer, "an array of strings")
		return out
	}
	for i := range n.Children {
		p := jsontree.Item(pointer, i)
		if s, ok := d.text(&n.Children[i], p); ok {
			check(s, &n.Children[i], p)
			out = append(out, s)
		}
	}
	return out
}

// oneOf returns a string that must be one of a few words.
func (d *decoder) oneOf(n *jsontree.Node, pointer string, words ...string) string {
	s, ok := d.text(n, pointer)
	if !ok || slices.Contains(words, s) {
		return s
	}
	hint := ""
	if near := jsontree.Nearest(s, words); near != "" {
		hint = "write " + quote(near)
	}
	d.fault(n.Offset, pointer, "must be "+text.Enumerate(words, "or")+", not "+quote(s), hint)
	return ""
}

func (d *decoder) requirements(n *jsontree.Node, pointer string) {
	r, faults := manifest.ParseRequires(n, pointer)
	d.faults = append(d.faults, faults...)
	if d.requires = r; d.file.Scope == ScopeProject {
		d.warn(n.KeyOffset, pointer, "a project grants nothing: this is not read", "move it to the file of --policy")
	}
}

func (d *decoder) redaction(n *jsontree.Node, pointer string) {
	check := d.opts.Redaction
	if check == nil {
		check = func(s string) error { _, err := regexp.Compile(s); return err }
	}
	d.fields(n, pointer, []string{"patterns", "environment", "secrets"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "patterns":
			d.redact.Patterns = d.texts(m, p, func(s string, n *jsontree.Node, p string) {
				if err := check(s); err != nil {
					d.fault(n.Offset, p, "is not a pattern that can be redacted: "+text.Show(err.Error()), "")
				}
			})
		case "environment":
			d.redact.Environment = d.texts(m, p, func(s string, n *jsontree.Node, p string) {
				if name, _, assigned := strings.Cut(s, "="); assigned {
					d.fault(n.Offset, p, "holds names of variables, not values", "write "+quote(name))
				}
			})
		case "secrets":
			if m.Kind != jsontree.Bool {
				d.wrong(m, p, "true or false")
			}
			d.redact.Secrets = m.Text == "true"
		}
	})
}

func (d *decoder) approvals(n *jsontree.Node, pointer string) {
	d.approvers = d.texts(n, pointer, func(s string, n *jsontree.Node, p string) {
		if s == callerAgent {
			d.fault(n.Offset, p, "the agent cannot approve its own calls", "name callers")
		}
	})
	switch {
	case d.file.Scope == ScopeProject:
		d.warn(n.KeyOffset, pointer, "a project names no approvers: this is not read", "move it to the file of --policy")
	case n.Kind == jsontree.Array && len(n.Children) == 0:
		d.warn(n.Offset, pointer, "nobody is named, so the caller of a task approves", "name callers, or leave it out")
	}
}
