package driver

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
)

// Outcome is how a turn ended, as its driver sees it.
type Outcome struct {
	State    a2a.TaskState
	Text     string       // for people, "" for none
	Parts    []a2a.Part   // what the agent said in parts, nil for nothing
	Message  bool         // answer with a bare message
	Metadata a2a.Metadata // of the last status
	// Complete says that the agent had brought its work to an end, well or not, before
	// it was asked to stop: a deadline or a drain that comes then changes nothing.
	Complete bool
	Extras   Extras // what the agent said in addition to its words
}

// Completed is the outcome of a turn that went well.
func Completed() Outcome { return Outcome{State: a2a.StateCompleted} }

// Failed is the outcome of a turn that an error ended.
func Failed(err error) Outcome {
	return Outcome{State: a2a.StateFailed, Text: err.Error()}
}

// NotStarted is the outcome of a turn whose process could not be started.
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

// Extras are metadata and extensions that the agent gave its answer, whichever
// form that takes.
type Extras struct {
	Metadata   a2a.Metadata
	Extensions []string
}

// OnMessage adds them to a message.
func (e Extras) OnMessage(m *a2a.Message) *a2a.Message {
	m.Metadata, m.Extensions = e.Metadata, e.Extensions
	return m
}

// OnArtifact adds them to an artifact. What the sidecar says of it wins.
func (e Extras) OnArtifact(a *a2a.Artifact) {
	a.Metadata, a.Extensions = a.Metadata.With(e.Metadata), e.Extensions
}

// EndedError is the cause of a turn's end by the end of its agent.
type EndedError struct {
	Exit  proc.Exit
	Words string // the last ones of a program that a message ended, "" for none
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
