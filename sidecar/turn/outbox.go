package turn

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// collect publishes each file that the agent left in its outbox as an artifact
// of that name, and empties the outbox. What stayed out, the task's metadata
// tells.
func (t *turn) collect(box *folder) {
	if box == nil {
		return
	}
	root, err := box.root.OpenRoot(outbox)
	if err != nil {
		return // the agent removed it
	}
	found, skipped := task.ReadOutbox(root)
	_ = root.Close() // only a handle
	for _, f := range found {
		id := t.artifact(f.Name)
		if reserved(id) {
			id = "outbox/" + id
		}
		u := a2a.ArtifactUpdate{LastChunk: true, Artifact: a2a.Artifact{ID: id, Name: f.Name, Parts: []a2a.Part{f.Part}}}
		// The task has finished: nobody wants it any more.
		_ = t.task.Artifact(context.WithoutCancel(t.task.Context()), u)
	}
	if skipped > 0 {
		t.note("outboxSkipped", skipped)
		t.log().Warn("files in the outbox were left out", "files", skipped)
	}
	if len(found)+skipped > 0 {
		box.emptyOutbox()
	}
}

// collectOnce is collect for an outbox that nobody writes to any more: mostly
// nothing was left, which one system call tells.
func (t *turn) collectOnce() {
	if t.files != nil && t.files.root.Remove(outbox) != nil {
		t.collect(t.files)
	}
}

// emptyOutbox makes room for the next turn's files.
func (d *folder) emptyOutbox() {
	_ = d.root.RemoveAll(outbox) // what stays would be published again, no worse
	_ = d.mkdir(outbox)
}
