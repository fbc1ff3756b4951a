package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Options say what one call may use. All paths but the keys of Given are absolute, cleaned, and have their
// links resolved.
type Options struct {
	// Roots are the directories beneath which all of it is.
	Roots []string
	// Reads and Writes are the paths that were judged. A directory stands for what is below it too.
	Reads, Writes []string
	// Given are the judged paths by what the arguments have in their place.
	Given map[string]string
	// Dir is the directory in which relative paths begin.
	Dir string
	// May reports whether the rules let the call use a path that nobody named, because it is below a
	// judged directory. Many goroutines may ask at once. nil: all may be used.
	May func(c policy.Capability, path string) bool
	// Kept are files that were opened for the call, by their path: they can be read though they are beneath no
	// root. Whoever opened them closes them.
	Kept map[string]*os.File
	// Journal is told of each change before it is made. nil: nobody is.
	Journal Journal
	// Keeper confines the thread. nil: Landlock does not.
	Keeper *confine.Keeper
	// User is the user of the agent, nil for our own.
	User *proc.User
}

// Files are the files of one call. Its methods belong to one goroutine.
type Files struct {
	o       Options
	threads *sandbox.Threads // nil: nothing takes a thread of its own
}

// New returns the files of one call. Close must follow. An error that wraps tool.ErrLink says that a link
// has come into the way of a judged path; any other one says why the thread cannot be confined.
func New(o Options) (*Files, error) {
	f := &Files{o: o}
	var err error
	f.threads, err = o.Keeper.Threads(o.User, f.landlocked(o.Reads, readable), f.landlocked(o.Writes, writable))
	if errors.Is(err, unix.ELOOP) {
		err = tool.ErrLink
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Close releases what is held. No work may run any more.
func (f *Files) Close() {
	if f.threads != nil {
		f.threads.Close()
	}
}

// Layers returns what holds the work.
func (f *Files) Layers() sandbox.Layer {
	if f.threads == nil {
		return 0
	}
	return f.threads.Layers()
}

// Run runs work with the files and returns when it has returned. A panic in work ends the process. The
// error says that its thread could not be confined: work did not run then.
func (f *Files) Run(work func(tool.FS)) error { return f.run(&count{}, work) }

func (f *Files) run(skipped *count, work func(tool.FS)) error {
	on := func() {
		v := &view{f: f, skipped: skipped}
		defer v.way.close()
		work(v)
	}
	if f.threads == nil {
		on()
		return nil
	}
	return f.threads.Run(on)
}

// landlocked returns what the kernel is told of some judged paths: for each of them what it has to
// open.
func (f *Files) landlocked(judged []string, open func(path, root string) string) (roots []sandbox.Root) {
	for _, path := range judged {
		root := f.rootOf(path)
		if root == "" {
			continue // it cannot be used
		}
		at := open(path, root)
		if at == "" {
			continue // nothing is there: looking at it will say why
		}
		rest, _ := below.Rest(at, root)
		r := sandbox.Root{Base: root, Path: filepath.Join(".", rest)}
		if !slices.Contains(roots, r) {
			roots = append(roots, r)
		}
	}
	return roots
}

// readable is what has to be opened to read a path: the path itself, "" if nothing is there.
func readable(path, _ string) string {
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}

// writable is what has to be written to replace a path: the directory that it is in, or in which the
// ones that are missing will be made. A directory is itself.
func writable(path, root string) string {
	info, err := os.Lstat(path)
	for path != root && (err != nil || !info.IsDir()) && (err == nil || missing(err)) {
		path = filepath.Dir(path)
		info, err = os.Lstat(path)
	}
	if err != nil {
		return ""
	}
	return path
}

// missing reports whether nothing is at a path.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) }

// rootOf returns the root beneath which a path is, "" for none.
func (f *Files) rootOf(path string) (root string) {
	for _, r := range f.o.Roots {
		if below.Is(path, r) && len(r) > len(root) {
			root = r
		}
	}
	return root
}

// allowed returns nil for a path that the call may use.
func (f *Files) allowed(c policy.Capability, path string) error {
	if f.rootOf(path) == "" {
		return tool.ErrOutside
	}
	named, beneath := judged(f.o.Writes, path)
	if c == policy.FSRead {
		onlyWrites := named
		if named, beneath = judged(f.o.Reads, path); !named && onlyWrites {
			beneath = true // to read it was not judged
		}
	}
	switch {
	case named:
		return nil
	case !beneath:
		return tool.ErrOutside
	case !f.may(c, path):
		return tool.ErrDenied
	}
	return nil
}

// changeable is allowed for writing, which the sidecar's own files are not there for.
func (f *Files) changeable(path string) error {
	if err := f.allowed(policy.FSWrite, path); err != nil || !f.o.Keeper.Owns(path) {
		return err
	}
	return errOwn
}

// errOwn is the error of a file that the sidecar keeps.
var errOwn = fmt.Errorf("%w: it is the sidecar's own", tool.ErrDenied)

// judged reports whether a path is one of those, or below one.
func judged(all []string, path string) (named, beneath bool) {
	for _, one := range all {
		if one == path {
			return true, false
		}
		beneath = beneath || below.Is(path, one)
	}
	return false, beneath
}

func (f *Files) may(c policy.Capability, path string) bool { return f.o.May == nil || f.o.May(c, path) }
