// Package task holds the tasks: their states, histories, artifacts and the
// ordered event log of each.
//
// Guarantees:
//
//   - A task has one writer at a time and one order of events. Every subscriber
//     sees the same events in the same order, none twice and none missing, after a
//     snapshot that holds exactly what came before them.
//   - A terminal task never changes again; the first Finish wins.
//   - If there is a store, what a client sees of a status, a message, metadata or a
//     push config is durable first. The caller that shows it waits for that, by
//     Show, Durable or a stream; the writer never waits. Artifact chunks are seen
//     at once; they are durable soon, and before the next status. While the store
//     cannot write, everything is shown all the same, and the log says so once.
//   - Events have the places 1, 2, 3 … in their task. A client that comes back
//     continues after the last event it has (SubscribeAfter). The newest events are
//     kept up to Options.Window for each task and Options.ReplayBytes for all tasks;
//     those of the oldest finished task are dropped first. A store keeps all events.
//     If the events are gone, the stream begins with a snapshot.
//   - A subscriber reads at its own pace. Without a store, the writer waits while a
//     subscriber is a whole window behind; a subscriber that takes nothing for
//     Options.Stall is cut off with a2a.ErrStalled. With a store, and for Follow,
//     the writer does not wait and no subscriber is cut off: a subscriber that is
//     behind reads from the store, or continues with a new snapshot. Subscribers
//     never wait for each other.
//   - Appending n chunks costs O(n): nothing copies a task per event.
//   - A task keeps at most Options.TaskBytes of artifact content in memory (the
//     beginning; the artifact's metadata then has truncated and totalBytes), and as
//     much of its newest history (the task's metadata then has historyDropped). All
//     finished tasks together keep at most KeepTasks and KeepBytes; the newest one
//     is always kept. Beyond that, without a store, the oldest finished tasks are
//     forgotten. With a store they are read from there, up to KeepBytes at a time,
//     and forgotten beyond RetainTasks, RetainBytes and RetainFor. A task that has
//     not finished is never forgotten. A task that had not finished when the process
//     ended has failed, "interrupted by restart", when the registry is opened.
//   - There is one Task of an ID at a time. All its changes, including those of the
//     push configs of a finished task, go to the store by one writer at a time, in
//     order.
//   - Cancel only asks, by ending Task.Context with a cause. The owner that runs the
//     task settles it.
//
// Frames: an update is split so that its encoding stays under 64 KiB, text at
// rune boundaries. A frame is longer only if a single raw or data part, or
// metadata, is longer by itself.
//
// All methods may be called from many goroutines. The package starts no goroutine
// except by the timer of RetainFor; Registry.Close waits for that.
//
// Locks are taken in this order: a task's turn at writing, then its mu, then the
// registry's mu. Nothing waits for the store while it holds one of the two mutexes.
//
// Reading order: task.go (what a task is), write.go (its writers), log.go,
// reader.go and opening.go (events and subscribers), store.go and durable.go
// (the store, and waiting for it), artifact.go, text.go and split.go (content),
// cost.go, snapshot.go and load.go, question.go, push.go, registry.go, entry.go,
// index.go, evict.go, restart.go, park.go, list.go.
package task
