package channel

import (
	"context"
	"encoding/json"
	"strconv"
)

// Answering gives an answer to what a call asks: the id of an option, or a text. question is the id
// of the message that asks; it keeps an answer that comes late away from the next question. An
// approval is never answered this way. The error says why the answer does not count; the question
// then stays open.
type Answering func(ctx context.Context, question, answer string) error

// answerParams are those of tools/answer.
type answerParams struct {
	ID       json.RawMessage `json:"id"` // of the request that calls
	Question string          `json:"question"`
	Answer   string          `json:"answer"`
}

// answerCall answers what a call of this connection asks.
func (c *Conn) answerCall(m *message) error {
	var p answerParams
	if err := decode(m.params, &p); err != nil {
		return err
	}
	switch {
	case p.Question == "":
		return invalid("question", "is empty: it is the messageId of the status that asks")
	case p.Answer == "":
		return invalid("answer", "is empty")
	}
	call, answer := c.calls.find(p.ID)
	switch {
	case !call:
		return invalid("id", "no call with this id is under way")
	case answer == nil:
		return invalid("question", "the call asks nothing")
	}
	return answer(c.ctx, p.Question, p.Answer)
}

// answering lets a caller answer what its call asks, once the call has been sent: sent is closed
// then, and id is set, unless the call could not be sent.
func (c *Client) answering(sent <-chan struct{}, f **flight) Answering {
	return func(ctx context.Context, question, answer string) error {
		select {
		case <-sent:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if *f == nil {
			return ErrLost
		}
		_, err := c.request(ctx, methodAnswer, answerParams{strconv.AppendUint(nil, (*f).id, 10), question, answer})
		return err
	}
}
