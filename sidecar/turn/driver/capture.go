package driver

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// maxCapture is how much of a call's output is kept, in bytes.
const maxCapture = 8 << 20

// Capture is the Out of a call: it keeps the head of the output and passes all of
// it on.
type Capture struct {
	Kept []byte
	Pass func(chunk []byte) // nil: nobody listens
}

var _ Out = (*Capture)(nil)

// Write implements Out.
func (c *Capture) Write(chunk []byte) {
	c.Kept = append(c.Kept, chunk[:min(len(chunk), maxCapture-len(c.Kept))]...)
	if c.Pass != nil {
		c.Pass(chunk)
	}
}

// Part implements Out: a call is answered in words, so the part becomes a line that says what it is.
func (c *Capture) Part(p a2a.Part) {
	line := PartsText([]a2a.Part{p})
	if p.Kind == a2a.PartRaw {
		line = strings.TrimSpace("[file "+strings.TrimSpace(p.Filename+" "+p.MediaType)) + "]"
	}
	if len(c.Kept) > 0 && c.Kept[len(c.Kept)-1] != '\n' {
		line = "\n" + line
	}
	c.Write([]byte(line + "\n"))
}

// Replace implements Out. A listener that got the earlier text does not get the new
// one.
func (c *Capture) Replace(text []byte) {
	c.Kept = append(c.Kept[:0], text[:min(len(text), maxCapture)]...)
}

// Result returns the result of a call that was answered in words. If the words are
// JSON, they are also its structured content.
func (c *Capture) Result() CallResult {
	r := CallResult{Output: c.Kept}
	if s := strings.TrimSpace(string(c.Kept)); s != "" && json.Valid([]byte(s)) {
		r.Structured = json.RawMessage(s)
	}
	return r
}
