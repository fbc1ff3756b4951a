package codec

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// The decoders of this file read the answers of servers, for the client. They accept the
// results of every dialect.

// DecodeTask reads a task.
func DecodeTask(raw json.RawMessage) (*a2a.Task, error) {
	return decodeResult(raw, (*node).task)
}

// DecodeTaskList reads one page of tasks.
func DecodeTaskList(raw json.RawMessage) (*a2a.TaskList, error) {
	return decodeResult(raw, (*node).taskList)
}

func (n *node) taskList(l *a2a.TaskList) error {
	l.Tasks = []*a2a.Task{}
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "tasks":
			return v.list(func(v *node) error {
				t := &a2a.Task{}
				l.Tasks = append(l.Tasks, t)
				return v.task(t)
			})
		case "nextPageToken":
			return v.str(&l.NextPageToken)
		case "pageSize":
			return v.integer(&l.PageSize)
		case "totalSize":
			return v.integer(&l.TotalSize)
		}
		return nil
	})
}

// DecodeSendResult reads a task or a message.
func DecodeSendResult(raw json.RawMessage) (*a2a.SendResult, error) {
	e, err := DecodeEvent(raw)
	if err != nil {
		return nil, err
	}
	if e.Task == nil && e.Message == nil {
		return nil, a2a.ErrInvalidAgentResponse.With("the answer is neither a task nor a message")
	}
	return &a2a.SendResult{Task: e.Task, Message: e.Message}, nil
}

// DecodeEvent reads a stream item, which is under a member's name or bare with its kind.
// The event's ID is not part of the item.
func DecodeEvent(raw json.RawMessage) (*a2a.Event, error) {
	e, err := decodeResult(raw, (*node).streamItem)
	switch {
	case err != nil:
		return nil, err
	case members(e) != 1:
		return nil, a2a.ErrInvalidAgentResponse.With("a stream item must be one of task, message, statusUpdate and artifactUpdate")
	}
	return e, nil
}

func (n *node) streamItem(e *a2a.Event) error {
	kind := ""
	if err := n.each(folded, func(key string, v *node) error {
		if key == "kind" {
			return v.str(&kind)
		}
		return nil
	}); err != nil {
		return err
	}
	if kind != "" {
		return n.event(e, kind)
	}
	return n.each(folded, func(key string, v *node) error { return v.event(e, key) })
}

// members returns how many of Task, Message, Status and Artifact are set.
func members(e *a2a.Event) int {
	n := 0
	for _, set := range []bool{e.Task != nil, e.Message != nil, e.Status != nil, e.Artifact != nil} {
		if set {
			n++
		}
	}
	return n
}

// event reads the member or kind with that name. It ignores other names.
func (n *node) event(e *a2a.Event, name string) error {
	switch name {
	case "task":
		e.Task = &a2a.Task{}
		return n.task(e.Task)
	case "message":
		e.Message = &a2a.Message{}
		return n.serverMessage(e.Message)
	case "statusUpdate", "status-update":
		e.Status = &a2a.StatusUpdate{}
		return n.statusUpdate(e.Status)
	case "artifactUpdate", "artifact-update":
		e.Artifact = &a2a.ArtifactUpdate{}
		return n.artifactUpdate(e.Artifact)
	}
	return nil
}

// serverMessage reads a message in a server's answer. A message without a role is the
// user's.
func (n *node) serverMessage(m *a2a.Message) error {
	err := n.message(m, reading10)
	if m.Role == "" {
		m.Role = a2a.RoleUser
	}
	return err
}

func (n *node) task(t *a2a.Task) error {
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "id":
			return v.str(&t.ID)
		case "contextId":
			return v.str(&t.ContextID)
		case "status":
			return v.status(&t.Status)
		case "artifacts":
			t.Artifacts = []a2a.Artifact{}
			return v.list(func(v *node) error {
				t.Artifacts = append(t.Artifacts, a2a.Artifact{})
				return v.artifact(&t.Artifacts[len(t.Artifacts)-1])
			})
		case "history":
			t.History = []a2a.Message{}
			return v.list(func(v *node) error {
				t.History = append(t.History, a2a.Message{})
				return v.serverMessage(&t.History[len(t.History)-1])
			})
		case "metadata":
			return v.metadata(&t.Metadata)
		}
		return nil
	})
}

func (n *node) status(st *a2a.Status) error {
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "state":
			return v.state(&st.State)
		case "message":
			st.Message = &a2a.Message{}
			return v.serverMessage(st.Message)
		case "timestamp":
			return v.timestamp(&st.Timestamp)
		}
		return nil
	})
}

func (n *node) artifact(a *a2a.Artifact) error {
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "artifactId":
			return v.str(&a.ID)
		case "name":
			return v.str(&a.Name)
		case "description":
			return v.str(&a.Description)
		case "parts":
			return v.parts(&a.Parts, reading10)
		case "metadata":
			return v.metadata(&a.Metadata)
		case "extensions":
			return v.strs(&a.Extensions)
		}
		return nil
	})
}

func (n *node) statusUpdate(u *a2a.StatusUpdate) error {
	return n.update(&u.TaskID, &u.ContextID, &u.Metadata, func(key string, v *node) error {
		if key == "status" {
			return v.status(&u.Status)
		}
		return nil
	})
}

func (n *node) artifactUpdate(u *a2a.ArtifactUpdate) error {
	return n.update(&u.TaskID, &u.ContextID, &u.Metadata, func(key string, v *node) error {
		switch key {
		case "artifact":
			return v.artifact(&u.Artifact)
		case "append":
			return v.boolean(&u.Append)
		case "lastChunk":
			return v.boolean(&u.LastChunk)
		}
		return nil
	})
}

// update reads what every update has, and its other members with member.
func (n *node) update(task, context *string, metadata *a2a.Metadata, member func(key string, v *node) error) error {
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "taskId":
			return v.str(task)
		case "contextId":
			return v.str(context)
		case "metadata":
			return v.metadata(metadata)
		}
		return member(key, v)
	})
}

// decodeResult reads raw. Its error is an ErrInvalidAgentResponse, since a bad answer is
// the server's fault.
func decodeResult[T any](raw json.RawMessage, read func(root *node, to *T) error) (*T, error) {
	to := new(T)
	root, err := parse(raw, maxResultElements)
	if err == nil && root.null() {
		err = errors.New("there is no result")
	}
	if err == nil {
		err = read(root, to)
	}
	if err != nil {
		return nil, fmt.Errorf("a2a: %w", a2a.ErrInvalidAgentResponse.With("bad answer: %w", err))
	}
	return to, nil
}
