// Package oneshot is the driver for a program that runs once per turn, over pipes:
// the message, or a call's arguments, on standard input, the answer on standard
// output.
//
// Guarantees:
//
//   - The turn ends with the process: by its exit code, or for structured output by
//     the agent's final event. If that event is missing, the turn has failed.
//   - The end of standard error is an artifact of a message, and tells why a process
//     failed.
//   - A conversation that the program keeps by an argument is begun once and resumed
//     afterwards, over restarts too, and only for the caller that began it.
//
// Reading order: oneshot.go, output.go and splitter.go (structured output),
// threads.go and linefile.go (the program's memory of conversations).
package oneshot
