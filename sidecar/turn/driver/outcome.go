package driver

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
)

// Outcome says how a turn ended, as its driver sees it.
type Outcome struct {
	State    a2a.TaskState
	Text     string       // text for people, "" if none
	Parts    []a2a.Part   // what the agent said in parts, nil if nothing
	Message  bool         // the answer is a bare message
	Metadata a2a.Metadata // metadata of the last status
	// Complete says that the agent had finished its work, well or not, before it
	// was asked to stop: a deadline or a drain that comes later changes nothing.
	Complete bool
	Extras   Extras // what the agent said in addition to its words
}

// Completed returns the outcome of a turn that went well.
func Completed() Outcome { return Outcome{State: a2a.StateCompleted} }

// Failed returns the outcome of a turn that an error ended.
func Failed(err error) Outcome {
	return Outcome{State: a2a.StateFailed, Text: err.Error()}
}

// NotStarted returns the outcome of a turn whose process could not be started.
func NotStarted(err error) Outcome {
	o := Failed(err)
	var start *proc.StartError
	if errors.As(err, &start) {
		o = o.With("exitCode", start.ExitCode())
	}
	return o
}

// With adds one item of metadata.
func (o Outcome) With(key string, value any) Outcome {
	if o.Metadata == nil {
		o.Metadata = a2a.Metadata{}
	}
	o.Metadata[key] = JSON(value)
	return o
}

// WithExit adds the exit code, or the signal's name, of a process that failed.
func (o Outcome) WithExit(exit proc.Exit) Outcome {
	if exit.Success() {
		return o
	}
	o = o.With("exitCode", exit.Status())
	if exit.Signal != 0 {
		o = o.With("signal", strings.TrimPrefix(exit.String(), "killed by "))
	}
	return o
}

// Extras are the metadata and extensions that the agent gave its answer, whatever
// form the answer has.
type Extras struct {
	Metadata   a2a.Metadata
	Extensions []string
}

// OnMessage adds them to a message.
func (e Extras) OnMessage(m *a2a.Message) *a2a.Message {
	m.Metadata, m.Extensions = e.Metadata, e.Extensions
	return m
}

// OnArtifact adds them to an artifact. What the sidecar itself says of the artifact
// wins.
func (e Extras) OnArtifact(a *a2a.Artifact) {
	a.Metadata, a.Extensions = a.Metadata.With(e.Metadata), e.Extensions
}

// EndedError is the cause of a turn's end if its agent has ended.
type EndedError struct {
	Exit  proc.Exit
	Words string // the last words of a program that a message ended, "" if none
}

func (e *EndedError) Error() string {
	if e.Words == "" {
		return "the agent ended: " + e.Exit.String()
	}
	return "the agent ended: " + e.Exit.String() + ": " + e.Words
}

// JSON marshals one value of a metadata object: a string, a number, a boolean or
// a struct of these, which always marshal.
func JSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
