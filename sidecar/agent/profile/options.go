package profile

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// described reports whether the profile's own rules know each question of its agent: anything
// else that looks like options on its screen is text.
func (p *Profile) described() bool { return p.TUI && len(p.Asks) > 0 && !p.GenericAsks }

// guesses reports whether the profile knows no more of its agent's questions than the generic
// profile does: then options come before the agent's signs.
func (p *Profile) guesses() bool {
	return p.Name == GenericName || p.TUI && len(p.Asks) > 0 && p.GenericAsks
}

// anyone reads a question by the rules that hold for every agent, and the options of a program
// that nobody has described if that is wanted. A rule does not see check boxes.
func (p *Profile) anyone(v view, options bool) (*Question, bool) {
	q, ok := p.question(v)
	if !options || ok && q.Axis == option.Typed {
		return q, ok
	}
	o, stands := offered(v)
	if stands && (!ok || slices.ContainsFunc(o.Options, func(o Option) bool { return o.Box })) {
		return o, true
	}
	return q, ok
}

// offered reads the options of a program without a profile, such as one that a shell
// has started.
func offered(v view) (*Question, bool) {
	set, ok := option.Read(v.snap)
	if !ok {
		return nil, false
	}
	q := &Question{Kind: KindQuestion, Rule: set.Rule, Text: set.Text, Detail: set.Detail, Rows: set.Rows, Axis: set.Axis, Marked: set.Marked}
	if q.Text == "" {
		q.Text = "Which of these?"
	}
	if set.Boxed {
		q.Cancel = []string{"\x1b"}
	}
	for _, o := range set.Options {
		q.Options = append(q.Options, Option{ID: o.ID, Label: o.Label, Kind: kindOfLabel(o.Label), Type: o.Type, Box: o.Box, Checked: o.Checked, Toggle: o.Toggle})
	}
	q.ID = q.identity()
	return q, true
}

// kindOfLabel returns what choosing an option means, by its words.
func kindOfLabel(label string) string {
	switch strings.ToLower(label) {
	case "y":
		return AllowOnce
	case "n":
		return RejectOnce
	}
	for i := range Generic().Asks {
		if rule := Generic().Asks[i].rule(label); rule != nil {
			return rule.Kind
		}
	}
	return Other
}

// moves makes the marker of a question be seen to move: of a program that nobody has
// described, the keys that a rule supposes may not be the right ones.
func (q *Question) moves(a *Ask, options []row) {
	if a.Choose != ChooseArrows {
		return
	}
	q.Axis, q.Marked = option.Down, -1
	if a.Columns {
		q.Axis = option.Across
	}
	for i, o := range options {
		if o.marked {
			q.Marked = i
		}
	}
}
