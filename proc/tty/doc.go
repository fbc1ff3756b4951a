// Package tty owns terminals: the pseudo-terminal of a process that proc starts,
// everyone who types into it, and the host terminal, the one that this program
// itself was started from. It knows bytes, keys and modes, never a message or a task.
//
// # Guarantees
//
//   - [Terminal.Output] hands out all that the process writes, in order, and ends a
//     bounded time after the process does, even when something else keeps the
//     terminal open. A slow consumer slows the process down and loses nothing.
//   - The bytes of two writes to a [Terminal] never mix, and a write can be given up.
//   - Keys reach the process in the order in which they were typed, and nothing is
//     typed into another party's line: [Arbiter.Exclusive] waits until the line is
//     empty, and while its function runs, all other keys are held.
//   - At most 64 KiB of keys wait for the process in each [Lease].
//   - The host terminal is always given back as it was, even if this program is
//     killed: a guard, a process of its own, waits for that ([HostTerminal.Guard]).
//     The flags of its open file, which other processes share, are never changed.
//   - Every goroutine is waited for: by Output, Release or Close.
//
// # Reading order
//
// terminal.go and output.go (the pseudo-terminal), arbiter.go, lease.go and stale.go
// (who types into it), keyboard.go (what the keys mean), host.go and guard.go (the
// host terminal), passthrough.go (both terminals as one).
package tty
