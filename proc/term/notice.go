package term

import (
	"encoding/base64"
	"strings"
)

// notice is a notification of OSC 99 that may come in pieces.
type notice struct {
	id          string
	title, body string
}

// kittyNotice handles OSC 99: metadata;payload. A piece with d=0 is joined with the pieces of
// the same id that follow. Parts that are not text are left out.
func (m *model) kittyNotice(text string) {
	metadata, payload, _ := strings.Cut(text, ";")
	id, part, encoded, done := "", "title", false, true
	for pair := range strings.SplitSeq(metadata, ":") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "i":
			id = value
		case "p":
			part = value
		case "e":
			encoded = value == "1"
		case "d":
			done = value != "0"
		}
	}
	if encoded {
		decoded, err := base64.StdEncoding.DecodeString(payload)
		if err != nil {
			decoded, err = base64.RawStdEncoding.DecodeString(payload)
		}
		if err != nil {
			return
		}
		payload = string(decoded)
	}
	n := &m.notice
	if n.id != id {
		*n = notice{id: id}
	}
	switch part {
	case "title":
		n.title = head(n.title + payload)
	case "body":
		n.body = head(n.body + payload)
	default:
		return // a question, a button, an icon
	}
	if done {
		m.notify(99, n.title, n.body)
		*n = notice{}
	}
}

// head returns the part that is kept of a text that is shortened later.
func head(text string) string { return strings.Clone(text[:min(len(text), maxNotice)]) }
