package a2a

// ToolRequest is POST /a2a/tools/{name}.
type ToolRequest struct {
	Params
	Name string
	// Arguments is the request body, "{}" if that was empty. The server has not parsed it:
	// the pipeline refuses what is not JSON.
	Arguments []byte
	// Timeout, Batch and OnFailure are the request's parameters of these names, "" where
	// it has none: how long the call may take in all ("30s"), the batch that it is one of,
	// and what becomes of it when another call of that batch fails ("continue" or
	// "cancel").
	Timeout, Batch, OnFailure string
}

// ToolReply is the answer to a direct tool call.
type ToolReply struct {
	// Status is the HTTP status.
	Status int
	// Envelope is the JSON body.
	Envelope []byte
	// TaskID is the ID of the call's task. It is sent as Location: /tasks/{id}.
	TaskID string
	// RetryAfter is in seconds; 0 means none.
	RetryAfter int
}

// ToolSearch is GET /a2a/tools with a query.
type ToolSearch struct {
	Params
	// Query is what is looked for, in words; the server has not checked it.
	Query string
	// Limit is how many tools the client wants at most, 0 if it does not say.
	Limit int
}

// FoundTool is a tool that a search has found.
type FoundTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Document is an immutable body with its validators.
type Document struct {
	Body []byte
	// ETag is the whole header value, quotes included.
	ETag string
	// Modified is the Last-Modified header, "" for none.
	Modified string
}
