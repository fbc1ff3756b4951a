package client

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxBlocks bounds the blocks of one result: each costs far more memory than its bytes.
const maxBlocks = 4096

// maxURI bounds a URI in bytes; what is beyond it is cut.
const maxURI = 8 << 10

// question is what a server needs to know before it goes on (2026-07-28).
type question struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// inputRequired is a result that is none yet.
type inputRequired struct {
	Requests map[string]question
	State    *string
}

// wireResult is a result of tools/call.
type wireResult struct {
	Type       string          `json:"resultType"`
	Requests   json.RawMessage `json:"inputRequests"`
	State      *string         `json:"requestState"`
	Content    json.RawMessage `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// readResult reads what a server has answered: a result, or what it needs to know first.
func readResult(raw json.RawMessage) (*Result, *inputRequired, error) {
	var w wireResult
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, nil, fmt.Errorf("%w: the result cannot be read: %s", ErrProtocol, words(err))
	}
	switch w.Type {
	case "input_required":
		more := &inputRequired{State: w.State}
		if len(w.Requests) > maxQuestion {
			return nil, nil, fmt.Errorf("%w: the server's questions are longer than %s", ErrTooLarge, text.FormatSize(maxQuestion))
		}
		if len(w.Requests) > 0 && json.Unmarshal(w.Requests, &more.Requests) != nil {
			return nil, nil, fmt.Errorf("%w: the server's questions cannot be read", ErrProtocol)
		}
		return nil, more, nil
	case "", "complete":
	default:
		return nil, nil, fmt.Errorf("%w: the result is of the type %s, which is not known here", ErrProtocol, text.Quote(w.Type, maxVersion))
	}
	r := &Result{IsError: w.IsError}
	if len(w.Structured) > 0 && string(w.Structured) != "null" {
		r.Structured = w.Structured
	}
	var err error
	r.Content, err = readBlocks(w.Content)
	return r, nil, err
}

// readBlocks reads a list of blocks, or a single one.
func readBlocks(raw json.RawMessage) (blocks []Content, err error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil, nil
	case raw[0] == '{':
		b, err := readBlock(raw)
		return []Content{b}, err
	case raw[0] != '[':
		return nil, fmt.Errorf("%w: the content is no list", ErrProtocol)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%w: the content cannot be read", ErrProtocol)
	}
	for d.More() {
		if len(blocks) == maxBlocks {
			return nil, fmt.Errorf("%w: it has more than %d blocks of content", ErrTooLarge, maxBlocks)
		}
		var block json.RawMessage
		if err := d.Decode(&block); err != nil {
			return nil, fmt.Errorf("%w: the content cannot be read", ErrProtocol)
		}
		b, err := readBlock(block)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

// wireBlock is a block of content.
type wireBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     []byte `json:"data"`
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource *struct {
		URI      string  `json:"uri"`
		MIMEType string  `json:"mimeType"`
		Text     *string `json:"text"`
		Blob     []byte  `json:"blob"`
	} `json:"resource"`
}

// readBlock reads one block. One of a kind that is not known here becomes a text that says so:
// a newer server's result is worth more than none.
func readBlock(raw json.RawMessage) (Content, error) {
	var w wireBlock
	if err := json.Unmarshal(raw, &w); err != nil {
		return Content{}, fmt.Errorf("%w: a block of content cannot be read: %s", ErrProtocol, words(err))
	}
	c := Content{Kind: w.Type, MediaType: text.Line(w.MIMEType, maxVersion*2)}
	switch w.Type {
	case ContentText:
		c.Text = w.Text
	case ContentImage, ContentAudio:
		c.Data = w.Data
	case ContentLink:
		c.URI, c.Name = text.Line(w.URI, maxURI), text.Line(w.Name, maxWords)
	case ContentResource:
		if w.Resource == nil {
			return Content{}, fmt.Errorf("%w: a resource has no content", ErrProtocol)
		}
		c.URI, c.MediaType, c.Data = text.Line(w.Resource.URI, maxURI), text.Line(w.Resource.MIMEType, maxVersion*2), w.Resource.Blob
		if w.Resource.Text != nil {
			c.Text, c.Data = *w.Resource.Text, nil
		}
	default:
		return Content{Kind: ContentText, Text: "[content of the kind " + text.Quote(w.Type, maxVersion) + ", which is not known here, was left out]"}, nil
	}
	return c, nil
}
