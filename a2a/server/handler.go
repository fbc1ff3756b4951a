package server

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Handler is what the server hands work to. Every method may be called from
// many goroutines at once. An error that is, or wraps, an *Error keeps its
// code; any other is an internal error and its text stays in the log.
//
// A context that ends means that the client went away: the methods return, but
// no task is stopped by it.
type Handler interface {
	// SendMessage delivers a message and waits until the task is terminal or
	// interrupted, or returns the new task at once with ReturnImmediately.
	SendMessage(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error)
	// StreamMessage delivers a message and returns the task's events, the Task
	// itself first, as it is once it has the message: one that still waits for
	// its client ends the stream. The server sees to HistoryLength.
	StreamMessage(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error)
	// GetTask returns a snapshot.
	GetTask(ctx context.Context, r *a2a.GetRequest) (*a2a.Task, error)
	// ListTasks returns one page, newest status first.
	ListTasks(ctx context.Context, r *a2a.ListRequest) (*a2a.TaskList, error)
	// CancelTask stops the work and returns the task as it ended. A task that is
	// canceled already is returned in 1.0 (§3.3.1), and not cancelable in 0.3 (0.3.0 §8.2).
	CancelTask(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error)
	// SubscribeTask follows a task that is not terminal, a snapshot first.
	SubscribeTask(ctx context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error)
	// CreatePush adds a receiver of a task's events and returns it as it is kept.
	// It and the other three are only called where Card().Push says so.
	CreatePush(ctx context.Context, r *a2a.CreatePushRequest) (*a2a.PushConfig, error)
	// GetPush returns one; one that does not exist is ErrTaskNotFound.
	GetPush(ctx context.Context, r *a2a.PushRequest) (*a2a.PushConfig, error)
	// ListPush returns all of a task, in the order in which they were made.
	ListPush(ctx context.Context, r *a2a.ListPushRequest) ([]a2a.PushConfig, error)
	// DeletePush removes one. It is no error when the task has none of that id.
	DeletePush(ctx context.Context, r *a2a.PushRequest) error
	// CallTool is POST /a2a/tools/{name}. It returns when the call has ended
	// or waits for an approval. A bad call is a reply, not an error.
	CallTool(ctx context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error)
	// Card returns the card without addresses: the server adds them. The same
	// pointer means the same card. It must not block.
	Card() *a2a.Card
	// ExtendedCard returns the card for a caller who is known, without
	// addresses as Card does; the same pointer means the same card. It is only
	// called where Card().Extended says so.
	ExtendedCard(ctx context.Context, p *a2a.Params) (*a2a.Card, error)
	// Tools returns the body of GET /a2a/tools. It must not block.
	Tools() *a2a.Document
	// Ready says why new work would be refused now, nil when it would not be.
	// It must not block.
	Ready() error
}
