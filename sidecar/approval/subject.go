package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Subject is what somebody says yes or no to: one call, as the rules judged it.
type Subject struct {
	CallID string
	// TaskID is the task that asks: the call's own, or that of the turn to which it
	// belongs.
	TaskID string
	Tool   string
	// Source says where the tool comes from, and Definition is the digest of its
	// definition; "" if there is no such tool any more.
	Source, Definition string
	// Effects is "read" or "write".
	Effects string
	// Arguments are one line of JSON.
	Arguments string
	// Uses are what the call uses, and Arguments and Uses are never changed.
	Uses []policy.Use
	// Caller is on whose behalf the call is made, "" if anonymous. Agent is set if the
	// wrapped agent makes it.
	Caller    string
	Agent     bool
	ContextID string
	// Scope, Rule, File and Line name the rule that asks, and Reason is its reason.
	Scope, Rule, File string
	Line              int
	Reason            string
	// Revision is the policy's.
	Revision string
	// Own is set for a tool that the agent has by itself: what it says of its use.
	Own Own
}

// Own is what an agent says of the use of a tool of its own. Its texts are shortened.
type Own struct {
	// Title says what it does, and Name is the agent's own name of the tool; "" if it does not say.
	Title, Name string
	// Dir is where a command runs, "" for the agent's directory.
	Dir     string
	Changes []Change
	More    int // how many are left out of Changes
	// Digest covers all that the agent said; "" for a call of a tool of ours. Same covers what two uses have
	// in common that are the same for an answer "always".
	Digest, Same string
}

// Change is a change of one file: the lines that it takes out and puts in, each after "- " or "+ ".
type Change struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Digest returns what an answer is bound to, "sha256:" and 64 hexadecimal digits. The rule
// and its reason are not part of it: the revision is.
func (s Subject) Digest() string {
	d := digester{sha256.New()}
	d.text("approval:v1", s.CallID, s.TaskID, s.Revision, s.Own.Digest)
	return d.same(&s)
}

// Key returns what an answer "always" is remembered by: calls of the same tool, with the
// same definition, arguments and uses, for the same caller in the same context, have the
// same key.
func (s Subject) Key() string {
	d := digester{sha256.New()}
	d.text("always:v1")
	return d.same(&s)
}

// same adds what two calls have in common that are the same call, and returns the digest.
func (d digester) same(s *Subject) string {
	d.text(s.Tool, s.Source, s.Definition, s.Effects, s.Arguments, s.Own.Same)
	d.count(len(s.Uses))
	for _, u := range s.Uses {
		d.text(string(u.Capability), u.Pointer, u.Value)
		d.flag(u.Argv != nil)
		d.count(len(u.Argv))
		d.text(u.Argv...)
		d.flag(u.Declared)
		d.flag(u.AtConnect)
		d.flag(u.Named)
		d.text(u.Doubt)
	}
	d.text(s.Caller)
	d.flag(s.Agent)
	d.text(s.ContextID)
	return "sha256:" + hex.EncodeToString(d.Sum(nil))
}

// digester hashes values so that no two lists of values are the same bytes: each text
// follows its length. A hash never returns an error.
type digester struct{ hash.Hash }

func (d digester) text(all ...string) {
	for _, s := range all {
		d.count(len(s))
		d.Write([]byte(s))
	}
}

func (d digester) count(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	d.Write(b[:])
}

func (d digester) flag(b bool) {
	if b {
		d.count(1)
		return
	}
	d.count(0)
}
