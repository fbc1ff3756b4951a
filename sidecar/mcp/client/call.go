package client

import (
	"context"
	"encoding/json"
	"errors"
)

// Call is one call of a server's tool.
type Call struct {
	Server    string          // the server's slug
	Tool      string          // the tool's native name
	Arguments json.RawMessage // an object
	// Hash is the hash of the definition that the call was judged by (see
	// manifest.External); the call fails with ErrChanged if the server has another one now. "":
	// any definition.
	Hash string
	// TraceParent is the W3C traceparent, "" for none.
	TraceParent string
	// Listener hears what the server says meanwhile. nil: nobody listens, and what the server
	// asks is declined.
	Listener Listener
}

// Listener hears what a server says while it executes a call. Its methods may be called from
// several goroutines at once, but not after Call has returned.
type Listener interface {
	// Progress tells how far the call is; total is 0 if it is not known. It must return soon.
	Progress(done, total float64, message string)
	// Elicit asks the caller for what the server wants to know (elicitation/create). The context
	// ends with the call.
	Elicit(ctx context.Context, e Elicitation) (Elicited, error)
	// Sample asks the caller for a model's answer (sampling/createMessage).
	Sample(ctx context.Context, s Sampling) (Sampled, error)
}

// Elicitation is a question of a server's.
type Elicitation struct {
	Message string
	// Schema is the requested form, a JSON Schema of an object with flat properties; nil for a URL.
	Schema json.RawMessage
	// URL is where the person is to go, "" for a form.
	URL string
}

// Elicited is the answer to an Elicitation.
type Elicited struct {
	Action  string          // "accept", "decline" or "cancel"
	Content json.RawMessage // an object, with "accept" of a form only
}

// Sampling is a server's request for a model's answer.
type Sampling struct {
	System    string
	Messages  []SamplingMessage
	MaxTokens int64
}

// SamplingMessage is one message of the conversation that the model is to continue.
type SamplingMessage struct {
	Role    string // "user" or "assistant"
	Content []Content
}

// Sampled is the model's answer, as text. Model names whoever answered.
type Sampled struct {
	Text, Model string
}

// Result is what a tool answered.
type Result struct {
	// IsError says that the tool failed; Content says why.
	IsError bool
	// Structured is the structured content, nil for none.
	Structured json.RawMessage
	Content    []Content
}

// The kinds of content.
const (
	ContentText     = "text"
	ContentImage    = "image"
	ContentAudio    = "audio"
	ContentLink     = "resource_link"
	ContentResource = "resource"
)

// Content is one block of a result.
type Content struct {
	Kind      string // one of the Content constants
	Text      string // of text, and of a resource that is text
	Data      []byte // of images and audio, and of a resource that is not text
	MediaType string // "" if it is not known
	URI       string // of links and resources
	Name      string // of links, "" if it has none
}

// Errors of Call. Each is wrapped with words for the caller.
var (
	// ErrUnavailable: nothing was executed, for the server cannot be reached, or has no such tool.
	ErrUnavailable = errors.New("unavailable")
	// ErrChanged: nothing was executed, for the definition has changed since the call was judged.
	ErrChanged = errors.New("the tool's definition has changed")
	// ErrProtocol: the server answered with an error, or with what is no answer.
	ErrProtocol = errors.New("the server broke the protocol")
	// ErrLost: the server ended or the connection was lost while the call ran; whether it was
	// executed is not known.
	ErrLost = errors.New("the server was lost")
	// ErrTooLarge: the answer is longer than the limit.
	ErrTooLarge = errors.New("the answer is too large")
)
