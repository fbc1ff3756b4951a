// Package procfs reads /proc: the processes of this machine, what each was started with, what it
// has open, and which descend from which. It decides nothing about them.
//
// # Guarantees
//
//   - What is read is a snapshot, and the process may be gone when the call returns. A pid that
//     names no process any more is an empty answer, not an error.
//   - [Process.Signal] and [Process.Now] mean the process that was read, never a later one that
//     got its pid: a pid together with its start is unique.
//   - A process whose main thread has ended is not taken for a zombie while other threads run,
//     and a descriptor in a table of one thread only is found.
//   - A root without CAP_SYS_PTRACE reads what another user's process hides, by taking that
//     user's file system ids on one thread ([AsUser]).
//   - Without a /proc, [Read] fails for this process itself, too: that is how a caller tells
//     "no process" from "nothing can be seen".
//   - It keeps no state and starts no goroutine: every call may be made from many goroutines. A
//     [Descendants] belongs to one.
//
// # Reading order
//
// process_linux.go (a process), descendants_linux.go (who descends from whom), then the file
// named after what is read: environ, files, status, cgroup, kernel.
//
// It is empty on darwin, which has no /proc.
package procfs
