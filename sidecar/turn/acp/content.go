package acp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// What a prompt holds itself, in bytes: of images and sounds together, and of each text file. The rest is linked to.
const (
	maxMedia    = 8 << 20
	maxEmbedded = 256 << 10
)

// prompt collects the blocks of a prompt.
type prompt struct {
	can    abilities
	blocks []sdk.ContentBlock
	words  []string // that will be one block
	media  int      // bytes so far
}

// content returns what the agent gets: text and data as text, and the other parts as what the agent takes.
func (a *connection) content(m peer.Message) []sdk.ContentBlock {
	a.mu.Lock()
	p := prompt{can: a.agent}
	a.mu.Unlock()
	for i, part := range m.Parts {
		switch part.Kind {
		case a2a.PartText:
			p.words = append(p.words, part.Text)
		case a2a.PartData:
			p.words = append(p.words, oneLine(part.Data))
		case a2a.PartURL:
			p.block(sdk.ContentBlock{ResourceLink: &sdk.ContentBlockResourceLink{
				Uri: part.URL, Name: fileName(part, part.URL), MimeType: optional(part.MediaType)}})
		case a2a.PartRaw:
			p.file(part, m.Files[i])
		}
	}
	p.say()
	if len(p.blocks) == 0 {
		p.words = []string{m.Text}
		p.say()
	}
	return p.blocks
}

// A message whose first words begin so is a command of its own to many an agent.
const commandSign = "/"

// command returns the name of the command for which an agent may take a message, and whether it may take it for one.
func command(m peer.Message) (name string, is bool) {
	words := strings.Fields(m.Text)
	if len(words) == 0 {
		return "", false
	}
	return strings.CutPrefix(words[0], commandSign)
}

// say makes one block of the words so far.
func (p *prompt) say() {
	if len(p.words) > 0 {
		words := strings.Join(p.words, "\n")
		if len(p.blocks) == 0 && strings.HasPrefix(words, commandSign) {
			words = " " + words // then it is no command to those who look at the first character
		}
		p.blocks = append(p.blocks, sdk.TextBlock(words))
		p.words = nil
	}
}

func (p *prompt) block(b sdk.ContentBlock) {
	p.say()
	p.blocks = append(p.blocks, b)
}

// file adds a raw part: in the prompt if the agent takes that, else as a link to its file.
func (p *prompt) file(part a2a.Part, at string) {
	uri := (&url.URL{Scheme: "file", Path: filepath.ToSlash(at)}).String()
	fits := p.media+len(part.Raw) <= maxMedia
	switch kind, _, _ := strings.Cut(part.MediaType, "/"); {
	case kind == "image" && p.can.image && fits:
		p.media += len(part.Raw)
		p.block(sdk.ContentBlock{Image: &sdk.ContentBlockImage{Data: base64.StdEncoding.EncodeToString(part.Raw), MimeType: part.MediaType}})
	case kind == "audio" && p.can.audio && fits:
		p.media += len(part.Raw)
		p.block(sdk.ContentBlock{Audio: &sdk.ContentBlockAudio{Data: base64.StdEncoding.EncodeToString(part.Raw), MimeType: part.MediaType}})
	case p.can.embedded && len(part.Raw) <= maxEmbedded && text.IsText(part.Raw):
		p.block(sdk.ContentBlock{Resource: &sdk.ContentBlockResource{Resource: sdk.EmbeddedResourceResource{
			TextResourceContents: &sdk.TextResourceContents{Uri: uri, Text: string(part.Raw), MimeType: optional(part.MediaType)}}}})
	default:
		size := len(part.Raw)
		p.block(sdk.ContentBlock{ResourceLink: &sdk.ContentBlockResourceLink{
			Uri: uri, Name: fileName(part, at), MimeType: optional(part.MediaType), Size: &size}})
	}
}

// fileName names a part: by its own name, or by where it is.
func fileName(part a2a.Part, at string) string {
	if part.Filename != "" {
		return part.Filename
	}
	if u, err := url.Parse(at); err == nil && u.Path != "" && u.Path != "/" {
		return path.Base(u.Path)
	}
	return at
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// oneLine returns JSON without newlines.
func oneLine(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return string(data)
	}
	return b.String()
}
