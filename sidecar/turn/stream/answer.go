package stream

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// maxParts is how many parts that are no text an answer has.
	maxParts = 64
	// maxPartBytes is how long they may be together, in bytes.
	maxPartBytes = 16 << 20
	// maxURL is how long a link may be, in bytes, and maxName the name and the type of a file.
	maxURL, maxName = 8 << 10, 255
)

// answer passes an agent's answer on to the turn.
type answer struct {
	out     driver.Out
	begun   bool   // something was said
	tail    string // the last characters that were said, at most two
	broken  bool   // the next words begin a paragraph
	parts   int
	bytes   int
	dropped int // parts that were left out
}

// say passes words on as they are. NUL, which no text has, would make a file of the answer.
func (a *answer) say(words string) {
	words = strings.ReplaceAll(strings.ToValidUTF8(words, "\ufffd"), "\x00", "")
	if words == "" {
		return
	}
	if a.broken && a.begun {
		words = strings.Repeat("\n", 2-newlines(a.tail)) + words
	}
	a.broken, a.begun = false, true
	a.out.Write([]byte(words))
	a.tail = (a.tail + words)[max(0, len(a.tail)+len(words)-2):]
}

// newlines returns how many newlines, at most two, a text ends with.
func newlines(tail string) int { return len(tail) - len(strings.TrimRight(tail, "\n")) }

// paragraph makes the next words begin a paragraph.
func (a *answer) paragraph() { a.broken = true }

// part passes a part on, without what people must not see in its names.
func (a *answer) part(p a2a.Part) {
	if p.Kind == a2a.PartText {
		a.say(p.Text)
		return
	}
	n := len(p.Raw) + len(p.Data) + len(p.URL)
	if !sound(p) || a.parts == maxParts || a.bytes+n > maxPartBytes {
		a.dropped++
		return
	}
	a.parts, a.bytes = a.parts+1, a.bytes+n
	a.begun, a.broken, a.tail = true, false, ""
	a.out.Part(a2a.Part{
		Kind: p.Kind, Raw: bytes.Clone(p.Raw), Data: bytes.Clone(p.Data), URL: p.URL,
		MediaType: text.Line(p.MediaType, maxName), Filename: text.Name(text.Cut(p.Filename, maxName)),
	})
}

// sound reports whether a part is one that a task can have.
func sound(p a2a.Part) bool {
	switch p.Kind {
	case a2a.PartRaw:
		return len(p.Raw) > 0
	case a2a.PartData:
		return json.Valid(p.Data)
	case a2a.PartURL:
		return p.URL != "" && len(p.URL) <= maxURL && text.Visible(p.URL)
	}
	return false
}
