package a2a

// Params are the service parameters of a request (§3.2.6).
type Params struct {
	Version Version
	// Extensions are the URIs that the client activated and the server
	// supports.
	Extensions []string
	// Caller is the authenticated name of the caller, "" if the caller is not known.
	Caller string
	// TraceParent is the W3C traceparent header as received, "" if it is absent or
	// malformed.
	TraceParent string
}

// SendRequest is SendMessage and SendStreamingMessage (§3.1.1, §3.1.2).
type SendRequest struct {
	Params
	Message           Message
	HistoryLength     *int // nil means all that is kept
	ReturnImmediately bool
	AcceptedModes     []string
	Metadata          Metadata
	// Push is a receiver of the task's events that is added before the task starts; nil
	// means none. The handler fills in its TaskID.
	Push *PushConfig
}

// SendResult is the result of a send. Exactly one of Task and Message is set.
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

// TaskList is one page of tasks.
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
	// After is the ID of the last event that the client has, from Last-Event-ID: the stream
	// continues with the next event, without a snapshot. If it cannot, or if After is 0, it
	// begins with a snapshot.
	After uint64
}
