package approval

import (
	"encoding/json"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Document is an approval for programs: what GET /a2a/approvals/{id} answers, and what the
// data part under URI holds. Its text may hold characters that a terminal obeys.
type Document struct {
	ID      string    `json:"id"`
	Digest  string    `json:"digest"`
	TaskID  string    `json:"task_id"`
	CallID  string    `json:"call_id"`
	Context string    `json:"context_id,omitempty"`
	Caller  string    `json:"caller,omitempty"`
	Agent   bool      `json:"agent"`
	Tool    string    `json:"tool"`
	Source  string    `json:"source,omitempty"`
	Effects string    `json:"effects,omitempty"`
	Opened  time.Time `json:"opened"`
	Expires time.Time `json:"expires"`
	// Arguments are the whole arguments. If they are too long for a status message, it
	// has their head and tail instead.
	Arguments     json.RawMessage `json:"arguments,omitempty"`
	ArgumentsHead string          `json:"arguments_head,omitempty"`
	ArgumentsTail string          `json:"arguments_tail,omitempty"`
	ArgumentBytes int             `json:"argument_bytes"`
	Uses          []UseDocument   `json:"uses"`
	// MoreUses is how many are left out of Uses in a status message.
	MoreUses int          `json:"more_uses,omitempty"`
	Rule     RuleDocument `json:"rule"`
	Reason   string       `json:"reason,omitempty"`
	// Own is there if the tool is one that the agent has by itself.
	Own      *OwnDocument     `json:"own,omitempty"`
	Revision string           `json:"policy_revision,omitempty"`
	Options  []OptionDocument `json:"options"`
}

// UseDocument is one thing that the call uses: a path, a host or a command.
type UseDocument struct {
	Capability string   `json:"capability"`
	Value      string   `json:"value"`
	Pointer    string   `json:"pointer,omitempty"`
	Argv       []string `json:"argv,omitempty"`
	Declared   bool     `json:"declared,omitempty"`
	// Cut says that Value or Argv is shortened, which it is in a status message alone.
	Cut bool `json:"cut,omitempty"`
	// Doubt says why it is not certain that this is what is used.
	Doubt string `json:"doubt,omitempty"`
}

// OwnDocument is what an agent says of the use of a tool of its own.
type OwnDocument struct {
	Title       string   `json:"title,omitempty"`
	Name        string   `json:"name,omitempty"`
	Dir         string   `json:"dir,omitempty"`
	Changes     []Change `json:"changes,omitempty"`
	MoreChanges int      `json:"more_changes,omitempty"`
}

// RuleDocument is the rule that asks.
type RuleDocument struct {
	Scope string `json:"scope,omitempty"`
	Rule  string `json:"rule,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// OptionDocument is one of the answers.
type OptionDocument struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Kind  string `json:"kind"` // allow_once, allow_always or reject_once
}

// List is what GET /a2a/approvals answers.
type List struct {
	Approvals []*Document `json:"approvals"`
}

// Limits of what a status message shows; GET /a2a/approvals/{id} shows all.
const (
	shownArguments = 4 << 10 // bytes
	shownHead      = 2 << 10 // bytes of longer ones
	shownTail      = 1 << 10 // and of their end
	shownUses      = 32
	shownValue     = 1 << 10 // bytes of a use in a text
)

// Document returns the whole approval.
func (a *Approval) Document() *Document {
	d, s := a.frame(), &a.q.Subject
	d.Arguments = json.RawMessage(s.Arguments)
	d.Uses = useDocuments(s, len(s.Uses))
	return d
}

// Brief returns the approval with its arguments and uses cut to what a status message
// shows.
func (a *Approval) Brief() *Document {
	d, s := a.frame(), &a.q.Subject
	if len(s.Arguments) <= shownArguments {
		d.Arguments = json.RawMessage(s.Arguments)
	} else {
		d.ArgumentsHead, d.ArgumentsTail = text.Cut(s.Arguments, shownHead), text.Tail(s.Arguments, shownTail)
	}
	d.Uses = useDocuments(s, shownUses)
	for i := range d.Uses {
		d.Uses[i].cut()
	}
	d.MoreUses = len(s.Uses) - len(d.Uses)
	return d
}

// frame returns the document without what may be long.
func (a *Approval) frame() *Document {
	s := &a.q.Subject
	d := &Document{
		ID: a.id, Digest: a.digest, TaskID: s.TaskID, CallID: s.CallID, Context: s.ContextID, Caller: s.Caller, Agent: s.Agent,
		Tool: s.Tool, Source: s.Source, Effects: s.Effects, Opened: a.opened.UTC(), Expires: a.expires.UTC(),
		ArgumentBytes: len(s.Arguments), Reason: s.Reason, Revision: s.Revision,
		Rule: RuleDocument{Scope: s.Scope, Rule: s.Rule, File: s.File, Line: s.Line},
	}
	if o := &s.Own; o.Digest != "" {
		d.Own = &OwnDocument{Title: o.Title, Name: o.Name, Dir: o.Dir, Changes: o.Changes, MoreChanges: o.More}
	}
	for _, o := range Options() {
		d.Options = append(d.Options, OptionDocument{ID: string(o), Label: o.Label(), Kind: o.Kind()})
	}
	return d
}

// cut shortens a use for a status message.
func (u *UseDocument) cut() {
	if len(u.Value) > 2*shownValue {
		u.Value, u.Cut = text.Cut(u.Value, shownValue)+" … "+text.Tail(u.Value, shownValue), true
	}
	length := 0
	for i, word := range u.Argv {
		if length += len(word); length > 2*shownValue {
			u.Argv, u.Cut = u.Argv[:i:i], true // Value has its end
			return
		}
	}
}

func useDocuments(s *Subject, most int) []UseDocument {
	all := []UseDocument{}
	for _, u := range s.Uses[:min(most, len(s.Uses))] {
		all = append(all, UseDocument{Capability: string(u.Capability), Value: u.Value, Pointer: u.Pointer, Argv: u.Argv, Declared: u.Declared, Doubt: u.Doubt})
	}
	return all
}
