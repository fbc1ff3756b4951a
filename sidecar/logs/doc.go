// Package logs keeps the last lines of the sidecar's own log in memory, for whoever
// operates it: what `sidecar logs` shows of a sidecar in a container, or of one
// whose terminal is the agent's.
//
// Lines are JSON, one record each. They cost at most [Limit] bytes. A reader that follows
// them never blocks the writer: a reader that is too slow is told how many lines it missed.
package logs
