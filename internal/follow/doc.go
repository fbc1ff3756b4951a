// Package follow tells when files may have changed. What to read, and what to make of
// it, is up to the caller.
//
//   - A file is followed by its path, whatever happens on the way to it: an editor
//     replaces it with another file, Kubernetes swaps the ..data link on its path,
//     its directory is replaced or does not exist yet. Directories are watched,
//     never the file itself.
//   - A folder is followed with the directories in it and the files of given names in each of these: one that is
//     new is watched before it is told of.
//   - A change is reported after the files have been left alone for one debounce
//     time, and within five such times if they are not left alone. Changes that the
//     caller has not taken are reported as one.
//   - No change is lost between reading a file and waiting for the next change:
//     before a change is reported, everything is watched and its state noted.
//   - If there are no events (some mounts, too few inotify instances), the files are
//     looked at now and then, and the log says so. A change that follows another too
//     closely for the file system's clock is noticed too.
//   - A Follower has one goroutine, which [Follower.Close] waits for. It does not
//     read the files.
//   - A [Reader] has files that are bad read twice before they are believed to be: the
//     first time, somebody may be in the middle of writing them.
//
// Reading order: follow.go, watch.go, same.go, reread.go.
package follow
