package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
)

// scratch is what one exec call has in the runtime directory while it runs: the
// message that carried the call, and an outbox. A nil one is nowhere.
type scratch struct {
	message, outbox string
}

// newScratch makes both, nil when there is no runtime directory.
func (p *Pipeline) newScratch(inv *Invocation) (*scratch, error) {
	if p.opts.RuntimeDir == "" {
		return nil, nil
	}
	outbox, err := os.MkdirTemp(p.opts.RuntimeDir, "call-")
	if err != nil {
		return nil, fmt.Errorf("its outbox in the runtime directory: %w", err)
	}
	s := &scratch{message: outbox + ".json", outbox: outbox}
	message, err := encodeMessage(inv.task.Message())
	err = errors.Join(err, os.WriteFile(s.message, message, 0o600), p.give(s.message), p.give(s.outbox))
	if err != nil {
		s.remove()
		return nil, fmt.Errorf("its message file in the runtime directory: %w", err)
	}
	return s, nil
}

// give makes the tool's user the owner of a path.
func (p *Pipeline) give(path string) error {
	if p.opts.User == nil {
		return nil
	}
	return os.Lchown(path, int(p.opts.User.UID), int(p.opts.User.GID))
}

// unused removes the outbox and reports true when nothing was left in it: the
// usual case, for one system call.
func (s *scratch) unused() bool { return s == nil || syscall.Rmdir(s.outbox) == nil }

// remove is best effort: a tool may have left what we may not remove, and the
// runtime directory goes with the sidecar.
func (s *scratch) remove() {
	if s != nil {
		_ = os.Remove(s.message)
		_ = proc.RemoveTree(s.outbox)
	}
}

// encodeMessage is m as 1.0 JSON: the one member of its form in a stream.
func encodeMessage(m *a2a.Message) (json.RawMessage, error) {
	var item struct {
		Message json.RawMessage `json:"message"`
	}
	err := json.Unmarshal((&a2a.Event{Message: m}).Encode(a2a.V10), &item)
	return item.Message, err
}
