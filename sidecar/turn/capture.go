package turn

import "github.com/a2a-sidecar/sidecar/a2a"

// maxCapture is how much of a call's output is kept, in bytes.
const maxCapture = 8 << 20

// capture keeps the head of a call's output and passes all of it on.
type capture struct {
	kept []byte
	pass func(chunk []byte) // nil: nobody listens
}

var _ sink = (*capture)(nil)

func (c *capture) write(chunk []byte) {
	c.kept = append(c.kept, chunk[:min(len(chunk), maxCapture-len(c.kept))]...)
	if c.pass != nil {
		c.pass(chunk)
	}
}

// replace implements sink. Who was passed the text has what came first.
func (c *capture) replace(text []byte) {
	c.kept = append(c.kept[:0], text[:min(len(text), maxCapture)]...)
}

// add implements sink: the answer of a call is put together by doneResult.
func (c *capture) add([]a2a.Part, extras) {}

func (c *capture) close() {}

// tail keeps the last bytes of what is written to it.
type tail struct {
	limit int
	kept  []byte
	total int64
}

func (t *tail) write(chunk []byte) {
	t.total += int64(len(chunk))
	if len(chunk) >= t.limit {
		chunk = chunk[len(chunk)-t.limit:]
		t.kept = t.kept[:0]
	}
	if over := len(t.kept) + len(chunk) - t.limit; over > 0 && over > t.limit/2 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	t.kept = append(t.kept, chunk...)
}

// bytes are the last limit bytes.
func (t *tail) bytes() []byte {
	return t.kept[max(0, len(t.kept)-t.limit):]
}
