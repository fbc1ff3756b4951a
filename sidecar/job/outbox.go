package job

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/rmtree"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Left is what a process left in its outbox.
type Left struct {
	// Artifacts are its files, one each, in the order of their names.
	Artifacts []a2a.ArtifactUpdate
	// Skipped is how many entries were left out (see task.ReadOutbox).
	Skipped int
}

// Collect takes the files that the process left in its outbox, and empties the outbox
// for the next ones. o gives the artifacts their ids.
func (d *Folder) Collect(o *Owner) Left {
	if d == nil || d.nothingLeft() {
		return Left{}
	}
	return d.collect(o)
}

// collect publishes what is in the outbox, and empties it.
func (d *Folder) collect(o *Owner) (left Left) {
	dir, err := d.openOutbox()
	if err != nil {
		return left // the process removed it, or put something else in its place
	}
	defer dir.Close()
	files, skipped := task.ReadOutbox(dir)
	for _, f := range files {
		left.Artifacts = append(left.Artifacts, a2a.ArtifactUpdate{
			LastChunk: true, Artifact: a2a.Artifact{ID: o.fileID(f.Name), Name: f.Name, Parts: []a2a.Part{f.Part}},
		})
	}
	left.Skipped = skipped
	if len(files)+skipped > 0 {
		_ = rmtree.RemoveIn(d.root, outbox) // if something stays, it is only published again
		_ = d.mkdir(outbox)
	}
	return left
}

// openOutbox opens the outbox for reading. A FIFO in its place does not block us.
func (d *Folder) openOutbox() (*os.File, error) {
	return d.root.OpenFile(outbox, task.OutboxFlags, 0)
}

// settledTime is the least age of a directory's last change at which the next change
// is sure to show in its time: file systems count in ticks of a few milliseconds.
const settledTime = 100 * time.Millisecond

// nothingLeft reports whether the outbox is empty. Mostly nobody has changed it since
// it was last found empty, and one system call shows that.
func (d *Folder) nothingLeft() bool {
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
	dir, err := d.openOutbox()
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
