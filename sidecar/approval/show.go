package approval

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Part returns the approval for programs, as the one member of a data part.
func (a *Approval) Part() a2a.Part {
	data, err := json.Marshal(map[string]*Document{URI: a.Brief()})
	if err != nil { // the arguments were parsed before, everything else is text and numbers
		panic(err)
	}
	return a2a.DataPart(data)
}

// Text returns the approval for people: what is judged, one thing a line. Characters that
// a terminal would obey are written out, and what is long has its head and tail.
func (a *Approval) Text() string { return a.Brief().Text() }

// Text is Approval.Text of a document that was read.
func (d *Document) Text() string {
	var b strings.Builder
	who := "this call"
	if d.Agent {
		who = "the agent's call"
	}
	if d.Own != nil {
		fmt.Fprintf(&b, "May the agent use %s, a tool of its own?\n", text.Show(d.Tool))
	} else {
		fmt.Fprintf(&b, "May %s of %s run?\n", who, text.Show(d.Tool))
	}
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, text.Show(value))
		}
	}
	if d.Own != nil {
		d.Own.show(&b, line)
	}
	line("arguments", d.shownArguments())
	line("effects", d.Effects)
	for _, u := range d.Uses[:min(len(d.Uses), shownUses)] {
		line(u.words())
	}
	if more := d.MoreUses + max(len(d.Uses)-shownUses, 0); more > 0 {
		line("and", text.Count(more, "more thing"))
	}
	line("rule", d.Rule.words())
	line("reason", d.Reason)
	line("caller", d.Caller)
	line("digest", d.Digest)
	return strings.TrimSuffix(b.String(), "\n")
}

// show writes what the agent says.
func (o *OwnDocument) show(b *strings.Builder, line func(name, value string)) {
	line("wants", o.Title)
	line("tool", o.Name)
	line("in", o.Dir)
	for _, c := range o.Changes {
		line("changes", c.Path)
		for row := range strings.Lines(c.Text) {
			fmt.Fprintf(b, "            %s\n", text.Show(strings.TrimSuffix(row, "\n")))
		}
	}
	if o.MoreChanges > 0 {
		line("and", text.Count(o.MoreChanges, "more change"))
	}
}

// shownArguments returns the arguments, or their head and tail.
func (d *Document) shownArguments() string {
	head, tail := d.ArgumentsHead, d.ArgumentsTail
	switch n := len(d.Arguments); {
	case n == 0:
	case n <= shownArguments:
		return string(d.Arguments)
	default:
		head, tail = text.Cut(string(d.Arguments), shownHead), text.Tail(string(d.Arguments), shownTail)
	}
	return fmt.Sprintf("%s … %s left out … %s", head, text.Count(d.ArgumentBytes-len(head)-len(tail), "byte"), tail)
}

// words returns a use's name and value for a line of text.
func (u *UseDocument) words() (name, value string) {
	switch u.Capability {
	case "fs.read":
		name = "reads"
	case "fs.write":
		name = "writes"
	case "net.fetch":
		name = "host"
	case "shell.run":
		name = "command"
	default:
		name = u.Capability
	}
	value = u.Value
	if len(value) > 2*shownValue {
		value = text.Cut(value, shownValue) + " … " + text.Tail(value, shownValue)
	}
	switch {
	case u.Declared:
		value += " (declared: any of it)"
	case u.Doubt != "":
		value = strings.TrimSpace(value + " (not certain: " + u.Doubt + ")")
	}
	return name, value
}

// words returns the rule with its place.
func (r *RuleDocument) words() string {
	if r.File == "" {
		return r.Rule
	}
	return fmt.Sprintf("%s (%s:%d)", r.Rule, r.File, r.Line)
}
