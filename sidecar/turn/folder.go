package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// What is in a folder.
const (
	messageFile = "message.json" // the message as 1.0 JSON
	inbox       = "in"           // files that came with it
	outbox      = "out"          // files that the agent leaves
)

// folders makes the private folders of turns and sessions, all under one
// directory that goes when it is closed.
type folders struct {
	base string     // "": there is nowhere to make any
	user *proc.User // whom they belong to, nil: us

	mu   sync.Mutex
	kept map[string]func() bool // tasks that go on: stops their removal
	wg   sync.WaitGroup

	scratch *channel.Scratch // in our TMPDIR; nil: nobody needed it
}

func newFolders(runtimeDir string, user *proc.User) (*folders, error) {
	f := &folders{user: user, kept: map[string]func() bool{}}
	if runtimeDir == "" {
		return f, nil
	}
	base, err := os.MkdirTemp(runtimeDir, "turns-")
	if err != nil {
		return nil, fmt.Errorf("no folder for turns: %w", err)
	}
	f.base = base
	if user == nil {
		return f, nil
	}
	// The agent passes through it to what is its own, and cannot put a link in
	// the place of a folder that we open.
	return f, os.Chmod(base, 0o711)
}

// own gives a file to the agent's user.
func (f *folders) own(chown func(name string, uid, gid int) error, name string) error {
	if f.user == nil {
		return nil
	}
	return chown(name, int(f.user.UID), int(f.user.GID))
}

// errNoExec: a place is no better than the one that there is.
var errNoExec = errors.New("mounted noexec")

// elsewhere makes a private directory below our TMPDIR, in one that goes with us
// and is swept after us if we are killed. What is put there can be executed.
func (f *folders) elsewhere(name string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.scratch == nil {
		if noExec(os.TempDir()) {
			return "", fmt.Errorf("%s: %w", os.TempDir(), errNoExec)
		}
		s, err := channel.NewScratch(os.TempDir(), f.user != nil)
		if err != nil {
			return "", err
		}
		f.scratch = s
	}
	dir, err := os.MkdirTemp(f.scratch.Path(), name+"-")
	if err != nil {
		return "", err
	}
	return dir, f.own(os.Chown, dir)
}

// close removes everything.
func (f *folders) close() error {
	f.mu.Lock()
	if f.scratch != nil {
		f.scratch.Remove()
		f.scratch = nil
	}
	for id, stop := range f.kept {
		if stop() {
			f.wg.Done()
		}
		delete(f.kept, id)
	}
	f.mu.Unlock()
	f.wg.Wait()
	if f.base == "" {
		return nil
	}
	return proc.RemoveTree(f.base)
}

// folder is the place for the files of one task or session. A nil one is
// nowhere.
type folder struct {
	all  *folders
	id   string
	dir  string
	root *os.Root
	used map[string]bool // names in the inbox
	// empty is when the outbox had changed last, when it was found empty; zero
	// when that is not known.
	empty time.Time
}

// open makes the folder of that id, with an outbox, or opens the one that an
// earlier turn left. It is nil when there is nowhere to make one.
func (f *folders) open(id string) (*folder, error) {
	if f.base == "" {
		return nil, nil
	}
	f.unkeep(id)
	d := &folder{all: f, id: id, dir: filepath.Join(f.base, id), used: map[string]bool{}}
	if err := os.Mkdir(d.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, err
	}
	d.root = root
	if err := errors.Join(f.own(os.Chown, d.dir), d.mkdir(outbox)); err != nil {
		return nil, errors.Join(err, d.remove())
	}
	return d, nil
}

// path is the full name of something in the folder.
func (d *folder) path(name string) string { return filepath.Join(d.dir, name) }

// mkdir makes a private directory in the folder, unless it is there.
func (d *folder) mkdir(name string) error {
	err := d.root.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.all.own(d.root.Chown, name)
}

// write makes a private file, in place of an earlier one and of what the agent may
// have put there: a FIFO would hold us, a link lead elsewhere.
func (d *folder) write(name string, data []byte) error {
	err := d.create(name, data)
	if errors.Is(err, fs.ErrExist) {
		_ = d.root.Remove(name) // what cannot be removed is found again
		err = d.create(name, data)
	}
	return err
}

// create makes a private file that is not there yet. What is given to the agent's
// user is what was made, whatever has that name by then.
func (d *folder) create(name string, data []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	give := func(_ string, uid, gid int) error { return f.Chown(uid, gid) }
	return errors.Join(err, d.all.own(give, name), f.Close())
}

// message writes the message as 1.0 JSON, in place of an earlier one.
func (d *folder) message(m *a2a.Message) error {
	if d == nil {
		return nil
	}
	return d.write(messageFile, messageJSON(m))
}

// forget removes the message.
func (d *folder) forget() {
	if d != nil {
		_ = d.root.Remove(messageFile) // there may be none
	}
}

// messageJSON is a message as 1.0 JSON.
func messageJSON(m *a2a.Message) []byte { return codec.EncodeMessage(nil, m) }

// release lets go of a task's folder: it goes with the task, at once when the
// task has ended.
func (d *folder) release(t *task.Task) {
	if d == nil {
		return
	}
	if t.State().Terminal() {
		_ = d.remove() // close removes what could not be removed
		return
	}
	_ = d.root.Close() // only a handle
	d.all.keep(t.Context(), d)
}

// remove removes the folder. What we put there is gone by then, but for the
// message: mostly a tree is not to be looked for.
func (d *folder) remove() error {
	d.forget()
	return errors.Join(d.root.Close(), proc.RemoveTree(d.dir))
}

// keep removes the folder when ctx ends, or at close.
func (f *folders) keep(ctx context.Context, d *folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wg.Add(1)
	f.kept[d.id] = context.AfterFunc(ctx, func() {
		defer f.wg.Done()
		_ = proc.RemoveTree(d.dir) // close removes what could not be removed
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.kept, d.id)
	})
}

// unkeep takes a keep back.
func (f *folders) unkeep(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if stop := f.kept[id]; stop != nil {
		if stop() {
			f.wg.Done()
		}
		delete(f.kept, id)
	}
}
