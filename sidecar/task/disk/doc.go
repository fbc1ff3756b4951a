// Package disk keeps tasks in one file, tasks.db: a task.Store over bbolt.
//
// Guarantees:
//
//   - What was appended becomes durable in the order of the calls: after a crash
//     the file holds all changes up to some point, no later one, and at least
//     every change that a Wait returned nil for. The members of a change are
//     there together or not at all.
//   - One transaction at a time writes all that has come together meanwhile: a
//     lone writer that waits pays for one, a hundred at once pay for one or two.
//     What nobody waits for is written within 50 ms.
//   - Readers never hold a transaction open while they decode, or while they are
//     in their caller's function: nothing that reads slowly stops the writer.
//   - A file that cannot be written now (full, read-only, broken, silent for 10 s) stops
//     nobody: Err says why, the queue is kept and tried again each second. When
//     the queue is full by then, history and events are dropped, never heads;
//     the log says so, and the head's metadata says eventsDropped.
//   - A damaged file is an error that names it. It is never repaired, emptied or
//     moved by us. One whose newer meta page is spoiled is damaged, since the last
//     transaction may be gone, and so is one whose pages are not all in their
//     places (pages.go).
//   - A damaged record is one task that says so, in its metadata and in the log;
//     others are not concerned. Of a task whose head is damaged what there is of
//     its rows is shown, and that it has failed.
//
// The file: bucket "meta" has the format's version. A value ends with the checksum
// of its key and itself (sum.go); those of format 1 have none. Every task has a number,
// given in the order of creation. Bucket "heads" maps it to a small binary
// header (head.go) and the head as a 1.0 StreamResponse of a task, with a
// member "sidecar" for what the protocol has no place for. Bucket "log" maps
// number, kind and place (row.go) to messages and events as 1.0 writes them. So
// all that belongs to a task lies together, tasks of one time beside each
// other, and to forget the oldest frees whole pages.
//
// Beside it, tasks.lock is locked as long as the store is open, and
// tasks.db.new is there only while a file is made or compacted.
//
// Reading order: disk.go, append.go and batch.go (the queue), writer.go (the
// one goroutine) and apply.go (its transaction), read.go, head.go and row.go
// (the format), sum.go, audit.go, spoiled.go, meta.go and pages.go (damage), file.go, lock.go
// and compact.go (opening), fault.go (errors).
package disk
