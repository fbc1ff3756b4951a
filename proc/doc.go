// Package proc owns everything that touches the operating system's processes: starting a child
// with pipes or on a terminal, waiting for it, stopping it with all that it started, and being
// a good PID 1 meanwhile. It knows bytes and exits, never a message or a task. All it knows of
// a terminal is which child it belongs to.
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
//   - After [Child.Stop] nothing that the child started is alive, even if it
//     ignored SIGTERM, left the process group, was orphaned, changed its
//     environment, or forks faster than anyone can look (Linux). If no process
//     can be seen (no /proc), the process and its group end. A signal never
//     reaches a process that merely got a recycled pid.
//   - Processes that are left running by a child that ended by itself are left alone
//     until [Host.Close] ends them.
//   - Every goroutine is waited for: by Output, Stop or [Host.Close].
//
// # Reading order
//
// command.go and start.go (how a process begins), child.go (its life),
// output.go (its bytes), ladder.go (its end), tree_linux.go, tag_linux.go and
// cgroup_linux.go (finding what it left), kill_linux.go and chase_linux.go (killing
// it), reaper_linux.go (being init), check.go (whether a command would start),
// peer.go and peer_linux.go (which process is at the other end of a connection).
//
// On darwin there is no /proc and no subreaper: Stop reaches the process group
// and nothing beyond it.
package proc
