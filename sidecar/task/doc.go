// Package task holds the tasks: their states, histories, artifacts and the
// ordered event log of each.
//
// Guarantees:
//
//   - One writer at a time per task, one order of events: every subscriber sees
//     the same events in the same order, none twice and none missing, after a
//     snapshot that holds exactly what came before them.
//   - A terminal task never changes again; the first Finish wins.
//   - A subscriber reads at its own pace. While one is a whole window behind,
//     the writer waits for it; one that takes nothing for Options.Stall is cut
//     off with a2a.ErrStalled. Subscribers never wait for each other, and an
//     event is kept only while somebody still has to read it.
//   - Appending n chunks costs O(n): nothing copies a task per event.
//   - A task keeps at most Options.TaskBytes of artifact content (the head; the
//     artifact's metadata then has truncated and totalBytes), as much of its
//     newest history (the task's metadata then has historyDropped), and finished
//     tasks together at most KeepTasks and KeepBytes, the newest one always. The
//     oldest finished are forgotten first, tasks that have not finished never.
//   - Cancel only asks, by ending Task.Context with a cause. Who runs the task
//     settles it.
//
// Frames: an update is split so that its encoding stays under 64 KiB, text at
// rune boundaries. Only a single raw or data part, or metadata, that is longer
// by itself makes a longer frame.
//
// All methods may be called from many goroutines. No goroutine is started.
//
// Where a disk store will attach: the registry is the only way to a task (Get,
// List, evict), and Finish is the one place where a task becomes immutable.
//
// Reading order: task.go (what a task is), write.go (its writers), log.go and
// reader.go (events and subscribers), artifact.go, text.go and split.go
// (content), cost.go, snapshot.go, question.go, registry.go, evict.go, park.go,
// list.go.
package task
