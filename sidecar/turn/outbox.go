package turn

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// collect publishes each file that the agent left in its outbox as an artifact
// of that name, and empties the outbox. What stayed out, the task's metadata
// tells.
func (t *turn) collect(box *folder) {
	if box == nil || box.nothingLeft() {
		return
	}
	dir, err := box.root.OpenFile(outbox, task.OutboxFlags, 0)
	if err != nil {
		return // the agent removed it, or put something else in its place
	}
	found, skipped := task.ReadOutbox(dir)
	_ = dir.Close() // only read
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
		t.Note("outboxSkipped", skipped)
		t.log().Warn("files in the outbox were left out", "files", skipped)
	}
	if len(found)+skipped > 0 {
		box.emptyOutbox()
	}
}

// collectOnce is collect for an outbox that nobody writes to any more: mostly
// nothing was left, which one system call tells.
func (t *turn) collectOnce() {
	if t.files != nil && syscall.Rmdir(t.files.path(outbox)) != nil {
		t.collect(t.files)
	}
}

// settledTime is how long ago a directory must have changed last for its time to
// tell of the next change: file systems count in ticks of a few milliseconds.
const settledTime = 100 * time.Millisecond

// nothingLeft reports whether the outbox is empty. Mostly nobody has touched it
// since it was found so, which one system call tells.
func (d *folder) nothingLeft() bool {
	info, err := d.root.Lstat(outbox)
	if err != nil || !info.IsDir() {
		return false
	}
	changed := info.ModTime()
	if !d.empty.IsZero() && changed.Equal(d.empty) {
		return true
	}
	d.empty = time.Time{}
	looked := time.Now()
	dir, err := d.root.OpenFile(outbox, task.OutboxFlags, 0) // a FIFO by now must not hold us
	if err != nil {
		return false
	}
	defer dir.Close()
	if _, err := dir.Readdirnames(1); !errors.Is(err, io.EOF) {
		return false
	}
	if looked.Sub(changed) > settledTime {
		d.empty = changed
	}
	return true
}

// emptyOutbox makes room for the next turn's files.
func (d *folder) emptyOutbox() {
	_ = proc.RemoveTreeIn(d.root, outbox) // what stays would be published again, no worse
	_ = d.mkdir(outbox)
}
