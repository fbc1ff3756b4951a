package acp

import (
	"encoding/base64"
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// words returns the text of a content block, "" if it has none.
func words(f fields) string {
	if f.text("type") != "text" {
		return ""
	}
	return f.text("text")
}

// part returns a content block that is no text as a part of an answer, and whether it is one.
func part(f fields) (p a2a.Part, ok bool) {
	switch f.text("type") {
	case "image", "audio":
		return blob(f.text("data"), f.text("mimeType"), "")
	case "resource_link":
		p = a2a.Part{Kind: a2a.PartURL, URL: f.text("uri"), MediaType: f.text("mimeType"), Filename: f.text("name", "title")}
		return p, p.URL != ""
	case "resource":
		r := f.object("resource")
		if r.has("blob") {
			return blob(r.text("blob"), r.text("mimeType"), r.text("uri"))
		}
		p = a2a.TextPart(r.text("text"))
		p.MediaType, p.Filename = r.text("mimeType"), r.text("uri")
		return p, p.Text != ""
	}
	return p, false
}

// blob returns bytes that came as base64.
func blob(data, media, name string) (p a2a.Part, ok bool) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(raw) == 0 {
		return p, false
	}
	return a2a.Part{Kind: a2a.PartRaw, Raw: raw, MediaType: media, Filename: name}, true
}

// described says in words what a block is that a tool gave.
func described(v json.RawMessage) string {
	f := object(v)
	if s := words(f); s != "" {
		return s
	}
	switch kind := f.text("type"); kind {
	case "resource":
		r := f.object("resource")
		return r.text("text", "uri")
	case "resource_link":
		return f.text("uri")
	case "image", "audio":
		return "[" + kind + " " + name(f.text("mimeType")) + "]"
	}
	return ""
}
