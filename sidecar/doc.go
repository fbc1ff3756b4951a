// Package sidecar wires the parts together: it wraps a command-line agent and
// serves it by A2A.
//
// Everything that Run opens is opened by a named step, in order, and closed in
// reverse (steps.go). What the packages below guarantee holds for the whole:
// one writer per task, one waiter per process, an owner for every goroutine.
//
// Reading order: sidecar.go (the parts and their order), handler.go (what the
// A2A server hands over, and to whom), status.go and terminal.go (what callers may
// see of the agent), drain.go (how it all ends), card.go.
//
// Go authors embed it: fill in Options, with a manifest.Registry for tools
// that are Go functions, and call Run.
package sidecar
