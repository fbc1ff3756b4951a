package audit

import (
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Event says what a record is about.
type Event string

// The events.
const (
	EventBefore  Event = "before"  // a call is about to be executed
	EventAfter   Event = "after"   // an executed call has ended
	EventRefused Event = "refused" // a call has ended and was never executed
	EventLeft    Event = "left"    // a process that an executed call has started in the background has ended
	EventOpened  Event = "opened"  // the first record of a start, or of a new file
	EventLost    Event = "lost"    // records before this one could not be written
	EventClosed  Event = "closed"  // the last record of a start that ended in order
)

// Record is one line of the audit. A field that has its zero value is left out of the line.
type Record struct {
	// Seq counts the records, from 1. Time is when the record was written. Prev is the Hash
	// of the record before it, "" for the first. The writer sets them; line.go says where
	// they are in the line.
	Seq  uint64    `json:"-"`
	Time time.Time `json:"-"`
	Prev string    `json:"-"`
	Hash string    `json:"-"`

	Event Event `json:"event"`
	// Of is, in an "after" and a "left", the Seq of the call's "before".
	Of uint64 `json:"of,omitempty"`

	Task    string `json:"task,omitempty"`
	Call    string `json:"call,omitempty"`
	Parent  string `json:"parent,omitempty"` // the task of the call during which this one was made
	Context string `json:"context,omitempty"`
	Caller  string `json:"caller,omitempty"` // "": anonymous
	Agent   bool   `json:"agent,omitempty"`  // the wrapped agent made the call
	Door    string `json:"door,omitempty"`

	Tool       string `json:"tool,omitempty"`
	Source     string `json:"source,omitempty"`     // of the tool's definition
	Definition string `json:"definition,omitempty"` // its digest
	Effects    string `json:"effects,omitempty"`
	// Command is the declared command of a tool that is a program.
	Command []string `json:"command,omitempty"`

	Arguments *Arguments `json:"arguments,omitempty"`
	Uses      []Use      `json:"uses,omitempty"`
	// Redacted says that secrets were taken out of the values at which rules look, which are
	// Arguments.Judged and Uses: the call cannot be decided again.
	Redacted bool `json:"redacted,omitempty"`
	// Roots are the directories for which variables of patterns stood, and Dir is where a
	// command line ran.
	Roots    policy.Roots `json:"roots,omitempty"`
	Dir      string       `json:"dir,omitempty"`
	Decision *Decision    `json:"decision,omitempty"` // of the rules
	Watchdog *Watchdog    `json:"watchdog,omitempty"`
	Approval *Approval    `json:"approval,omitempty"`

	// Admitted and Began are when the call came in and when its execution began.
	Admitted time.Time `json:"admitted,omitzero"`
	Began    time.Time `json:"began,omitzero"`
	// Sandbox names the layers of the sandbox in which a program ran; an "after" has them.
	Sandbox []string `json:"sandbox,omitempty"`

	// How a call ended, or a process in the background. Bytes is the length of a call's envelope, and of what a process
	// in the background has said. Its Egress is that of the call and its own.
	Outcome    string   `json:"outcome,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	DurationMS int64    `json:"duration_ms,omitempty"`
	ExitCode   *int     `json:"exit_code,omitempty"` // of a tool that is a program
	Signal     string   `json:"signal,omitempty"`
	Bytes      int64    `json:"bytes,omitempty"`
	Egress     []Egress `json:"egress,omitempty"`

	Opening *Opening `json:"opening,omitempty"` // of an "opened"
	Lost    uint64   `json:"lost,omitempty"`    // of a "lost": how many records
}

// Arguments stand for a call's arguments, which are not recorded.
type Arguments struct {
	// HMAC is the keyed hash (HMAC-SHA-256, in hex) of the arguments as one line of JSON.
	HMAC string `json:"hmac"`
	// Bytes is the length of that line.
	Bytes int `json:"bytes"`
	// Judged are the arguments at which rules look, as one line of JSON: an object that
	// holds them at the places that they have in the arguments. "" if there are none.
	Judged string `json:"judged,omitempty"`
}

// Use is policy.Use as it is recorded.
type Use struct {
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

// Decision is policy.Decision as it is recorded, without the rules that lost.
type Decision struct {
	Verdict  string      `json:"verdict"`
	Kind     policy.Kind `json:"kind,omitempty"`
	Scope    string      `json:"scope,omitempty"`
	Rule     string      `json:"rule,omitempty"`
	File     string      `json:"file,omitempty"`
	Line     int         `json:"line,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	Revision string      `json:"revision,omitempty"`
}

// Watchdog is what the watchdog answered.
type Watchdog struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Failure string `json:"failure,omitempty"`
	TookMS  int64  `json:"took_ms"`
}

// Approval is what somebody answered.
type Approval struct {
	ID     string `json:"id,omitempty"`
	Option string `json:"option"`       // once, always, reject; expired or withdrawn if nobody answered
	By     string `json:"by,omitempty"` // the caller; "" for an anonymous one or the person at the terminal
}

// Egress is a connection that a tool wanted to make.
type Egress struct {
	Host    string `json:"host"` // host:port as the program named it
	Address string `json:"address,omitempty"`
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason,omitempty"`
	// Rule, File and Line name the rule that decided, as in Decision: the call's own for a host that
	// the call named. They are empty for a host of which no rule was asked, because the tool does
	// not require it.
	Rule  string `json:"rule,omitempty"`
	File  string `json:"file,omitempty"`
	Line  int    `json:"line,omitempty"`
	Count int    `json:"count,omitempty"` // how often, if more than once
}

// Opening says how an audit was opened.
type Opening struct {
	// Why is "start" or "rotation".
	Why string `json:"why"`
	// PID and Version are of the process that writes.
	PID     int    `json:"pid"`
	Version string `json:"version,omitempty"`
	// TornBytes is how much of a half written last line was cut off.
	TornBytes int64 `json:"torn_bytes,omitempty"`
	// Damaged says that the last record before this one cannot be read.
	Damaged bool `json:"damaged,omitempty"`
	// MissingFrom and MissingTo are the first and last Seq of records that the head file
	// knows and the audit has not: it was cut, or lost them in a power failure.
	MissingFrom uint64 `json:"missing_from,omitempty"`
	MissingTo   uint64 `json:"missing_to,omitempty"`
}
