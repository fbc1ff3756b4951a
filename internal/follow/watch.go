package follow

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watch gets the events of files whose paths may lead over symbolic links or end in
// a directory that does not exist yet. It watches directories, because editors and
// Kubernetes replace what is in them. It is used by one goroutine.
type watch struct {
	files   []string
	every   time.Duration // how often the files are looked at without events
	log     *slog.Logger
	watcher *fsnotify.Watcher      // nil if no events are available
	events  <-chan fsnotify.Event  // nil without a watcher
	lost    <-chan error           // receives an error when events were lost; nil without a watcher
	dirs    map[string]fs.FileInfo // the watched directories, as they were when the watch began
	names   map[string]bool        // the entries that matter
	refused bool                   // a directory could not be watched
}

func newWatch(files []string, every time.Duration, log *slog.Logger) *watch {
	w := &watch{files: files, every: every, log: log, dirs: map[string]fs.FileInfo{}}
	if len(files) == 0 {
		return w
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("no file events: files are only looked at now and then", "files", files, "every", every, "error", err)
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
func (w *watch) concerns(e fsnotify.Event) bool { return w.names[e.Name] || w.dirs[e.Name] != nil }

// refresh follows the paths again and watches the directories that they now lead through. It
// reports whether there were new directories.
func (w *watch) refresh() (added bool) {
	if w.watcher == nil {
		return false
	}
	for range maxLinks {
		t := trail{names: map[string]bool{}}
		for _, file := range w.files {
			t.follow(file)
		}
		w.names = t.names
		if !w.adopt(t.dirs) {
			return added
		}
		added = true // the next round sees what was made before the watch began
	}
	return added
}

// adopt watches exactly dirs and reports whether there were new ones. If a directory was
// replaced by another of the same name, the new one is watched.
func (w *watch) adopt(dirs []string) (added bool) {
	alive := w.watcher.WatchList() // the kernel drops directories that are removed
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		if old := w.dirs[dir]; old != nil {
			if os.SameFile(old, info) && slices.Contains(alive, dir) {
				continue
			}
			w.drop(dir)
		}
		if err := w.watcher.Add(dir); err != nil {
			w.refuse(dir, err)
			continue
		}
		w.dirs[dir] = info
		added = true
	}
	for dir := range w.dirs {
		if !slices.Contains(dirs, dir) {
			w.drop(dir)
		}
	}
	return added
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
	dirs  []string
	names map[string]bool
}

func (t *trail) note(entry string) {
	t.names[entry] = true
	if dir := filepath.Dir(entry); !slices.Contains(t.dirs, dir) {
		t.dirs = append(t.dirs, dir)
	}
}

// follow notes every symbolic link on the way of an absolute path, and at its end the file or
// the first component that is missing.
func (t *trail) follow(path string) {
	const slash = string(filepath.Separator)
	at, rest := slash, strings.TrimPrefix(path, slash)
	for links := 0; rest != ""; {
		var first string
		first, rest, _ = strings.Cut(rest, slash)
		if first == "" || first == "." {
			continue
		}
		entry := filepath.Join(at, first)
		info, err := os.Lstat(entry)
		if err != nil || rest == "" {
			t.note(entry)
		}
		if err != nil {
			return
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = entry
			continue
		}
		t.note(entry)
		target, err := os.Readlink(entry)
		if links++; err != nil || links > maxLinks {
			return
		}
		if filepath.IsAbs(target) {
			at = slash
		}
		rest = filepath.Join(target, rest)
	}
}
