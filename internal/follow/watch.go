package follow

import (
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch gets the events of files whose paths may lead over symbolic links or end in
// a directory that does not exist yet. It watches directories, because editors and
// Kubernetes replace what is in them. It is used by one goroutine.
type watch struct {
	fixed   []string      // the files that are followed by their own paths
	folders []string      // see Options.Folders
	below   []string      // Options.Names
	files   []string      // fixed, and those of the folders
	every   time.Duration // how often the files are looked at without events
	log     *slog.Logger
	watcher *fsnotify.Watcher      // nil if no events are available
	events  <-chan fsnotify.Event  // nil without a watcher
	lost    <-chan error           // receives an error when events were lost; nil without a watcher
	dirs    map[string]fs.FileInfo // the watched directories, as they were when the watch began
	names   map[string]bool        // the entries that matter
	whole   map[string]bool        // the directories of which every entry matters
	refused bool                   // a directory could not be watched
}

func newWatch(files, folders []string, every time.Duration, log *slog.Logger) *watch {
	w := &watch{fixed: files, folders: folders, files: files, every: every, log: log, dirs: map[string]fs.FileInfo{}}
	if len(files)+len(folders) == 0 {
		return w
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("no file events: files are only looked at now and then", "files", slices.Concat(files, folders), "every", every, "error", err)
		return w
	}
	w.watcher, w.events, w.lost = watcher, watcher.Events, watcher.Errors
	return w
}

// close ends the watcher and waits for it.
func (w *watch) close() {
	if w.watcher != nil {
		_ = w.watcher.Close() // its only error is that it is closed
	}
}

// concerns reports whether an event is about an entry on the way to a file, or about
// a watched directory itself.
func (w *watch) concerns(e fsnotify.Event) bool {
	return w.names[e.Name] || w.dirs[e.Name] != nil || w.whole[filepath.Dir(e.Name)]
}

// maxEntries is how many directories of one folder are followed.
const maxEntries = 2000

// list returns the files that are followed now. A folder counts as a file too: its time tells of new entries.
func (w *watch) list() []string {
	files := w.fixed
	for _, folder := range w.folders {
		files = append(files[:len(files):len(files)], folder)
		n := 0
		for _, dir := range entries(folder) {
			if n++; n > maxEntries {
				break
			}
			for _, name := range w.below {
				files = append(files, filepath.Join(folder, dir, name))
			}
		}
	}
	return files
}

// entriesRead is how many entries of a directory are read at most.
const entriesRead = 5 * maxEntries

// entries returns the names of what may be directories in a folder, in their order; none if it cannot be read.
func entries(folder string) (names []string) {
	f, err := os.OpenFile(folder, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0) // no FIFO in its place is waited for
	if err != nil {
		return nil
	}
	defer f.Close()                  // nothing was written
	all, _ := f.ReadDir(entriesRead) // what could be read is followed
	for _, e := range all {
		if (e.IsDir() || e.Type()&fs.ModeSymlink != 0) && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// refresh follows the paths again and watches the directories that they now lead through. It
// reports whether there were new directories.
func (w *watch) refresh() (added bool) {
	if len(w.folders) > 0 {
		w.files = w.list()
	}
	if w.watcher == nil {
		return false
	}
	t := trail{known: map[string]fs.FileInfo{}}
	for range maxLinks {
		t.names, t.dirs = map[string]bool{}, map[string]bool{}
		for _, file := range w.files {
			t.follow(file)
		}
		w.whole = map[string]bool{}
		for _, folder := range w.folders {
			if dir := t.follow(folder); dir != "" {
				w.whole[dir], t.dirs[dir] = true, true
			}
		}
		w.names = t.names
		fresh := w.adopt(&t)
		if len(fresh) == 0 {
			return added
		}
		added = true // the next round sees what was made before the watch began
		t.forget(fresh)
		if len(w.folders) > 0 {
			w.files = w.list()
		}
	}
	return added
}

// adopt watches exactly the directories of a trail and returns those that are new. If a directory was
// replaced by another of the same name, the new one is watched.
func (w *watch) adopt(t *trail) (fresh map[string]bool) {
	fresh = map[string]bool{}
	alive := map[string]bool{}
	for _, dir := range w.watcher.WatchList() { // the kernel drops directories that are removed
		alive[dir] = true
	}
	for dir := range t.dirs {
		info, err := t.stat(dir) // no link is on its way
		if err != nil {
			continue
		}
		if old := w.dirs[dir]; old != nil {
			if os.SameFile(old, info) && alive[dir] {
				continue
			}
			w.drop(dir)
		}
		if err := w.watcher.Add(dir); err != nil {
			w.refuse(dir, err)
			continue
		}
		w.dirs[dir] = info
		fresh[dir] = true
	}
	for dir := range w.dirs {
		if !t.dirs[dir] {
			w.drop(dir)
		}
	}
	return fresh
}

func (w *watch) drop(dir string) {
	delete(w.dirs, dir)
	if err := w.watcher.Remove(dir); err != nil {
		w.log.Debug("a directory was no longer watched", "dir", dir, "error", err)
	}
}

func (w *watch) refuse(dir string, err error) {
	if !w.refused {
		w.refused = true
		w.log.Warn("a directory cannot be watched: its files are only looked at now and then", "dir", dir, "every", w.every, "error", err)
	}
}

// maxLinks bounds how many symbolic links a path leads over.
const maxLinks = 16

// trail records where paths lead: the directories to watch, and the entries in them that
// matter.
type trail struct {
	dirs  map[string]bool
	names map[string]bool
	known map[string]fs.FileInfo // the entries that were looked at, nil for a missing one: many paths have one beginning
}

func (t *trail) note(entry string) {
	t.names[entry] = true
	t.dirs[filepath.Dir(entry)] = true
}

// stat looks at an entry, once.
func (t *trail) stat(entry string) (fs.FileInfo, error) {
	info, known := t.known[entry]
	if !known {
		info, _ = os.Lstat(entry)
		t.known[entry] = info
	}
	if info == nil {
		return nil, fs.ErrNotExist
	}
	return info, nil
}

// forget has the entries of some directories looked at anew: they may have changed before these were watched.
func (t *trail) forget(dirs map[string]bool) {
	maps.DeleteFunc(t.known, func(entry string, _ fs.FileInfo) bool { return dirs[filepath.Dir(entry)] })
}

// follow notes every symbolic link on the way of an absolute path, and at its end the file or
// the first component that is missing. It returns where the path leads if that is a directory, else "".
func (t *trail) follow(path string) (dir string) {
	const slash = string(filepath.Separator)
	at, rest := slash, strings.TrimPrefix(path, slash)
	isDir := true
	for links := 0; rest != ""; {
		var first string
		first, rest, _ = strings.Cut(rest, slash)
		if first == "" || first == "." {
			continue
		}
		entry := filepath.Join(at, first)
		info, err := t.stat(entry)
		if err != nil || rest == "" {
			t.note(entry)
		}
		if err != nil {
			return ""
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at, isDir = entry, info.IsDir()
			continue
		}
		t.note(entry)
		target, err := os.Readlink(entry)
		if links++; err != nil || links > maxLinks {
			return ""
		}
		if filepath.IsAbs(target) {
			at = slash
		}
		rest = filepath.Join(target, rest)
	}
	if !isDir {
		return ""
	}
	return at
}
