package channel

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// wireResult is an MCP CallToolResult as it is sent.
type wireResult struct {
	Content           []json.RawMessage `json:"content"`
	StructuredContent json.RawMessage   `json:"structuredContent,omitempty"`
	IsError           bool              `json:"isError,omitempty"`
}

// wireContent is one item of a result's content.
type wireContent struct {
	Type     string        `json:"type"`
	Text     string        `json:"text,omitempty"`
	Data     string        `json:"data,omitempty"`
	MimeType string        `json:"mimeType,omitempty"`
	URI      string        `json:"uri,omitempty"`
	Name     string        `json:"name,omitempty"`
	Resource *wireResource `json:"resource,omitempty"`
}

type wireResource struct {
	URI      string  `json:"uri"`
	MimeType string  `json:"mimeType,omitempty"`
	Text     *string `json:"text,omitempty"`
	Blob     *string `json:"blob,omitempty"`
}

// decodeResult reads an agent's answer to tools/call.
func decodeResult(raw json.RawMessage) (ToolResult, error) {
	var w wireResult
	if err := decode(raw, &w); err != nil {
		return ToolResult{}, err
	}
	out := ToolResult{StructuredContent: w.StructuredContent, IsError: w.IsError}
	if string(w.StructuredContent) == "null" {
		out.StructuredContent = nil
	}
	for i, c := range w.Content {
		p, err := decodeContent("content["+strconv.Itoa(i)+"]", c)
		if err != nil {
			return ToolResult{}, err
		}
		out.Content = append(out.Content, p)
	}
	return out, nil
}

func decodeContent(field string, raw json.RawMessage) (a2a.Part, error) {
	var c wireContent
	if err := decode(raw, &c); err != nil {
		return a2a.Part{}, invalid(field, "%s", err)
	}
	switch {
	case c.Type == "text":
		return a2a.TextPart(c.Text), nil
	case c.Type == "image" || c.Type == "audio":
		return rawPart(field+".data", c.Data, c.MimeType, "")
	case c.Type == "resource_link":
		return a2a.Part{Kind: a2a.PartURL, URL: c.URI, MediaType: c.MimeType, Filename: c.Name}, nil
	case c.Type == "resource" && c.Resource != nil && c.Resource.Text != nil:
		return a2a.Part{Kind: a2a.PartText, Text: *c.Resource.Text, MediaType: c.Resource.MimeType, Filename: c.Resource.URI}, nil
	case c.Type == "resource" && c.Resource != nil && c.Resource.Blob != nil:
		return rawPart(field+".resource.blob", *c.Resource.Blob, c.Resource.MimeType, c.Resource.URI)
	}
	return a2a.DataPart(raw), nil
}

func rawPart(field, data, mediaType, filename string) (a2a.Part, error) {
	b, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return a2a.Part{}, invalid(field, "not base64: %s", err)
	}
	return a2a.Part{Kind: a2a.PartRaw, Raw: b, MediaType: mediaType, Filename: filename}, nil
}

// encodeResult writes a client's answer to tools/call.
func encodeResult(r ToolResult) (wireResult, error) {
	w := wireResult{Content: []json.RawMessage{}, StructuredContent: r.StructuredContent, IsError: r.IsError}
	for _, p := range r.Content {
		if p.Kind == a2a.PartData {
			w.Content = append(w.Content, p.Data)
			continue
		}
		raw, err := json.Marshal(encodeContent(p))
		if err != nil {
			return w, err
		}
		w.Content = append(w.Content, raw)
	}
	return w, nil
}

func encodeContent(p a2a.Part) wireContent {
	switch p.Kind {
	case a2a.PartURL:
		return wireContent{Type: "resource_link", URI: p.URL, MimeType: p.MediaType, Name: p.Filename}
	case a2a.PartRaw:
		blob := base64.StdEncoding.EncodeToString(p.Raw)
		return wireContent{Type: "resource", Resource: &wireResource{URI: p.Filename, MimeType: p.MediaType, Blob: &blob}}
	}
	return wireContent{Type: "text", Text: p.Text}
}
