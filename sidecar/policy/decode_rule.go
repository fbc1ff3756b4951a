package policy

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// list reads the rules.
func (d *decoder) list(n *jsontree.Node, pointer string) {
	if n.Kind != jsontree.Array {
		d.Wrong(n, pointer, "an array of rules")
		return
	}
	if len(n.Children) > maxRules {
		d.Fault(n.Offset, pointer, "has more than 2000 rules", "")
		return
	}
	line, from := 1, 0
	for i := range n.Children {
		m := &n.Children[i]
		line, from = line+bytes.Count(d.file.Data[from:m.Offset], []byte("\n")), m.Offset
		d.rule(m, jsontree.Item(pointer, i), line)
	}
}

// rule reads one rule, with its examples.
func (d *decoder) rule(n *jsontree.Node, pointer string, line int) {
	before := len(d.Faults)
	r := &rule{Rule: Rule{Scope: d.file.Scope, File: d.file.Name, Line: line}}
	d.Members(n, pointer, []string{"permission", "pattern", "pointer", "callers", "action", "reason", "match", "not_match"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "permission":
			d.permission(r, m, p)
		case "pattern":
			r.Pattern, _ = d.text(m, p)
		case "pointer":
			d.pointer(r, m, p)
		case "callers":
			r.Callers = d.texts(m, p, func(string, *jsontree.Node, string) {})
		case "action":
			d.action(r, m, p)
		case "reason":
			r.Reason, _ = d.text(m, p)
			r.Reason = text.Line(r.Reason, 400)
		}
	})
	for _, key := range []string{"permission", "action"} {
		if n.Kind == jsontree.Object && n.Get(key) == nil {
			d.Fault(n.Offset, pointer, quote(key)+" is missing", "add "+quote(key))
		}
	}
	if len(d.Faults) > before {
		return
	}
	d.pattern(r, n, pointer)
	d.rules, d.places = append(d.rules, r), append(d.places, place{offset: n.Offset, pointer: pointer})
	if len(d.Faults) == before {
		d.examples(r, n, pointer)
	}
}

func (d *decoder) action(r *rule, n *jsontree.Node, pointer string) {
	switch d.OneOf(n, pointer, "allow", "deny", "ask") {
	case "allow":
		r.Verdict = Allow
	case "ask":
		r.Verdict = Ask
	}
}

// permission reads a tool's name, a namespace, a capability or "*".
func (d *decoder) permission(r *rule, n *jsontree.Node, pointer string) {
	s, ok := d.text(n, pointer)
	if !ok {
		return
	}
	s = canonical(s)
	r.Permission, r.reach = s, reachExact
	namespace, all := strings.CutSuffix(s, "*")
	switch {
	case s == "*":
		r.reach = 0
	case capability(s):
		r.capability = Capability(s)
	case all && strings.HasSuffix(namespace, ".") && IsName(strings.TrimSuffix(namespace, ".")):
		r.reach = len(namespace)
	case all || !IsName(s):
		d.Fault(n.Offset, pointer, quote(s)+" is no permission", `write a tool ("acme.echo", "bash"), a namespace ("acme.*"), a capability ("fs.read", "fs.write", "net.fetch", "shell.run") or "*"`)
	}
}

// canonical returns the canonical name for the ID of a tool of the sidecar's own, and any other permission
// as it is.
func canonical(permission string) string {
	if slices.Contains(tool.RuledIDs(), permission) {
		return tool.Canonical(permission)
	}
	return permission
}

func capability(s string) bool {
	for _, c := range Capabilities() {
		if string(c) == s {
			return true
		}
	}
	return false
}

// IsName reports whether s is words of small letters, digits and underscores with
// points between them: a tool's id or a namespace.
func IsName(s string) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || word[0] < 'a' || word[0] > 'z' || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return false
		}
	}
	return true
}

func (d *decoder) pointer(r *rule, n *jsontree.Node, pointer string) {
	s, ok := d.text(n, pointer)
	if ok && !strings.HasPrefix(s, "/") {
		d.Fault(n.Offset, pointer, quote(s)+" is not a JSON pointer", "write "+quote("/"+s))
	}
	r.Pointer = s
}

// pattern reads the pattern in each form that the rule can use.
func (d *decoder) pattern(r *rule, n *jsontree.Node, pointer string) {
	if r.Pattern == "" {
		return
	}
	m, p := n.Get("pattern"), jsontree.Child(pointer, "pattern")
	var err error
	switch {
	case r.capability == "" && r.Pointer != "":
		err = d.textPattern(r)
	case r.capability == "":
		err = d.anyPattern(r)
	case r.capability == FSRead || r.capability == FSWrite:
		err = d.pathPattern(r)
	case r.capability == NetFetch:
		err = d.hostPattern(r)
	default:
		err = d.commandPattern(r)
	}
	var bad *match.Error
	switch {
	case err == nil:
	case errors.As(err, &bad) && bad.Never:
		d.Warn(m.Offset, p, quote(r.Pattern)+" "+bad.Message, bad.Hint)
	case errors.As(err, &bad):
		d.Fault(m.Offset, p, quote(r.Pattern)+" "+bad.Message, bad.Hint)
	default:
		d.Fault(m.Offset, p, err.Error(), "")
	}
}

func (d *decoder) textPattern(r *rule) error {
	t, err := match.ParseText(r.Pattern)
	if err == nil {
		r.text = &t
	}
	return err
}

func (d *decoder) pathPattern(r *rule) error {
	p, err := match.ParsePath(r.Pattern)
	if err == nil {
		r.path = &p
	}
	return err
}

func (d *decoder) hostPattern(r *rule) error {
	h, err := match.ParseHost(r.Pattern)
	if err == nil {
		r.host = &h
	}
	return err
}

func (d *decoder) commandPattern(r *rule) error {
	c, err := match.ParseCommand(r.Pattern)
	if err == nil {
		r.command = &c
	}
	return err
}

// anyPattern reads the pattern of a rule that speaks of whatever a tool uses: it holds for
// each kind of value as which it can be read.
func (d *decoder) anyPattern(r *rule) error {
	pathErr, hostErr, commandErr := d.pathPattern(r), d.hostPattern(r), d.commandPattern(r)
	switch {
	case pathErr == nil || hostErr == nil && commandErr == nil:
		return nil
	case strings.HasPrefix(r.Pattern, "/"), strings.HasPrefix(r.Pattern, "{"), strings.HasPrefix(r.Pattern, "*"), strings.HasPrefix(r.Pattern, "~"):
		r.host, r.command = nil, nil
		return pathErr
	}
	return commandErr
}
