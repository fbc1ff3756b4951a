package job

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/rmtree"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Left is what a process left in its outbox.
type Left struct {
	// Artifacts are its files, one each, in the order of their names.
	Artifacts []a2a.ArtifactUpdate
	// Skipped is how many entries were left out, see task.ReadOutbox.
	Skipped int
}

// Collect takes the files that the process has left in its outbox, and empties
// it for the next ones. The artifacts are the owner's.
func (d *Folder) Collect(o *Owner) Left {
	if d == nil || d.nothingLeft() {
		return Left{}
	}
	return d.collect(o)
}

// collectOnce is Collect when the process has ended. Mostly nothing was left there,
// which one system call tells: it takes the empty outbox away, and the next process
// in this folder gets a new one.
func (d *Folder) collectOnce(o *Owner) Left {
	if d == nil || syscall.Rmdir(d.path(outbox)) == nil {
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
		_ = rmtree.RemoveIn(d.root, outbox) // what stays would be published again, no worse
		_ = d.mkdir(outbox)
	}
	return left
}

// openOutbox opens the outbox to read it. A FIFO in its place does not hold us.
func (d *Folder) openOutbox() (*os.File, error) {
	return d.root.OpenFile(outbox, task.OutboxFlags, 0)
}

// settledTime is how long ago a directory must have changed last for its time to
// tell of the next change: file systems count in ticks of a few milliseconds.
const settledTime = 100 * time.Millisecond

// nothingLeft reports whether the outbox is empty. Mostly nobody has touched it
// since it was found so, which one system call tells.
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
