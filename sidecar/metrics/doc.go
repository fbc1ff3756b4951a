// Package metrics counts what the sidecar does and writes it as the text that
// Prometheus scrapes. It is the only package that knows the library behind it.
//
// Every label comes from a short fixed list: operations, bindings, versions,
// classes of status, task states, outcomes. Nothing that a request or an agent
// says becomes one, so that nobody can make the sidecar big by asking.
//
// Reading order: metrics.go (what is counted as it happens), levels.go (what is
// looked at when somebody asks), histogram.go, process.go.
package metrics
