package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// URI names the extension: on the card, in the extensions of messages, and as the one key
// of the data parts that ask and answer.
const URI = "urn:a2a-sidecar:approval:v1"

// Reply is an answer as it came in. Nothing in it has been checked.
type Reply struct {
	ID     string `json:"id,omitempty"`
	Digest string `json:"digest"`
	Option Option `json:"option"`
	Reason string `json:"reason,omitempty"`
}

const replyShape = `{"id": string, "digest": string, "option": "once", "always" or "reject", "reason"?: string}`

// ReadReply returns the reply that a message holds for programs, in a data part under URI.
// found is false if there is none.
func ReadReply(m *a2a.Message) (p Reply, found bool, err error) {
	for i := range m.Parts {
		raw := under(&m.Parts[i], URI)
		if raw == nil {
			continue
		}
		if err := decode(raw, &p); err != nil || p.ID == "" || p.Digest == "" || p.Option == "" {
			return Reply{}, true, a2a.ErrInvalidParams.With("message: the part under %s is not an answer: want %s", URI, replyShape)
		}
		return p, true, nil
	}
	return Reply{}, false, nil
}

// DecodeReply reads the body of POST /a2a/approvals/{id}.
func DecodeReply(body []byte) (Reply, error) {
	var p Reply
	if err := decode(body, &p); err != nil || p.Digest == "" || p.Option == "" {
		return Reply{}, a2a.ErrInvalidParams.With(`the body is not an answer: want {"digest": string, "option": "once", "always" or "reject", "reason"?: string}`)
	}
	return p, nil
}

// Read returns what a message to the task that asks answers: a part for programs, or the
// name of an option as its whole text. The text of a message answers whatever is asked.
func (a *Approval) Read(m *a2a.Message) (Reply, error) {
	p, found, err := ReadReply(m)
	if !found {
		p, found, err = a.confirmation(m)
	}
	switch {
	case err != nil:
		return Reply{}, err
	case found && p.ID != a.id:
		return Reply{}, errChanged.With("the task asks for approval %s now, and the answer is to another one: POST /a2a/approvals/ID answers any", a.id)
	case found:
		return p, nil
	}
	option, ok := ParseOption(strings.TrimSpace(messageText(m)))
	if !ok {
		return Reply{}, a2a.ErrInvalidParams.With("the answer must be one of: %s; or a data part under %s", choices(), URI)
	}
	return Reply{ID: a.id, Digest: a.digest, Option: option}, nil
}

func messageText(m *a2a.Message) string {
	var lines []string
	for _, p := range m.Parts {
		if p.Kind == a2a.PartText {
			lines = append(lines, p.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// under returns the member of a data part that has this key, nil for none.
func under(p *a2a.Part, key string) json.RawMessage {
	if p.Kind != a2a.PartData {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(p.Data, &members) != nil {
		return nil
	}
	return members[key]
}

// decode reads one JSON value that has no other members than v.
func decode(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows the value")
	}
	return nil
}
