// Package follow tells when files may have changed. What to read, and what to make of
// it, is for whoever follows them.
//
//   - A file is followed by its path, whatever happens on the way to it: an editor
//     puts another file in its place, Kubernetes swaps the ..data link that it lies
//     behind, its directory is replaced, or does not exist yet. Directories are
//     watched, never the file itself.
//   - A change is told after the files have been left alone for a moment, and within
//     five such moments if they are not. Changes that have not been taken are one.
//   - No change is lost between reading a file and waiting for the next change:
//     everything is watched, and its state noted, before a change is told.
//   - Where there are no events (some mounts, too few inotify instances) the files are
//     looked at now and then, and the log says so. A change too soon after another
//     for the clock of the file system is noticed, too.
//   - A Follower has one goroutine, which [Follower.Close] waits for. It does not
//     read the files.
//
// Reading order: follow.go, watch.go, same.go.
package follow
