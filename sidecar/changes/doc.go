// Package changes keeps what tools of the sidecar's own have done to files: what was there before and what came after, by task, so
// that people see it as differences and can take it back.
//
// Guarantees:
//
//   - A change is in the [Journal] before it is made, and on the disk if the journal has a directory: a sidecar that is killed
//     in between leaves a record of a change that was not made, and taking it back finds the file as it was before.
//   - All records together take at most Options.Total, each at least 4 KiB of it: the oldest are forgotten. While an undo
//     runs, what it needs stays, and all may be twice as much. What a file has beyond
//     Options.File is not kept: such a change is shown, and may not be possible to take back.
//   - What is kept belongs to the caller of the task: no other caller sees it, or learns the name of the task.
//   - Changes are taken back only if what is there is what the last of them left. One file that is not so does not keep the
//     others back.
//   - Files are 0600 in a directory of 0700. A record that is damaged is told of and removed; its content is compared with its hash
//     each time it is read.
//   - What was changed by anything else (a command, an agent's own hands, a person) is not known here. That a task has run commands
//     is: see [Journal.Ran].
//
// Reading order: record.go (what is kept), journal.go (all of it), shelf.go (where), list.go (the changes of a task, as
// differences), undo.go (taking them back).
package changes
