package watchdog

import (
	"encoding/json"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

const (
	// answerLimit is the longest answer in bytes, with its line end.
	answerLimit = 16 << 10
	// reasonLimit is the longest reason that is passed on, in bytes.
	reasonLimit = 1 << 10
	// answerValues is how many values an answer may have; a good one has three.
	answerValues = 64
)

// version is of the line that a watchdog gets. It grows when a member changes its
// meaning; new members may come at any time.
const version = 1

// question is the line that a watchdog gets.
type question struct {
	Version   int                `json:"version"`
	Tool      string             `json:"tool"`
	Source    string             `json:"source,omitempty"`
	Effects   string             `json:"effects,omitempty"`
	Requires  *manifest.Requires `json:"requires,omitempty"` // of the tool
	Arguments json.RawMessage    `json:"arguments"`
	Uses      []use              `json:"uses"`
	Caller    string             `json:"caller"`
	Agent     bool               `json:"agent"`
	Session   string             `json:"session"`
	Task      string             `json:"task"`
	Call      string             `json:"call"`
	Manifest  document           `json:"manifest"`
	Decision  decision           `json:"decision"`
}

type use struct {
	Capability policy.Capability `json:"capability"`
	Pointer    string            `json:"pointer,omitempty"`
	Value      string            `json:"value"`
	Written    string            `json:"written,omitempty"`
	Argv       []string          `json:"argv,omitempty"`
	Declared   bool              `json:"declared,omitempty"`
	AtConnect  bool              `json:"at_connect,omitempty"`
	Named      bool              `json:"named,omitempty"`
	Doubt      string            `json:"doubt,omitempty"`
}

// document is the agent's manifest.
type document struct {
	Agent    string             `json:"agent"`
	Revision string             `json:"revision"`
	Requires *manifest.Requires `json:"requires,omitempty"` // of all tools together
}

type decision struct {
	Verdict string      `json:"verdict"`
	Kind    policy.Kind `json:"kind,omitempty"`
	Scope   string      `json:"scope,omitempty"`
	Rule    string      `json:"rule,omitempty"`
	Reason  string      `json:"reason,omitempty"`
}

// encode returns the request as one line of JSON with its line end. agent is the agent's
// name.
func (r *Request) encode(agent string) ([]byte, error) {
	q := question{
		Version: version, Tool: r.Call.Tool.Name, Source: r.Call.Source, Effects: string(r.Call.Tool.Effects), Requires: r.Call.Tool.Requires,
		Arguments: json.RawMessage(r.Call.Arguments), Uses: make([]use, len(r.Call.Uses)),
		Caller: r.Call.Caller, Agent: r.Call.Agent, Session: r.Call.ContextID, Task: r.TaskID, Call: r.CallID,
		Manifest: document{Agent: agent, Revision: r.Manifest, Requires: r.Requires},
		Decision: decision{r.Decision.Verdict.String(), r.Decision.Kind, r.Decision.Scope, r.Decision.Rule, r.Decision.Reason},
	}
	for i, u := range r.Call.Uses {
		q.Uses[i] = use(u)
	}
	line, err := text.JSON(q)
	return append(line, '\n'), err
}

// parse reads an answer: {"decision":"allow"|"deny"|"ask","reason"?:string} on one line
// and nothing else.
func parse(said []byte) (Answer, error) {
	root, faults := jsontree.Parse(string(said), answerValues)
	switch {
	case len(faults) > 0:
		return Answer{}, fmt.Errorf("%s", faults[0].Message)
	case root.Kind != jsontree.Object:
		return Answer{}, fmt.Errorf("it is %s and not an object", root.Kind)
	}
	for i := range root.Children {
		if key := root.Children[i].Key; key != "decision" && key != "reason" {
			return Answer{}, fmt.Errorf("it has a member %s", text.Quote(key, 40))
		}
	}
	word, reason := root.Get("decision"), root.Get("reason")
	if reason != nil && reason.Kind != jsontree.String {
		return Answer{}, fmt.Errorf("its reason is %s and not a string", reason.Kind)
	}
	verdict, err := verdictOf(word)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Verdict: verdict, Reason: reasonOf(verdict, reason.Str())}, nil
}

func verdictOf(word *jsontree.Node) (policy.Verdict, error) {
	switch {
	case word == nil:
		return policy.Deny, fmt.Errorf("it has no decision")
	case word.Kind != jsontree.String:
		return policy.Deny, fmt.Errorf("its decision is %s and not a string", word.Kind)
	}
	for _, v := range []policy.Verdict{policy.Allow, policy.Ask, policy.Deny} {
		if word.Text == v.String() {
			return v, nil
		}
	}
	return policy.Deny, fmt.Errorf("its decision is %s, which is none of allow, ask and deny", text.Quote(word.Text, 40))
}

// reasonOf returns the words for whoever made the call.
func reasonOf(v policy.Verdict, said string) string {
	said = text.Line(said, reasonLimit)
	words := "the watchdog denies it"
	switch v {
	case policy.Allow:
		return said
	case policy.Ask:
		words = "the watchdog wants it approved"
	}
	if said != "" {
		words += ": " + said
	}
	return words
}
