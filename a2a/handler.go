package a2a

import "context"

// Handler is what the server hands work to. Every method may be called from
// many goroutines at once. An error that is, or wraps, an *Error keeps its
// code; any other is an internal error and its text stays in the log.
//
// A context that ends means that the client went away: the methods return, but
// no task is stopped by it.
type Handler interface {
	// SendMessage delivers a message and waits until the task is terminal or
	// interrupted, or returns the new task at once with ReturnImmediately.
	SendMessage(ctx context.Context, r *SendRequest) (*SendResult, error)
	// StreamMessage delivers a message and returns the task's events, the Task
	// itself first, as it is once it has the message: one that still waits for
	// its client ends the stream. The server sees to HistoryLength.
	StreamMessage(ctx context.Context, r *SendRequest) (Stream, error)
	// GetTask returns a snapshot.
	GetTask(ctx context.Context, r *GetRequest) (*Task, error)
	// ListTasks returns one page, newest status first.
	ListTasks(ctx context.Context, r *ListRequest) (*TaskList, error)
	// CancelTask stops the work and returns the task as it ended. A task that is
	// canceled already is returned in 1.0 (§3.3.1), and not cancelable in 0.3 (0.3.0 §8.2).
	CancelTask(ctx context.Context, r *CancelRequest) (*Task, error)
	// SubscribeTask follows a task that is not terminal, a snapshot first.
	SubscribeTask(ctx context.Context, r *SubscribeRequest) (Stream, error)
	// CreatePush adds a receiver of a task's events and returns it as it is kept.
	// It and the other three are only called where Card().Push says so.
	CreatePush(ctx context.Context, r *CreatePushRequest) (*PushConfig, error)
	// GetPush returns one; one that does not exist is ErrTaskNotFound.
	GetPush(ctx context.Context, r *PushRequest) (*PushConfig, error)
	// ListPush returns all of a task, in the order in which they were made.
	ListPush(ctx context.Context, r *ListPushRequest) ([]PushConfig, error)
	// DeletePush removes one. It is no error when the task has none of that id.
	DeletePush(ctx context.Context, r *PushRequest) error
	// CallTool is POST /a2a/tools/{name}. It returns when the call has ended
	// or waits for an approval. A bad call is a reply, not an error.
	CallTool(ctx context.Context, r *ToolRequest) (*ToolReply, error)
	// Card returns the card without addresses: the server adds them. The same
	// pointer means the same card. It must not block.
	Card() *Card
	// ExtendedCard returns the card for a caller who is known, without
	// addresses as Card does; the same pointer means the same card. It is only
	// called where Card().Extended says so.
	ExtendedCard(ctx context.Context, p *Params) (*Card, error)
	// Tools returns the body of GET /a2a/tools. It must not block.
	Tools() *Document
	// Ready says why new work would be refused now, nil when it would not be.
	// It must not block.
	Ready() error
}

// Params are the service parameters of a request (§3.2.6).
type Params struct {
	Version Version
	// Extensions are the URIs that the client activated and the server
	// supports.
	Extensions []string
	// Caller is the authenticated name, "" for anybody.
	Caller string
	// TraceParent is the W3C header as it came, "" when absent or malformed.
	TraceParent string
}

// SendRequest is SendMessage and SendStreamingMessage (§3.1.1, §3.1.2).
type SendRequest struct {
	Params
	Message           Message
	HistoryLength     *int // nil: all that is kept
	ReturnImmediately bool
	AcceptedModes     []string
	Metadata          Metadata
	// Push is a receiver of the task's events, to be added before the task
	// starts, nil for none. Its TaskID is for the handler to fill in.
	Push *PushConfig
}

// SendResult holds one of the two.
type SendResult struct {
	Task    *Task
	Message *Message
}

// GetRequest is GetTask (§3.1.3).
type GetRequest struct {
	Params
	ID            string
	HistoryLength *int
}

// ListRequest is ListTasks (§3.1.4). The server has checked the ranges and
// filled in the defaults.
type ListRequest struct {
	Params
	ContextID        string
	State            TaskState // "" for all
	PageSize         int       // 1..100
	PageToken        string
	HistoryLength    *int
	StatusAfter      string // RFC 3339, "" for all; checked
	IncludeArtifacts bool
}

// TaskList is one page.
type TaskList struct {
	Tasks         []*Task
	NextPageToken string
	PageSize      int
	TotalSize     int
}

// CancelRequest is CancelTask (§3.1.5).
type CancelRequest struct {
	Params
	ID       string
	Metadata Metadata
}

// SubscribeRequest is SubscribeToTask (§3.1.6).
type SubscribeRequest struct {
	Params
	ID string
	// After is the place of the last event that the client has, from
	// Last-Event-ID: the stream goes on with the next one, without a snapshot.
	// Where it cannot, and for 0, it begins with one.
	After uint64
}

// Stream is one subscriber's view of a task's events. It is used by one
// goroutine.
type Stream interface {
	// Next waits for events and returns all that were missed, in order, up to
	// about 128 KiB of frames. io.EOF ends a stream that was told everything;
	// ErrStalled one that was cut off because it read too slowly.
	Next(ctx context.Context) ([]*Event, error)
	// Close releases the subscription. It may be called more than once.
	Close()
}

// ToolRequest is POST /a2a/tools/{name}.
type ToolRequest struct {
	Params
	Name string
	// Arguments is the body, "{}" when it was empty. The server has not parsed
	// it: what is not JSON is the pipeline's to refuse.
	Arguments []byte
}

// ToolReply is the answer to a direct tool call.
type ToolReply struct {
	// Status is the HTTP status.
	Status int
	// Envelope is the JSON body.
	Envelope []byte
	// TaskID is the call's task: sent as Location: /tasks/{id}.
	TaskID string
	// RetryAfter in seconds, 0 for none.
	RetryAfter int
}

// Document is an immutable body with its validator.
type Document struct {
	Body []byte
	// ETag is the whole header value, quotes included.
	ETag string
	// Modified is the Last-Modified header, "" for none.
	Modified string
}
