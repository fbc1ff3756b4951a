package spec

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Dialect says how an agent writes its structured output: as one JSON document or as
// one document per line.
type Dialect struct {
	// Recognizes reports whether only this agent writes such an event.
	Recognizes func(event []byte) bool
	// Reader returns a function that reads the events of one output, in their order,
	// and records what they say in the Output.
	Reader func(*Output) func(event []byte)
}

// NewDialect returns a dialect whose events are decoded: into an E that says whether only
// this agent writes it, and into an M that is read. It ignores what cannot be decoded.
func NewDialect[E, M any](recognizes func(*E) bool, read func(*Output, *M)) *Dialect {
	return &Dialect{
		Recognizes: func(event []byte) bool {
			var e E
			return json.Unmarshal(event, &e) == nil && recognizes(&e)
		},
		Reader: func(o *Output) func([]byte) {
			return func(event []byte) {
				var m M
				if json.Unmarshal(event, &m) == nil {
					read(o, &m)
				}
			}
		},
	}
}

// Output collects what an agent's structured output says. Its methods are for the
// reader of a Dialect; one goroutine uses it.
type Output struct {
	Ending Ending

	write   func([]byte)
	spoken  bool // a part of the answer was passed on
	between bool // the next words begin a new paragraph
}

// Ending is what an agent's final event says of the turn. Final is false if there was
// no such event.
type Ending struct {
	Final  bool
	OK     bool
	Reason string // the reason why the turn failed, if OK is false
	Usage  peer.Usage
}

// NewOutput returns an output whose answer goes to write.
func NewOutput(write func([]byte)) *Output { return &Output{write: write} }

// Say passes words of the answer on.
func (o *Output) Say(words string) {
	if words == "" {
		return
	}
	if o.between && o.spoken {
		o.write([]byte("\n\n"))
	}
	o.spoken, o.between = true, false
	o.write([]byte(words))
}

// Spoken reports whether a part of the answer was passed on.
func (o *Output) Spoken() bool { return o.spoken }

// Paragraph makes the next words begin a new paragraph.
func (o *Output) Paragraph() { o.between = true }

// Succeed records the final event. A later one replaces the earlier one, as for Fail.
func (o *Output) Succeed() {
	o.Ending.Final, o.Ending.OK, o.Ending.Reason = true, true, ""
}

// Fail records the final event of a turn that failed.
func (o *Output) Fail(reason string) {
	if reason == "" {
		reason = "the agent reported an error without saying which"
	}
	o.Ending.Final, o.Ending.OK, o.Ending.Reason = true, false, reason
}
