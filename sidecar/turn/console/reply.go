package console

import (
	"context"
	"time"
)

const (
	// maxReplies is how many answers may wait to be typed.
	maxReplies = 64
	// replyTime is how late an answer of the terminal may be. A program that no
	// longer waits for an answer takes it for typed text.
	replyTime = 250 * time.Millisecond
)

// reply is an answer to one of the agent's queries.
type reply struct {
	bytes []byte
	asked time.Time
}

// replier types the terminal's own answers. An answer that cannot be typed in time
// is dropped.
type replier struct {
	tty   TTY
	now   func() time.Time
	queue chan reply
}

func newReplier(t TTY, now func() time.Time) *replier {
	return &replier{tty: t, now: now, queue: make(chan reply, maxReplies)}
}

// add queues an answer. It never waits.
func (r *replier) add(p []byte) {
	select {
	case r.queue <- reply{append([]byte(nil), p...), r.now()}:
	default: // the answer would be late
	}
}

// run types the answers until ctx ends.
func (r *replier) run(ctx context.Context) {
	for {
		select {
		case a := <-r.queue:
			r.write(ctx, a)
		case <-ctx.Done():
			return
		}
	}
}

func (r *replier) write(ctx context.Context, a reply) {
	left := replyTime - r.now().Sub(a.asked)
	if left <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	_, _ = r.tty.Type(ctx, string(a.bytes)) // an agent that does not read gets no answer
}
