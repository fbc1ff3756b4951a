package codec

import (
	"errors"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// reading is the dialect in which a message is read. Every dialect accepts the forms of the
// others, with two differences: 0.3's proto-JSON has the value of a data part one level
// down, and a part of 0.3 without a kind may have a type instead, as in the first versions.
type reading int

const (
	reading10 reading = iota
	reading03
	reading03REST
)

// message reads a message of any dialect. A missing role is "".
func (n *node) message(m *a2a.Message, as reading) error {
	if n.text[0] != '{' {
		return n.wrongType("an object")
	}
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "messageId":
			return v.str(&m.ID)
		case "contextId":
			return v.str(&m.ContextID)
		case "taskId":
			return v.str(&m.TaskID)
		case "role":
			return v.role(&m.Role)
		case "parts", "content":
			return v.parts(&m.Parts, as)
		case "metadata":
			return v.metadata(&m.Metadata)
		case "extensions":
			return v.strs(&m.Extensions)
		case "referenceTaskIds":
			return v.strs(&m.ReferenceTaskIDs)
		}
		return nil
	})
}

func (n *node) parts(to *[]a2a.Part, as reading) error {
	parts := []a2a.Part{}
	err := n.list(func(v *node) error {
		var p partReader
		if err := v.part(&p, as); err != nil {
			return err
		}
		parts = append(parts, p.Part)
		return nil
	})
	*to = parts
	return err
}

// partReader collects a part, whose members may come in any order.
type partReader struct {
	a2a.Part
	kind    string // the discriminator of 0.3
	oldKind *node  // the type member of the first versions, before kind
	content string // the member that held the content
}

// set records which member held the content. A second one is an error.
func (p *partReader) set(v *node, kind a2a.PartKind) error {
	if p.content != "" {
		return v.up.errorf("has both %s and %s: send them as two parts", p.content, v.name)
	}
	p.content, p.Kind = v.name, kind
	return nil
}

// part reads {text|raw|url|data} (1.0) and {text|file|data} (0.3). The kind of 0.3 is
// checked if it is present.
func (n *node) part(p *partReader, as reading) error {
	if n.text[0] != '{' {
		return n.wrongType(`an object such as {"text":"…"}`)
	}
	var null *node // {"data": null} is a value
	err := n.each(exact, func(key string, v *node) error {
		v.name = camelCase(key)
		switch {
		case v.null() && v.name == "data":
			null = v
			return nil
		case v.null():
			return nil
		}
		return v.partMember(p, as)
	})
	if err != nil {
		return err
	}
	if p.content == "" && null != nil {
		p.content, p.Kind, p.Data = "data", a2a.PartData, null.json()
	}
	return n.checkPart(p)
}

func (n *node) partMember(p *partReader, as reading) error {
	switch n.name {
	case "kind":
		return n.str(&p.kind)
	case "type":
		if as != reading10 {
			p.oldKind = n
		}
		return nil
	case "text":
		if err := p.set(n, a2a.PartText); err != nil {
			return err
		}
		return n.str(&p.Text)
	case "raw":
		if err := p.set(n, a2a.PartRaw); err != nil {
			return err
		}
		return n.base64(&p.Raw)
	case "url":
		if err := p.set(n, a2a.PartURL); err != nil {
			return err
		}
		return n.str(&p.URL)
	case "data":
		if err := p.set(n, a2a.PartData); err != nil {
			return err
		}
		return n.data(&p.Part, as == reading03REST)
	case "file":
		return n.file(p)
	case "mediaType":
		return n.str(&p.MediaType)
	case "filename":
		return n.str(&p.Filename)
	case "metadata":
		return n.metadata(&p.Metadata)
	}
	return nil
}

// checkPart refuses a part without content, checks that the kind matches the content, and
// unwraps the data of 0.3.
func (n *node) checkPart(p *partReader) error {
	if p.content == "" {
		return n.errorf("has no content: send one of text, raw, url and data (0.3: text, file and data)")
	}
	if err := n.checkKind(p); err != nil {
		return err
	}
	if string(p.Metadata[wrappedData]) == "true" && p.Kind == a2a.PartData {
		unwrapData(&p.Part)
	}
	return nil
}

// checkKind refuses a part whose kind differs from the kind of its content. A part without
// a kind is accepted.
func (n *node) checkKind(p *partReader) error {
	name := "kind"
	if p.kind == "" && p.oldKind != nil {
		name = "type"
		if err := p.oldKind.str(&p.kind); err != nil {
			return err
		}
	}
	if p.kind == "" || p.kind == kind03(p.Kind) {
		return nil
	}
	return n.errorf("%s is %q but the content is %s: send kind text, file or data with the member of that name", name, p.kind, p.content)
}

// kind03 returns the name of a kind of part in 0.3.
func kind03(k a2a.PartKind) string {
	switch k {
	case a2a.PartRaw, a2a.PartURL:
		return "file"
	case a2a.PartData:
		return "data"
	}
	return "text"
}

// data reads the value of a data part.
func (n *node) data(p *a2a.Part, proto bool) error {
	inner := n
	if proto && n.text[0] == '{' {
		if inner = n.onlyMember("data"); inner == nil {
			inner = n
		}
	}
	p.Data = inner.json()
	return nil
}

// unwrapData undoes what appendData03 does to a value that is not an object.
func unwrapData(p *a2a.Part) {
	if p.Data[0] != '{' {
		return
	}
	value := newRoot(p.Data, maxElements).onlyMember("value")
	if value == nil {
		return
	}
	p.Data = value.json()
	if delete(p.Metadata, wrappedData); len(p.Metadata) == 0 {
		p.Metadata = nil
	}
}

// errMore stops reading an object that has a second member.
var errMore = errors.New("there is another member")

// onlyMember returns the value of the member with that name if it is the object's only
// member, else nil.
func (n *node) onlyMember(name string) *node {
	var value *node
	count := 0
	err := n.each(exact, func(key string, v *node) error {
		if count++; count > 1 {
			return errMore
		}
		if key == name {
			value = v
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return value
}

// file reads the file member of 0.3, with the names of either binding.
func (n *node) file(p *partReader) error {
	err := n.each(folded, func(key string, v *node) error {
		switch key {
		case "bytes", "fileWithBytes":
			if err := p.set(v, a2a.PartRaw); err != nil {
				return err
			}
			return v.base64(&p.Raw)
		case "uri", "fileWithUri":
			if err := p.set(v, a2a.PartURL); err != nil {
				return err
			}
			return v.str(&p.URL)
		case "mimeType", "mediaType":
			return v.str(&p.MediaType)
		case "name", "filename":
			return v.str(&p.Filename)
		}
		return nil
	})
	if err == nil && p.content == "" {
		return n.errorf("has no content: send bytes or uri")
	}
	return err
}

// enum returns the value of an enum in capitals and without the prefix of 1.0:
// TASK_STATE_INPUT_REQUIRED and input-required both become INPUT_REQUIRED.
func enum(value, prefix string) string {
	return strings.TrimPrefix(strings.ReplaceAll(strings.ToUpper(value), "-", "_"), prefix)
}

func (n *node) role(to *a2a.Role) error {
	var s string
	if err := n.str(&s); err != nil {
		return err
	}
	switch enum(s, "ROLE_") {
	case "UNSPECIFIED", "":
		*to = ""
	case "USER":
		*to = a2a.RoleUser
	case "AGENT":
		*to = a2a.RoleAgent
	default:
		return n.errorf("unknown role %q: send ROLE_USER or ROLE_AGENT (0.3: user or agent)", s)
	}
	return nil
}

// state reads a state; unspecified is "".
func (n *node) state(to *a2a.TaskState) error {
	var s string
	if err := n.str(&s); err != nil {
		return err
	}
	switch word := enum(s, "TASK_STATE_"); word {
	case "UNSPECIFIED", "UNKNOWN", "":
		*to = ""
	case "CANCELLED": // 0.3's proto
		*to = a2a.StateCanceled
	case "SUBMITTED", "WORKING", "COMPLETED", "FAILED", "CANCELED", "INPUT_REQUIRED", "REJECTED", "AUTH_REQUIRED":
		*to = a2a.TaskState("TASK_STATE_" + word)
	default:
		return n.errorf("unknown state %q: send one such as TASK_STATE_WORKING (0.3: working)", s)
	}
	return nil
}
