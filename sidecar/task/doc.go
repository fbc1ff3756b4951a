// Package task holds the tasks: their states, histories, artifacts and the
// ordered event log of each.
//
// Guarantees:
//
//   - One writer at a time per task, one order of events: every subscriber sees
//     the same events in the same order, none twice and none missing, after a
//     snapshot that holds exactly what came before them.
//   - A terminal task never changes again; the first Finish wins.
//   - What a client sees of a status, a message, metadata or a push config is
//     durable first, where there is a store: who shows it waits, by Show, Durable
//     or a stream, and the writer never does. Artifact chunks are seen at once;
//     they are durable soon, and before the next status. While the store cannot
//     write, everything is shown all the same, and the log says so once.
//   - Events have the places 1, 2, 3 … in their task. A client that comes back
//     goes on after the last one it has (SubscribeAfter): the newest are kept
//     up to Options.Window for each task and Options.ReplayBytes for all, the
//     oldest finished task's being dropped first; a store keeps them all. Where
//     they are gone the stream begins with a snapshot.
//   - A subscriber reads at its own pace. Without a store, while one is a whole
//     window behind, the writer waits for it; one that takes nothing for
//     Options.Stall is cut off with a2a.ErrStalled. With a store, and for Follow,
//     nobody waits and nobody is cut: who is behind reads from the store, or goes
//     on with a new snapshot. Subscribers never wait for each other.
//   - Appending n chunks costs O(n): nothing copies a task per event.
//   - A task keeps at most Options.TaskBytes of artifact content in memory (the
//     head; the artifact's metadata then has truncated and totalBytes), as much
//     of its newest history (the task's metadata then has historyDropped), and
//     finished tasks together at most KeepTasks and KeepBytes, the newest one
//     always. Without a store the oldest finished are then forgotten; with one
//     they are read from there, up to KeepBytes at a time, and forgotten beyond
//     RetainTasks, RetainBytes and RetainFor. Tasks that have not finished never
//     are. What had not when the process ended has failed, "interrupted by
//     restart", when the registry is opened.
//   - There is one Task of an ID at a time, and all changes of it, push configs
//     of finished ones too, go to the store by one writer at a time, in order.
//   - Cancel only asks, by ending Task.Context with a cause. Who runs the task
//     settles it.
//
// Frames: an update is split so that its encoding stays under 64 KiB, text at
// rune boundaries. Only a single raw or data part, or metadata, that is longer
// by itself makes a longer frame.
//
// All methods may be called from many goroutines. No goroutine is started, but
// by the timer of RetainFor; Registry.Close waits for that.
//
// Locks: a task's turn at writing, then its mu, then the registry's mu. Nothing
// waits for the store with one of the two mutexes held.
//
// Reading order: task.go (what a task is), write.go (its writers), log.go,
// reader.go and opening.go (events and subscribers), store.go and durable.go
// (the store, and waiting for it), artifact.go, text.go and split.go (content),
// cost.go, snapshot.go and load.go, question.go, push.go, registry.go, entry.go,
// index.go, evict.go, restart.go, park.go, list.go.
package task
