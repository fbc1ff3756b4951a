// Package disk keeps tasks in one file, tasks.db: a task.Store over bbolt.
//
// Guarantees:
//
//   - What was appended becomes durable in the order of the calls: after a crash
//     the file holds all changes up to some point and no later ones, and at least
//     every change for which a Wait returned nil. The fields of a change are there
//     together or not at all.
//   - One transaction at a time writes all changes that have come together
//     meanwhile: a lone writer that waits pays for one transaction, a hundred at
//     once pay for one or two. A change that nobody waits for is written within
//     50 ms.
//   - A reader never holds a transaction open while it decodes, or while it runs its
//     caller's function: a slow reader does not stop the writer.
//   - A file that cannot be written now (full, read-only, broken, silent for 10 s)
//     blocks nobody: Err says why, and the queue is kept and tried again each second.
//     If the queue becomes full meanwhile, history and events are dropped, but never
//     heads; the log says so, and the head's metadata says eventsDropped.
//   - A damaged file is an error that names it. The store never repairs, empties or
//     moves it. A file whose newer meta page is spoiled is damaged, since the last
//     transaction may be lost. So is a file whose pages are not all in their places
//     (pages.go).
//   - A damaged record affects only one task, which says so in its metadata; the log
//     says so, too. If a task's head is damaged, the task is shown as failed, with
//     the rows that are left.
//
// The file: bucket "meta" has the format's version. A value ends with the checksum
// of its key and of the value (sum.go); values of format 1 have none. Every task has
// a number, given in the order of creation. Bucket "heads" maps it to a small binary
// header (head.go) and the head as a 1.0 StreamResponse of a task, with a
// member "sidecar" for what the protocol has no place for. Bucket "log" maps
// number, kind and place (row.go) to messages and events as 1.0 writes them. So
// all rows of a task are stored together, tasks of one time are next to each other,
// and forgetting the oldest frees whole pages.
//
// Beside it, tasks.lock is locked as long as the store is open, and
// tasks.db.new exists only while a file is made or compacted.
//
// Reading order: disk.go, append.go and batch.go (the queue), writer.go (the
// one goroutine) and apply.go (its transaction), read.go, head.go and row.go
// (the format), sum.go, audit.go, spoiled.go, meta.go and pages.go (damage), file.go,
// lock.go and compact.go (opening), fault.go (errors).
package disk
