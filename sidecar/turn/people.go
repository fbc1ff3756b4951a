package turn

import (
	"github.com/a2a-sidecar/sidecar/a2a"
)

// WaitFor implements driver.Turn: it keeps in the task's status what the turn waits
// for, "" for nothing.
func (t *turn) WaitFor(what string) {
	if t.entry.said() == what {
		return
	}
	t.entry.waits.Store(&what)
	if what == "" {
		t.Say("")
		return
	}
	t.Say("waiting for " + what)
}

// Say implements driver.Turn.
func (t *turn) Say(text string) {
	var m *a2a.Message
	if text != "" {
		m = says(t.task, a2a.TextPart(text))
	}
	_ = t.task.Status(a2a.StateWorking, m, nil) // a task that has ended says nothing more
}
