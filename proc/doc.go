// Package proc runs commands: it starts one as a child process with pipes or on a terminal, reads
// what it writes, waits for it, and stops it with all that it started. It knows bytes and exits,
// never a message or a task.
//
// # Guarantees
//
//   - A command that cannot start gives a [*StartError] that names the cause and
//     the fix, with exit code 127 (not found) or 126 (found, cannot run).
//   - A child gets the caller's environment and nothing else: no inherited file
//     except 0, 1 and 2, no ignored SIGINT or SIGHUP, a session of its own, and the
//     terminal that it was given as its controlling terminal.
//   - Each process has one waiter, and its exit status is never lost, not even
//     to the reaper that runs beside it.
//   - [Child.Output] ends a bounded time after the process does, even if another
//     process still holds the other end of its pipes.
//   - After [Child.Stop] nothing that the child started is alive; package tree says
//     what that covers.
//   - Processes that are left running by a child that ended by itself are left alone
//     until [Host.Close] ends them.
//   - Every goroutine is waited for: by Output, Stop or [Host.Close].
//
// # Reading order
//
// command.go and start.go (how a process begins), child.go (its life), stdio.go and output.go
// (its bytes), host.go (its parent), check.go (whether a command would start), diagnose.go
// (why one did not).
//
// Below it: tree (a process with all its descendants, and the stop ladder), reaper (being init),
// procfs (reading /proc). Beside it: peer (who is at the other end of a connection), tty
// (terminals), term (the screen).
package proc
