package task

import "github.com/a2a-sidecar/sidecar/a2a"

// history holds the newest messages of a task, within limit bytes; the last message
// is always kept. The slice is only appended to or replaced, so that a view of it
// stays valid.
type history struct {
	messages []a2a.Message
	bytes    int64
	limit    int64
	dropped  int
}

func (h *history) add(m a2a.Message) {
	h.messages = append(h.messages, m)
	h.bytes += messageCost(&m)
	drop := 0
	for h.bytes > h.limit && drop < len(h.messages)-1 {
		h.bytes -= messageCost(&h.messages[drop])
		drop++
	}
	if drop > 0 {
		h.messages = append([]a2a.Message(nil), h.messages[drop:]...)
		h.dropped += drop
	}
}
