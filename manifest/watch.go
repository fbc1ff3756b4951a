package manifest

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// watch gets the events of a path that may lead over symbolic links or end in
// a directory that does not exist yet. It watches directories, since editors
// and Kubernetes replace what is in them. Where there are no events, the poll
// of the source does alone. It is used by one goroutine.
type watch struct {
	path    string
	log     *slog.Logger
	watcher *fsnotify.Watcher      // nil when there are no events to be had
	dirs    map[string]fs.FileInfo // watched, as they were then
	names   map[string]bool        // the entries that matter
	refused bool                   // a directory could not be watched
}

func newWatch(path string, log *slog.Logger) *watch {
	w := &watch{path: path, log: log, dirs: map[string]fs.FileInfo{}}
	if path == "" {
		return w
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		log.Warn("no file events: the manifest is only looked at now and then", "file", path, "error", err)
		return w
	}
	w.watcher = watcher
	return w
}

// close ends the watcher and waits for it.
func (w *watch) close() {
	if w.watcher != nil {
		w.watcher.Close() // its error is that it is closed
	}
}

func (w *watch) events() <-chan fsnotify.Event {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Events
}

func (w *watch) errors() <-chan error {
	if w.watcher == nil {
		return nil
	}
	return w.watcher.Errors
}

// concerns reports whether an event is about an entry on the way to the file,
// or about a watched directory itself.
func (w *watch) concerns(e fsnotify.Event) bool { return w.names[e.Name] || w.dirs[e.Name] != nil }

// refresh follows the path again and watches the directories that it leads
// through now. It reports whether there were new ones.
func (w *watch) refresh() (added bool) {
	if w.watcher == nil {
		return false
	}
	for range maxLinks {
		dirs, names := trail(w.path)
		w.names = names
		if !w.adopt(dirs) {
			return added
		}
		added = true // what was made before the watch was there is seen next time round
	}
	return added
}

// adopt watches exactly dirs. A directory that was replaced by another of the
// same name is watched anew.
func (w *watch) adopt(dirs []string) (added bool) {
	alive := w.watcher.WatchList() // the kernel lets go of what is removed
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
		w.log.Warn("a directory cannot be watched: the manifest is only looked at now and then", "dir", dir, "error", err)
	}
}

// maxLinks bounds how many symbolic links a path leads over.
const maxLinks = 16

// trail follows an absolute path and returns the directories to watch and the
// entries in them that matter: every symbolic link on the way, and the file or
// the first thing that is missing.
func trail(path string) (dirs []string, names map[string]bool) {
	names = map[string]bool{}
	root := filepath.VolumeName(path) + string(filepath.Separator)
	at, rest := root, strings.TrimPrefix(path, root)
	note := func(entry string) {
		if !names[entry] {
			names[entry] = true
			dirs = append(dirs, filepath.Dir(entry))
		}
	}
	for links := 0; rest != ""; {
		var first string
		first, rest, _ = strings.Cut(rest, string(filepath.Separator))
		if first == "" || first == "." {
			continue
		}
		entry := filepath.Join(at, first)
		info, err := os.Lstat(entry)
		if err != nil || rest == "" {
			note(entry)
		}
		if err != nil {
			return dirs, names
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = entry
			continue
		}
		note(entry)
		target, err := os.Readlink(entry)
		if links++; err != nil || links > maxLinks {
			return dirs, names
		}
		if filepath.IsAbs(target) {
			at = root
		}
		rest = filepath.Join(target, rest)
	}
	return dirs, names
}
