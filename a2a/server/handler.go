package server

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Handler does the work for the server. Every method may be called from many goroutines at
// once. An error that is, or wraps, an *Error keeps its code; any other is an internal
// error, and its text is only logged.
//
// If a context ends, the client went away: the methods return, but no task is stopped.
type Handler interface {
	// SendMessage delivers a message and waits until the task is terminal or
	// interrupted, or returns the new task at once with ReturnImmediately. A message that
	// holds nothing but white space comes neither here nor to StreamMessage.
	SendMessage(ctx context.Context, r *a2a.SendRequest) (*a2a.SendResult, error)
	// StreamMessage delivers a message and returns the task's events. The first is the Task
	// itself after it got the message: if it still waits for its client, the stream ends.
	// The server applies HistoryLength.
	StreamMessage(ctx context.Context, r *a2a.SendRequest) (a2a.Stream, error)
	// GetTask returns a snapshot.
	GetTask(ctx context.Context, r *a2a.GetRequest) (*a2a.Task, error)
	// ListTasks returns one page, newest status first.
	ListTasks(ctx context.Context, r *a2a.ListRequest) (*a2a.TaskList, error)
	// CancelTask stops the work and returns the task as it ended. If the task is canceled
	// already, it is returned in 1.0 (§3.3.1), and is not cancelable in 0.3 (0.3.0 §8.2).
	CancelTask(ctx context.Context, r *a2a.CancelRequest) (*a2a.Task, error)
	// SubscribeTask follows a task that is not terminal. The first event is a snapshot.
	SubscribeTask(ctx context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error)
	// CreatePush adds a receiver of a task's events and returns it as it is kept.
	// CreatePush and the other three methods of push are only called if Card().Push is set.
	CreatePush(ctx context.Context, r *a2a.CreatePushRequest) (*a2a.PushConfig, error)
	// GetPush returns one config, or ErrTaskNotFound if it does not exist.
	GetPush(ctx context.Context, r *a2a.PushRequest) (*a2a.PushConfig, error)
	// ListPush returns all configs of a task, in the order in which they were created.
	ListPush(ctx context.Context, r *a2a.ListPushRequest) ([]a2a.PushConfig, error)
	// DeletePush removes one config. It is not an error if the task has no config with that
	// id.
	DeletePush(ctx context.Context, r *a2a.PushRequest) error
	// CallTool is POST /a2a/tools/{name}. It returns when the call has ended
	// or waits for an approval. A bad call is a reply, not an error.
	CallTool(ctx context.Context, r *a2a.ToolRequest) (*a2a.ToolReply, error)
	// Card returns the card without addresses: the server adds them. The same
	// pointer means the same card. It must not block.
	Card() *a2a.Card
	// ExtendedCard returns the card for an authenticated caller, without addresses like
	// Card; the same pointer means the same card. It is only called if Card().Extended is
	// set.
	ExtendedCard(ctx context.Context, p *a2a.Params) (*a2a.Card, error)
	// Tools returns the body of GET /a2a/tools. It must not block.
	Tools() *a2a.Document
	// SearchTools is GET /a2a/tools with a query. It returns the tools that are found, best
	// first.
	SearchTools(ctx context.Context, r *a2a.ToolSearch) ([]a2a.FoundTool, error)
	// Ready returns why new work would be refused now, or nil if it would be accepted. It
	// must not block.
	Ready() error
}
