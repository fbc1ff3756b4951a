// Package console is an agent's terminal as the sidecar knows it: the model of
// its screen, what the agent is doing, who watches and who types.
//
// Guarantees:
//
//   - One goroutine writes the agent's output into a Console; all other methods may
//     be called from many goroutines. Nothing polls: a caller that waits for something is
//     woken when it may have changed.
//   - The console looks at what the program waits for when the detector wants to know that. It
//     holds no lock during a look, never looks while the program is idle, and gives up a look
//     that hangs.
//   - Watchers never block the agent: the last 256 KiB of its output are kept,
//     and a watcher that is further behind gets a picture of the screen instead.
//   - The terminal's own answers to an agent's queries are typed within 250 ms or
//     dropped: a program that no longer waits for an answer takes it for text.
//   - Text that is typed contains no control characters. A line that the terminal
//     would cut, or that the agent would run as a command of its own, is found
//     before anything is typed.
//
// Reading order: console.go (what it is made of), observe.go (when the screen is evaluated, and
// what was seen), message.go, report.go and event.go (what the detector is told), kernel.go and
// looker.go (what the program waits for), wait.go and look.go; people.go and typing.go (what drivers need to type);
// reply.go and query.go (the agent's queries); stream.go (watchers); record.go; plain.go (a text
// without escape sequences); state.go.
package console
