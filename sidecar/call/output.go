package call

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// output keeps the head of what a tool says, at most limit bytes, and counts the
// rest: memory stays bounded, and the tool never waits for a reader. Only one
// goroutine may use it at a time.
type output struct {
	limit  int64
	head   []byte
	total  int64
	binary bool // there are NULs, or bytes that are not UTF-8, near the beginning
	shown  int  // how much of head was handed out as live content
}

func newOutput(limit int64) *output { return &output{limit: limit} }

// write takes a chunk and returns the text that may be shown now: the new part of the
// head, up to the last whole rune, or nothing after the output proved to be binary.
func (o *output) write(chunk []byte) (live []byte) {
	o.total += int64(len(chunk))
	if room := o.limit - int64(len(o.head)); room > 0 {
		o.head = append(o.head, chunk[:min(int64(len(chunk)), room)]...)
	}
	if o.sniff(); o.binary {
		return nil
	}
	end := len(o.head) - text.Unfinished(o.head)
	if end <= o.shown {
		return nil
	}
	live = o.head[o.shown:end]
	o.shown = end
	return live
}

func (o *output) sniff() {
	if o.binary || o.shown >= text.Sniffed {
		return
	}
	first := o.head[o.shown:min(len(o.head), text.Sniffed)]
	o.binary = !text.BeginsText(first)
}

// truncated reports whether the output exceeded the limit.
func (o *output) truncated() bool { return o.total > o.limit }

// text returns the head, cut at a rune boundary if the output was longer.
func (o *output) text() string {
	b := o.head
	if o.truncated() {
		b = b[:len(b)-text.Unfinished(b)]
	}
	return string(b)
}
