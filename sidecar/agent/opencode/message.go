package opencode

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// messageID returns a new id of a message, as opencode makes them: the time first, since opencode
// compares ids to know which message came first. What the server makes in the same millisecond
// comes after it.
func messageID(now time.Time) string {
	const letters, marks = 14, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var random [letters]byte
	rand.Read(random[:]) // it never fails (crypto/rand)
	for i, b := range random {
		random[i] = marks[int(b)%len(marks)]
	}
	return fmt.Sprintf("msg_%012x%s", uint64(now.UnixMilli())<<12&(1<<48-1), random[:])
}

// prompt is what POST /session/ID/prompt_async takes.
type prompt struct {
	MessageID string      `json:"messageID"`
	Model     *model      `json:"model,omitempty"`
	Agent     string      `json:"agent,omitempty"`
	Parts     []inputPart `json:"parts"`
}

// model names a model.
type model struct {
	ProviderID string `json:"providerID"`
	ModelID    string `json:"modelID"`
}

// inputPart is a part of a message of ours.
type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Mime     string `json:"mime,omitempty"`
	Filename string `json:"filename,omitempty"`
	URL      string `json:"url,omitempty"`
}

// inputs returns the parts of a message: its words, in which files stand by their paths, and the files
// that the model can see. A kind of file that it cannot take would fail this turn and all later ones
// of the conversation.
func inputs(m peer.Message, sees func(kind string) bool) []inputPart {
	parts := []inputPart{{Type: "text", Text: m.Text}}
	for i, p := range m.Parts {
		path := m.Files[i]
		mime, _, _ := strings.Cut(p.MediaType, ";")
		if p.Kind != a2a.PartRaw || !filepath.IsAbs(path) || !seen(mime, sees) {
			continue
		}
		file := url.URL{Scheme: "file", Path: path}
		parts = append(parts, inputPart{Type: "file", Mime: mime, Filename: filepath.Base(path), URL: file.String()})
	}
	return parts
}

// seen reports whether a file of this type can be shown to the model.
func seen(mime string, sees func(kind string) bool) bool {
	switch {
	case spec.IsImage(mime):
		return sees("image")
	case mime == "application/pdf":
		return sees("pdf")
	}
	return false
}

// info is what opencode tells of a message.
type info struct {
	ID         string `json:"id"`
	SessionID  string `json:"sessionID"`
	Role       string `json:"role"`
	ModelID    string `json:"modelID"`
	ProviderID string `json:"providerID"`
	Summary    any    `json:"summary"` // true for a message that sums up earlier ones
	Time       struct {
		Completed int64 `json:"completed"`
	} `json:"time"`
	Finish string   `json:"finish"`
	Error  *failure `json:"error"`
	Cost   float64  `json:"cost"`
	Tokens struct {
		Input  int64 `json:"input"`
		Output int64 `json:"output"`
	} `json:"tokens"`
}

// part is a part of a message as opencode tells it.
type part struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionID"`
	MessageID string `json:"messageID"`
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Ignored   bool   `json:"ignored"`
	Time      struct {
		End int64 `json:"end"`
	} `json:"time"`
	// of a file
	Mime     string `json:"mime"`
	Filename string `json:"filename"`
	URL      string `json:"url"`
	// of a tool
	Tool   string    `json:"tool"`
	CallID string    `json:"callID"`
	State  toolState `json:"state"`
}

// toolState is where a tool is.
type toolState struct {
	Status   string          `json:"status"`
	Title    string          `json:"title"`
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Metadata json.RawMessage `json:"metadata"`
}
