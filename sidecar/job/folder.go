package job

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
	"github.com/a2a-sidecar/sidecar/internal/rmtree"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// The contents of a folder.
const (
	messageFile = "message.json" // the message as 1.0 JSON
	inbox       = "in"           // files that came with the message
	outbox      = "out"          // files that the process leaves
)

// folders makes the private folders of jobs and sessions. All of them are in one
// directory, which is made with the first folder and removed by close.
type folders struct {
	runtimeDir string     // "": there is no place for folders
	prefix     string     // of the directory's name
	user       *proc.User // the owner of the folders; nil: us

	mu        sync.Mutex
	base      string                 // "": not made yet
	kept      map[string]func() bool // by id, those of tasks that go on; the function stops the removal
	wg        sync.WaitGroup
	elsewhere *channel.Scratch // in our own TMPDIR; nil: not made yet
	guarded   *channel.Scratch // in one of SafePlaces; nil: not made yet
}

func newFolders(runtimeDir, prefix string, user *proc.User) *folders {
	return &folders{runtimeDir: runtimeDir, prefix: prefix, user: user, kept: map[string]func() bool{}}
}

// directory returns the directory that holds all folders; it makes it if necessary.
func (f *folders) directory() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.base != "" {
		return f.base, nil
	}
	base, err := os.MkdirTemp(f.runtimeDir, f.prefix+"-")
	if err != nil {
		return "", err
	}
	if f.user != nil {
		// The process passes through this directory to its own folder, and cannot
		// replace a folder that we open by a link.
		if err := os.Chmod(base, 0o711); err != nil {
			return "", errors.Join(err, os.Remove(base))
		}
	}
	f.base = base
	return base, nil
}

// own makes the processes' user the owner of a file.
func (f *folders) own(chown func(name string, uid, gid int) error, name string) error {
	if f.user == nil {
		return nil
	}
	return chown(name, int(f.user.UID), int(f.user.GID))
}

// close removes every folder.
func (f *folders) close() error {
	f.mu.Lock()
	if f.elsewhere != nil {
		f.elsewhere.Remove()
		f.elsewhere = nil
	}
	if f.guarded != nil {
		f.guarded.Remove()
		f.guarded = nil
	}
	for id, stop := range f.kept {
		if stop() {
			f.wg.Done()
		}
		delete(f.kept, id)
	}
	base := f.base
	f.mu.Unlock()
	f.wg.Wait()
	if base == "" {
		return nil
	}
	return rmtree.Remove(base)
}

// keep keeps the folder until ctx ends, or until close, and then removes it.
func (f *folders) keep(ctx context.Context, d *Folder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wg.Add(1)
	f.kept[d.id] = context.AfterFunc(ctx, func() {
		defer f.wg.Done()
		d.unprotect()
		_ = rmtree.Remove(d.dir) // close removes what could not be removed
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.kept, d.id)
	})
}

// unkeep undoes keep.
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

// Folder is the working folder of one job or session: its message, the files that
// came with it, and its outbox. A nil Folder is no folder: it takes and gives no
// files. Only one goroutine at a time may call its methods.
type Folder struct {
	all  *folders
	id   string
	dir  string
	root *os.Root
	used map[string]bool // names that are taken in the inbox
	temp string          // the TMPDIR outside the folder; "": there is none
	// protected are the files of Protect.
	protected []string
	// message is the message's file, while it is empty yet; nil: there is none.
	message *os.File
	ahead   *ahead // what was made with the folder; nil: nothing
	// empty is when the outbox, found empty, had last changed; zero if that is not
	// known.
	empty time.Time
}

// open makes the folder with that id, with an outbox, or opens the one that an
// earlier job left. It returns nil if there is no place for folders.
func (f *folders) open(id string) (*Folder, error) {
	if f.runtimeDir == "" {
		return nil, nil
	}
	base, err := f.directory()
	if err != nil {
		return nil, fmt.Errorf("in the runtime directory: %w", err)
	}
	f.unkeep(id)
	d := &Folder{all: f, id: id, dir: filepath.Join(base, id), used: map[string]bool{}}
	if err := os.Mkdir(d.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, err
	}
	d.root = root
	if err := errors.Join(f.own(os.Chown, d.dir), d.mkdir(outbox)); err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	return d, nil
}

// Dir returns the folder's path.
func (d *Folder) Dir() string { return d.dir }

// path returns the full name of something in the folder.
func (d *Folder) path(name string) string { return filepath.Join(d.dir, name) }

// mkdir makes a private directory in the folder, unless it exists.
func (d *Folder) mkdir(name string) error {
	err := d.root.Mkdir(name, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return d.all.own(d.root.Chown, name)
}

// Write makes a private file in the folder. It replaces an earlier one, and whatever
// the process may have put in its place: a FIFO would block us, and a link would lead
// elsewhere.
func (d *Folder) Write(name string, data []byte) error {
	f, err := d.create(name)
	if errors.Is(err, fs.ErrExist) {
		_ = d.root.Remove(name) // what could not be removed is there still
		f, err = d.create(name)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// create makes a private file in the folder. The file that was made gets the processes' user as
// its owner, whatever has that name by then.
func (d *Folder) create(name string) (*os.File, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	give := func(_ string, uid, gid int) error { return f.Chown(uid, gid) }
	if err := d.all.own(give, name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// WriteMessage writes the message as 1.0 JSON; it replaces an earlier one.
func (d *Folder) WriteMessage(m *a2a.Message) error {
	if d == nil {
		return nil
	}
	data := codec.EncodeMessage(nil, m)
	f := d.message
	if f == nil {
		return d.Write(messageFile, data)
	}
	d.message = nil
	_, err := f.Write(data)
	return errors.Join(err, f.Close())
}

// RemoveMessage removes the message.
func (d *Folder) RemoveMessage() {
	if d != nil {
		_ = d.root.Remove(messageFile) // there may be none
	}
}

// Release gives up a task's folder. The folder is removed with the task, or at once
// if the task has ended.
func (d *Folder) Release(t *task.Task) {
	if d == nil {
		return
	}
	if t.State().Terminal() {
		_ = d.Remove() // close removes what could not be removed
		return
	}
	_ = d.close() // only handles
	d.all.keep(t.Context(), d)
}

// Remove removes the folder and its TMPDIR.
func (d *Folder) Remove() error {
	if d == nil {
		return nil
	}
	d.unprotect()
	d.RemoveMessage() // it is mostly the last file there: no tree is left to be walked
	if d.temp != "" {
		_ = rmtree.Remove(d.temp) // what the process's own user keeps from us stays
	}
	return errors.Join(d.close(), rmtree.Remove(d.dir))
}

// close closes what the folder holds open, and releases what was made with it.
func (d *Folder) close() error {
	d.ahead.release()
	if d.message != nil {
		_ = d.message.Close() // nothing was written
	}
	return d.root.Close()
}
