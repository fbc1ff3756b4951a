// Package files is the files that one call of a tool of the sidecar's own may use: tool.FS over those of
// this machine.
//
// Guarantees:
//
//   - What a call may use are the paths that were judged, below the roots of its task, and
//     what is below a judged directory and no rule denies or asks about: such things nobody named, so
//     they are left out and counted.
//   - A path is opened element by element from "/" on, and no element may be a link: a judged path was
//     resolved, so that a link in it is one that came afterwards. Nothing but regular files is
//     opened, and no open waits.
//   - The work runs on a thread that ends after it (package sandbox's Threads), and so does each of its
//     workers. There it can use the judged paths alone by Landlock, as far as the sandbox is
//     on and the system has it; and with --user it is the agent's user, with that user's groups: the
//     kernel judges as it judges the agent.
//   - A file is replaced by a rename of one that is whole and on the disk, made in the same directory: whoever
//     reads it sees the old one or the new one. Its permissions stay, and its owner as far as we may
//     give it away. Access control lists and extended attributes do not stay, and other hard links keep the
//     old content.
//   - Before a file is replaced or removed, the journal of the call (Options.Journal) has the change, with what was there. If it
//     cannot be kept, nothing is changed.
//
// Reading order: files.go (what a call may use, and the thread), view.go (tool.FS), way.go (how a
// path is opened), replace.go and remove.go, journal.go (what is kept
// of a change); info.go and opened.go are what is given out.
package files
