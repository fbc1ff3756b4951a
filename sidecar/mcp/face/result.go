package face

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// The members of a result's _meta.
const (
	MetaTask       = "a2a-sidecar/taskId"
	MetaOutcome    = "a2a-sidecar/outcome"
	MetaReason     = "a2a-sidecar/reason"
	MetaTruncated  = "a2a-sidecar/truncated"
	MetaOutputPath = "a2a-sidecar/outputPath"
	MetaOutputURL  = "a2a-sidecar/outputUrl"
)

// maxArtifacts is how many bytes of artifacts a result holds. What is beyond stays in the task.
const maxArtifacts = 8 << 20

// envelope is a call's result as the sidecar has it.
type envelope struct {
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data"`
	ErrorText string          `json:"error_text"`
	Metadata  struct {
		Outcome    string `json:"outcome"`
		Reason     string `json:"reason"`
		Truncated  bool   `json:"truncated"`
		OutputPath string `json:"output_path"`
		OutputURL  string `json:"output_url"`
	} `json:"metadata"`
}

// render returns a call's result as MCP has it.
func (f *Face) render(name string, r *Result) (*mcp.CallToolResult, error) {
	var e envelope
	if err := json.Unmarshal(r.Envelope, &e); err != nil {
		return nil, fmt.Errorf("the result of %q cannot be read: %w", name, err)
	}
	if e.Metadata.Outcome == "unknown_tool" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool: " + e.ErrorText}
	}
	res := &mcp.CallToolResult{Meta: e.meta(r.TaskID), Content: []mcp.Content{}}
	if e.Type == "output" {
		e.output(res, f.schemas.has(name))
	} else {
		e.failure(res, name)
	}
	e.artifacts(res, r)
	return res, nil
}

// meta returns what a result says of itself.
func (e *envelope) meta(task string) mcp.Meta {
	m := mcp.Meta{MetaOutcome: e.Metadata.Outcome}
	for key, value := range map[string]string{MetaTask: task, MetaReason: e.Metadata.Reason, MetaOutputPath: e.Metadata.OutputPath, MetaOutputURL: e.Metadata.OutputURL} {
		if value != "" {
			m[key] = value
		}
	}
	if e.Metadata.Truncated {
		m[MetaTruncated] = true
	}
	return m
}

// output adds what a tool said. A result that breaks the tool's output schema, because it was
// cut or the call was stopped, is an error if the schema was listed: clients hold it to that.
func (e *envelope) output(res *mcp.CallToolResult, promised bool) {
	broken := e.Metadata.Truncated || e.Metadata.Outcome == "partial"
	if isObject(e.Data) && !broken {
		res.StructuredContent = e.Data
	}
	if said := e.said(); said != "" {
		res.Content = append(res.Content, text(said))
	}
	res.IsError = promised && res.StructuredContent == nil
	if e.Metadata.Outcome == "partial" {
		res.Content = append(res.Content, text("[the call was stopped ("+spoken(e.Metadata.Reason)+"): this is what it had said by then]"))
	}
	e.cut(res)
}

// failure adds why a call has no result, and what the tool had said.
func (e *envelope) failure(res *mcp.CallToolResult, name string) {
	res.IsError = true
	why := e.ErrorText
	switch {
	case e.Metadata.Outcome == "denied":
		why = fmt.Sprintf("%q exists but you may not call it: %s", name, why)
	case !strings.HasPrefix(why, spoken(e.Metadata.Outcome)):
		why = spoken(e.Metadata.Outcome) + ": " + why
	}
	res.Content = append(res.Content, text(why))
	if said := e.said(); said != "" {
		res.Content = append(res.Content, text(said))
	}
	e.cut(res)
}

// cut says that what the tool said is not all, and where all of it is.
func (e *envelope) cut(res *mcp.CallToolResult) {
	switch {
	case e.Metadata.OutputPath != "":
		res.Content = append(res.Content, text("[cut at the tool's limit: all of it is in "+e.Metadata.OutputPath+"]"))
	case e.Metadata.Truncated:
		res.Content = append(res.Content, text("[cut at the tool's limit]"))
	}
}

// said returns the data as text: a string as itself, of one that was cut its head, and anything
// else as JSON.
func (e *envelope) said() string {
	data := bytes.TrimSpace(e.Data)
	var cut struct {
		Head *string `json:"head"`
	}
	if e.Metadata.Truncated && json.Unmarshal(data, &cut) == nil && cut.Head != nil {
		return *cut.Head
	}
	var s string
	if len(data) == 0 || string(data) == "null" {
		return ""
	}
	if json.Unmarshal(data, &s) == nil {
		return s
	}
	return string(data)
}

// artifacts adds the files and texts that the call has made.
func (e *envelope) artifacts(res *mcp.CallToolResult, r *Result) {
	room, left := maxArtifacts, r.Omitted
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		size := 0
		for j := range a.Parts {
			size += len(a.Parts[j].Raw) + len(a.Parts[j].Text) + len(a.Parts[j].Data)
		}
		if size > room {
			left++
			continue
		}
		room -= size
		for j := range a.Parts {
			res.Content = append(res.Content, content(&a.Parts[j], r.TaskID, a.ID, j))
		}
	}
	if left > 0 {
		res.Content = append(res.Content, text(fmt.Sprintf("[%d more of the call's artifacts are in task %s]", left, r.TaskID)))
	}
}

// content returns a part as MCP has it.
func content(p *a2a.Part, task, artifact string, n int) mcp.Content {
	uri := fmt.Sprintf("a2a-sidecar://task/%s/artifact/%s/%d", url.PathEscape(task), url.PathEscape(artifact), n)
	switch kind := p.MediaType; {
	case p.Kind == a2a.PartRaw && strings.HasPrefix(kind, "image/"):
		return &mcp.ImageContent{Data: p.Raw, MIMEType: kind}
	case p.Kind == a2a.PartRaw && strings.HasPrefix(kind, "audio/"):
		return &mcp.AudioContent{Data: p.Raw, MIMEType: kind}
	case p.Kind == a2a.PartRaw:
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: kind, Blob: p.Raw}}
	case p.Kind == a2a.PartURL:
		name := p.Filename
		if name == "" {
			name = artifact
		}
		return &mcp.ResourceLink{URI: p.URL, Name: name, MIMEType: kind}
	case p.Kind == a2a.PartData:
		return text(string(p.Data))
	case p.Filename != "":
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: kind, Text: p.Text}}
	}
	return text(p.Text)
}

func text(s string) mcp.Content { return &mcp.TextContent{Text: s} }

// spoken returns a case in words: timed out.
func spoken(outcome string) string { return strings.ReplaceAll(outcome, "_", " ") }

func isObject(data json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) }

// failure returns a result for a call that nobody was asked to make.
func failure(why, outcome string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text(why)}, Meta: mcp.Meta{MetaOutcome: outcome}}
}

// Busy wraps an error that says to try again.
type Busy struct{ Err error }

func (b *Busy) Error() string { return b.Err.Error() }
func (b *Busy) Unwrap() error { return b.Err }

// unavailable returns a result for a call that the Backend could not make.
func unavailable(err error) *mcp.CallToolResult {
	var busy *Busy
	switch {
	case errors.As(err, &busy):
		return failure("busy: "+err.Error(), "busy")
	case errors.Is(err, context.Canceled), errors.Is(err, errClosed):
		return failure("canceled: "+err.Error(), "canceled")
	}
	return failure("unavailable: "+err.Error(), "unavailable")
}

// fault returns an error of the Backend as one of the protocol.
func fault(err error) error {
	code := int64(jsonrpc.CodeInternalError)
	var busy *Busy
	if errors.As(err, &busy) {
		code = codeBusy
	}
	return &jsonrpc.Error{Code: code, Message: "unavailable: " + err.Error()}
}
