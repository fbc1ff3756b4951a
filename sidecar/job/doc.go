// Package job runs one process for one piece of work, a turn or a tool call: it makes
// the process's folder, token and environment, feeds it, reads it, takes what it says
// over the channel and stops it. It knows nothing of turns, calls and results.
//
// Guarantees:
//
//   - Run returns when the process has gone, its output and stderr were read, and what
//     it sent over the channel was handled (for at most 250 ms). Every goroutine that
//     Run starts has then ended: the writer of stdin and the watchers of the context,
//     of a done and of Hard. The process's one waiter is the proc.Child's.
//   - When the context ends, the process goes through the stop ladder, with everything
//     that it started. A process that has said done first gets the grace to end by
//     itself. If a process ends by itself, its background processes are left alone.
//   - A cancel beats a done; the first done beats every other reason to stop and the
//     exit code. A process that had already ended successfully when it was asked to
//     stop does not count as stopped.
//   - Nothing is held back: stdout is passed on as it comes, and the process waits for
//     whoever takes it. The last 64 KiB of stderr are kept.
//   - A process never sees the sidecar's own settings or another job's token. Its token
//     is of use to it and its descendants alone, and is worthless when Run returns.
//   - A question waits for at most Options.AskTimeout, even if the process asks for more.
//     What a process says after its end is refused.
//   - Files are private (0600 in 0700) and belong to the process's user. Whatever the
//     process puts in their place is neither followed nor waited for: links, FIFOs,
//     files with a second name. A file of Protect is ours instead, and lies where the
//     process's user cannot change it.
//   - What Prepare makes for a job belongs to the Runner until FolderIn hands it over, then to
//     that Folder, whose Remove ends it. A job is confined the same whether or not it is there.
//
// Reading order: job.go (a process from its start to its end), runner.go, owner.go
// (what it says), environment.go, confine.go (its sandbox, and its way to the channel),
// folder.go with inbox.go, outbox.go, temp.go and protect.go (its files), ahead.go (what the next
// job gets that was made already), stderr.go, watchers.go.
package job
