package job

import (
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/a2a-sidecar/sidecar/internal/rmtree"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// maxAhead bounds for how many sandboxes something is kept ahead. Each keeps a folder, a thread and
// five descriptors.
const maxAhead = 8

// ahead is what the next job in a sandbox needs, made while nobody waits for it.
type ahead struct {
	box   *sandbox.Sandbox // which may use the folder, and is prepared
	files *Folder          // has no id yet, an outbox, a TMPDIR and an empty file for its message
	door  *channel.Door    // nil: there is no channel
}

// release ends what is not used; a may be nil.
func (a *ahead) release() {
	if a == nil {
		return
	}
	a.box.Close()
	if a.door != nil {
		a.door.Close()
	}
}

// drop is release, for the folder too.
func (a *ahead) drop() {
	if a != nil {
		a.release()
		_ = a.files.Remove() // close removes what could not be removed
	}
}

// aheads keeps one ahead for each sandbox. It may be used by many goroutines.
type aheads struct {
	mu   sync.Mutex
	made map[*sandbox.Sandbox]*ahead
}

// has reports whether there is one for that sandbox.
func (a *aheads) has(box *sandbox.Sandbox) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.made[box] != nil
}

// take returns the one for that sandbox, nil if there is none.
func (a *aheads) take(box *sandbox.Sandbox) *ahead {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := a.made[box]
	delete(a.made, box)
	return found
}

// put keeps one, in the place of that of any other sandbox if there are too many.
func (a *aheads) put(box *sandbox.Sandbox, made *ahead) {
	a.mu.Lock()
	if a.made == nil {
		a.made = map[*sandbox.Sandbox]*ahead{}
	}
	over := a.made[box]
	if over == nil && len(a.made) >= maxAhead {
		for other := range a.made {
			over = a.made[other]
			delete(a.made, other)
			break
		}
	}
	a.made[box] = made
	a.mu.Unlock()
	over.drop()
}

// close drops all.
func (a *aheads) close() {
	a.mu.Lock()
	all := a.made
	a.made = nil
	a.mu.Unlock()
	for _, one := range all {
		one.drop()
	}
}

// Prepare makes what the next job in that sandbox needs, if it is not there. It is for the time
// after a job: it takes about as long as a fork, and Close must come later. What cannot be made now
// will be an error of that job.
func (r *Runner) Prepare(box *sandbox.Sandbox) {
	if box == nil || r.aheads.has(box) {
		return
	}
	files, err := r.folders.next()
	if files == nil || err != nil {
		return
	}
	made := &ahead{files: files, box: box.With(sandbox.More{Write: files.Roots()})}
	made.box.Prepare()
	if r.o.Channel != nil {
		if made.door, err = r.o.Channel.OpenDoor(); err != nil {
			made.drop()
			return
		}
	}
	r.aheads.put(box, made)
}

// FolderIn is Folder for a job in that sandbox, which may be nil.
func (r *Runner) FolderIn(box *sandbox.Sandbox, id string) (*Folder, error) {
	made := r.aheads.take(box)
	if made == nil {
		return r.Folder(id)
	}
	if err := made.files.rename(id); err != nil { // an earlier job's is there: it has an outbox
		made.drop()
		return r.Folder(id)
	}
	made.box = made.box.Moved(sandbox.More{Write: made.files.Roots()}) // a start may have to open them itself
	made.files.ahead = made
	return made.files, nil
}

// next makes a folder that has no id yet. It returns nil if there is no place for folders.
func (f *folders) next() (*Folder, error) {
	if f.runtimeDir == "" {
		return nil, nil
	}
	base, err := f.directory()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(base, "next-")
	if err != nil {
		return nil, err
	}
	d := &Folder{all: f, dir: dir, used: map[string]bool{}}
	if d.root, err = os.OpenRoot(dir); err != nil {
		return nil, errors.Join(err, rmtree.Remove(dir))
	}
	if err = errors.Join(f.own(os.Chown, dir), d.mkdir(outbox), d.mkdir(tempDir)); err == nil {
		d.message, err = d.create(messageFile)
	}
	if err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	return d, nil
}

// rename makes a folder that of an id, if that has none.
func (d *Folder) rename(id string) error {
	base, err := d.all.directory()
	if err != nil {
		return err
	}
	dir := filepath.Join(base, id)
	if err := os.Rename(d.dir, dir); err != nil {
		return err
	}
	d.id, d.dir = id, dir
	return nil
}
