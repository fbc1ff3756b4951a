package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// MaxDenials is how many scopes of rules can come with a task, and MaxDenialBytes how long they are together.
const (
	MaxDenials     = 16
	MaxDenialBytes = 256 << 10
)

// Denials are the rules that came with a task. They can only take away: what one of their scopes denies is denied,
// and nothing else that they say counts. They do not change. A nil *Denials denies nothing.
type Denials struct {
	scopes []*Set
	files  []json.RawMessage
}

// sentRule is a rule as it goes down with a task.
type sentRule struct {
	Permission string `json:"permission"`
	Pattern    string `json:"pattern,omitempty"`
	Pointer    string `json:"pointer,omitempty"`
	Action     string `json:"action"`
	Reason     string `json:"reason,omitempty"`
}

// Denials returns what work that is given away for a caller, by the agent if agent is set, must not do wherever it is
// done: for each scope that denies something to them, a file of rules. Its rules that allow or ask are exceptions
// of those that deny, so they are in it too. No callers are named: names are of one sidecar.
func (s *Set) Denials(caller string, agent bool) []json.RawMessage {
	var all []json.RawMessage
	for _, sc := range []*scope{s.manifest, s.project} {
		if sc == nil {
			continue
		}
		var rules []sentRule
		denies := false
		for _, r := range sc.rules {
			if r.speaksTo(caller, agent) {
				rules = append(rules, sentRule{r.Permission, r.Pattern, r.Pointer, r.Verdict.String(), r.Reason})
				denies = denies || r.Verdict == Deny
			}
		}
		if !denies {
			continue
		}
		file, err := text.JSON(map[string]any{"rules": rules})
		if err != nil {
			panic(fmt.Sprintf("policy: rules have no JSON form: %v", err)) // they are made of strings
		}
		all = append(all, json.RawMessage(file))
	}
	return all
}

// LoadDenials checks the rules that came with a task, as Set.Denials returns them: one file for each scope. Of o the
// Roots count. The error is for whoever sent them. No files make nil.
func LoadDenials(files []json.RawMessage, o Options) (*Denials, error) {
	if len(files) == 0 {
		return nil, nil
	}
	if len(files) > MaxDenials {
		return nil, fmt.Errorf("there are %d lists of rules, and %d at most can come with a task", len(files), MaxDenials)
	}
	d := &Denials{files: files}
	size := 0
	for i, file := range files {
		if size += len(file); size > MaxDenialBytes {
			return nil, fmt.Errorf("the rules are longer than %s, which is the most that can come with a task", text.FormatSize(MaxDenialBytes))
		}
		set, _, err := Load([]File{{Scope: ScopeTask, Name: fmt.Sprintf("deny/%d", i), Data: file}}, Options{Roots: o.Roots})
		if err != nil {
			return nil, firstFault(err)
		}
		d.scopes = append(d.scopes, set)
	}
	return d, nil
}

// firstFault returns the first fault of a file: the sender's program wrote it, and one fault is enough to find its error.
func firstFault(err error) error {
	var faults jsontree.Faults
	if errors.As(err, &faults) && len(faults) > 0 {
		return errors.New(text.Line(faults[0].String(), 400))
	}
	return err
}

// Files returns the rules as they came: they go on to whoever is given a part of the task.
func (d *Denials) Files() []json.RawMessage {
	if d == nil {
		return nil
	}
	return d.files
}

// Tighten returns what is decided of a call that is a part of the task, given what the sidecar's own rules decide.
func (d *Denials) Tighten(ctx context.Context, r Request, own Decision) Decision {
	if d == nil || own.Verdict == Deny || r.Tool == nil {
		return own
	}
	r.Key = ""
	for _, s := range d.scopes {
		if sent := s.Decide(ctx, r); sent.Verdict == Deny {
			sent.File, sent.Line, sent.Revision = "", 0, own.Revision
			sent.Reason += ", by the rules that came with the task"
			return sent
		}
	}
	return own
}
