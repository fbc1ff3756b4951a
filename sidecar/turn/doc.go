// Package turn is the agent seen as something that takes messages and calls
// and answers them. It starts the wrapped program, speaks to it, and turns
// what comes back into the events of a task.
//
// Guarantees:
//
//   - Turns of one context run in the order they were submitted, one at a
//     time. At most Options.MaxConcurrency turns run at once and at most
//     Options.Queue wait; one more is refused as busy at once.
//   - One goroutine owns each turn and is the writer of its task until the turn
//     settles. Every turn settles exactly once, and only when the processes
//     that had to stop are gone. A client that goes away does not stop a turn;
//     Cancel, a deadline and a drain do.
//   - Cancel beats done, done beats a deadline, a drain and the exit code.
//   - Nothing is held back: what the agent writes is passed on as it comes,
//     whole runes at a time. Memory per turn is bounded whatever the agent says.
//   - Files made for a turn are private (0600 in 0700) and are removed with the task.
//   - Close returns when no goroutine, process or file of the package is left.
//
// Reading order: runner.go (what the rest of the sidecar sees), queue.go, turn.go
// and settle.go (a turn from its start to its end), turns.go (those that run and
// wait); session.go and start.go (an agent that lives through many turns), body.go
// (the table of what it may live in) with terminal.go and pipes.go, speech.go (an agent that is
// spoken to in messages), offer.go (which
// driver speaks to it), shared.go (one process for all contexts), pool.go (one per context) with forgotten.go,
// owner.go (to which caller the one belongs), view.go and status.go (what callers see
// of them). The folders hold the ways to speak to an agent: driver is their contract,
// console is a terminal as the sidecar knows it, and oneshot, channel, lines, line,
// tui, autodetect, mcp and stream are the ways, the last one with the protocols that it speaks.
// Around them: process.go, parts.go and files.go (what a process gets and leaves),
// environment.go, response.go (bytes to an artifact). govern.go and version.go hold an agent to its recipe, and cell.go
// is the sandbox that it runs in under strict.
package turn
