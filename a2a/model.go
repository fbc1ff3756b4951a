package a2a

import (
	"encoding/json"
	"maps"
	"time"
)

// Version is a dialect of the protocol: the major.minor that a client names in
// the A2A-Version header (§3.6).
type Version string

// The dialects that are spoken.
const (
	V03 Version = "0.3"
	V10 Version = "1.0"
)

// TaskState is the state of a task (§4.1.3). The values are the specification's 1.0 names.
type TaskState string

// The states of a task.
const (
	StateUnspecified   TaskState = "TASK_STATE_UNSPECIFIED"
	StateSubmitted     TaskState = "TASK_STATE_SUBMITTED"
	StateWorking       TaskState = "TASK_STATE_WORKING"
	StateCompleted     TaskState = "TASK_STATE_COMPLETED"
	StateFailed        TaskState = "TASK_STATE_FAILED"
	StateCanceled      TaskState = "TASK_STATE_CANCELED"
	StateInputRequired TaskState = "TASK_STATE_INPUT_REQUIRED"
	StateRejected      TaskState = "TASK_STATE_REJECTED"
	StateAuthRequired  TaskState = "TASK_STATE_AUTH_REQUIRED"
)

// Terminal reports whether a task in this state never changes again.
func (s TaskState) Terminal() bool {
	switch s {
	case StateCompleted, StateFailed, StateCanceled, StateRejected:
		return true
	}
	return false
}

// Interrupted reports whether a task in this state waits for its client.
func (s TaskState) Interrupted() bool {
	return s == StateInputRequired || s == StateAuthRequired
}

// Role says who wrote a message.
type Role string

// The roles.
const (
	RoleUser  Role = "ROLE_USER"
	RoleAgent Role = "ROLE_AGENT"
)

// Metadata holds the free-form members of most objects. Values are kept as they were
// received.
type Metadata map[string]json.RawMessage

// With returns m plus the members of more that m lacks. It changes neither of them.
func (m Metadata) With(more Metadata) Metadata {
	if len(more) == 0 {
		return m
	}
	all := maps.Clone(more)
	maps.Copy(all, m)
	return all
}

// PartKind says which member of a Part is set.
type PartKind uint8

// The kinds of part.
const (
	PartText PartKind = iota + 1
	PartRaw
	PartURL
	PartData
)

// Part is one piece of content (§4.1.6). Exactly one of Text, Raw, URL and Data is set;
// Kind says which.
type Part struct {
	Kind      PartKind
	Text      string
	Raw       []byte
	URL       string
	Data      json.RawMessage
	MediaType string
	Filename  string
	Metadata  Metadata
}

// TextPart returns a part of plain text.
func TextPart(text string) Part { return Part{Kind: PartText, Text: text} }

// DataPart returns a part of JSON.
func DataPart(data json.RawMessage) Part { return Part{Kind: PartData, Data: data} }

// WithText puts a text before parts, unless it is empty.
func WithText(parts []Part, text string) []Part {
	if text == "" {
		return parts
	}
	return append([]Part{TextPart(text)}, parts...)
}

// Message is one communication between client and agent (§4.1.4).
type Message struct {
	ID               string
	ContextID        string
	TaskID           string
	Role             Role
	Parts            []Part
	Metadata         Metadata
	Extensions       []string
	ReferenceTaskIDs []string
}

// Artifact is a result of a task (§4.1.7).
type Artifact struct {
	ID          string
	Name        string
	Description string
	Parts       []Part
	Metadata    Metadata
	Extensions  []string
}

// Status is a task's state at a point in time, with an optional message that explains it
// (§4.1.2).
type Status struct {
	State     TaskState
	Message   *Message
	Timestamp time.Time
}

// Task is the unit of work (§4.1.1). A Task that the Handler returns is a snapshot: it is
// not changed any more.
type Task struct {
	ID        string
	ContextID string
	Status    Status
	Artifacts []Artifact
	History   []Message
	Metadata  Metadata
}

// KeepHistory drops all but the newest n messages. If n is 0 or less, History becomes nil
// (§3.2.4).
func (t *Task) KeepHistory(n int) {
	switch {
	case n <= 0:
		t.History = nil
	case n < len(t.History):
		t.History = t.History[len(t.History)-n:]
	}
}

// StatusUpdate is the event of a changed state (§4.2.1).
type StatusUpdate struct {
	TaskID    string
	ContextID string
	Status    Status
	Metadata  Metadata
}

// ArtifactUpdate is the event of a new artifact, or of more content of one (§4.2.2).
type ArtifactUpdate struct {
	TaskID    string
	ContextID string
	Artifact  Artifact
	Append    bool
	LastChunk bool
	Metadata  Metadata
}
