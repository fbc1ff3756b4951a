// Package turn is the agent seen as something that takes messages and calls
// and answers them. It starts the wrapped program, speaks to it, and turns
// what comes back into the events of a task.
//
// Guarantees:
//
//   - Turns of one context run in the order they were submitted, one at a
//     time. At most Options.MaxConcurrency turns run at once and at most
//     Options.Queue wait; one more is told busy at once.
//   - One goroutine owns each turn and is the writer of its task until the turn
//     settles. Every turn settles exactly once, and only when the processes
//     that it was asked to stop are gone. A client that goes away stops
//     nothing; Cancel, a deadline and a drain do.
//   - Cancel beats done, done beats a deadline, a drain and the exit code.
//   - Nothing is held back: what the agent writes is passed on as it comes,
//     whole runes at a time. Memory per turn is bounded whatever the agent says.
//   - What is typed into a terminal is text: control characters never get
//     there, a line that the terminal would cut is refused before the first
//     byte, and a line that the agent would run as a command of its own is
//     typed as text where that can be done, else refused, unless that was
//     allowed. Nothing is typed while a person is in the middle of a line, and no
//     Enter twice: a message that the agent does not take is an error.
//   - An answer to what the agent asks on its screen is typed only while that
//     question is there. One that a person answers is withdrawn. Of two answers at
//     the same time one is taken, and who gave the other is told.
//   - Who watches a terminal never holds its agent up: the last 256 KiB of its
//     output are kept, and who is further behind gets a picture of the screen.
//   - Files made for a turn are private (0600 in 0700) and go with the task.
//   - Close returns when no goroutine, process or file of the package is left.
//
// Reading order: runner.go (what the rest of the sidecar sees), queue.go,
// turn.go and settle.go (a turn from its start to its end), turn/driver (the
// contract of the ways to speak to an agent), then one file per way: oneshot.go; channel.go;
// terminal.go and exchange.go (programs that print lines), with signal.go; tui.go
// and tui_*.go (agents that draw their screen); either.go (who knows which).
// console.go and console_*.go are a terminal as it is known to us: the screen's
// model, what the agent is doing, what hooks say, who watches; view.go is that for
// callers, people.go who else types. Sessions are session.go and start.go, solo.go
// (one) and pool.go (many), status.go what is told of them.
// Around them: parts.go, folder.go and outbox.go (files in and out),
// environment.go, threads.go and lines.go (the agent's memory of contexts),
// response.go (bytes to an artifact), output.go and output_*.go (structured
// output of known agents), ansi.go, rows.go and tape.go (a terminal's bytes to
// lines of any length, as a program that prints wrote them: the screen's model
// would wrap and redraw them).
package turn
