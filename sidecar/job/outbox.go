package job

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/rmtree"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
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
	files, skipped := task.ReadOutbox(dir, channel.FrameFile)
	for _, f := range files {
		left.Artifacts = append(left.Artifacts, a2a.ArtifactUpdate{
			LastChunk: true, Artifact: a2a.Artifact{ID: o.fileID(f.Name), Name: f.Name, Parts: []a2a.Part{f.Part}},
		})
	}
	left.Skipped = skipped
	if len(files)+skipped > 0 {
		d.emptyOutbox(dir)
	}
	return left
}

// namesAtOnce is how many names of an outbox are held in memory while it is emptied.
const namesAtOnce = 1024

// emptyOutbox removes what is in the outbox, which is open as dir, but not what calls exchange. If
// something else stays, it is only published again.
func (d *Folder) emptyOutbox(dir *os.File) {
	root, err := d.root.OpenRoot(outbox)
	if err != nil {
		return
	}
	defer root.Close()
	if _, err := dir.Seek(0, io.SeekStart); err != nil {
		return
	}
	for {
		entries, err := dir.ReadDir(namesAtOnce)
		for _, e := range entries {
			if e.IsDir() || !channel.FrameFile(e.Name()) {
				_ = rmtree.RemoveIn(root, e.Name())
			}
		}
		if err != nil || len(entries) == 0 {
			return
		}
	}
}

// openOutbox opens the outbox for reading. A FIFO in its place does not block us.
func (d *Folder) openOutbox() (*os.File, error) {
	return d.root.OpenFile(outbox, task.OutboxFlags, 0)
}

// Outbox returns the outbox for the channel, nil for none. Unlike the folder's methods, what it
// returns may be used from many goroutines; it cannot be opened any more once the folder is closed.
func (d *Folder) Outbox() *channel.Outbox {
	if d == nil {
		return nil
	}
	o := &channel.Outbox{Path: d.path(outbox), Open: d.openOutbox, UID: os.Geteuid(), GID: os.Getegid()}
	if u := d.all.user; u != nil {
		o.UID, o.GID = int(u.UID), int(u.GID)
	}
	return o
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
