package a2a

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
